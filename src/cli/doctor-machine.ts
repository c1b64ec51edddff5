import { readFile, stat, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { sandboxClient } from '../delivery/sandbox/client.ts'
import { sandboxFinder } from '../delivery/sandbox/file.ts'
import { folderOwner } from '../runtime/folder-lock.ts'
import { tryFolder } from '../runtime/open-folder.ts'
import { usableMemoryBytes } from '../runtime/postgres/settings.ts'
import { checkPort } from '../runtime/processes/listen-error.ts'
import { secretFile } from '../runtime/secrets/secret-file.ts'
import { publicUrl } from './banner.ts'
import { bad, type Check, type Finding, good, type Patient, sizeOf, warn } from './doctor-check.ts'
import { describeUnknownSettings } from './unknown-settings.ts'
import { describeUnusedSettings } from './unused-settings.ts'

const NODE_MAJOR = 26
const MEMORY_MIN_BYTES = 1024 ** 3
const DISK_LOW_BYTES = 5 * 1024 ** 3
const DISK_MIN_BYTES = 512 * 1024 ** 2
const FILES_MIN = 4096
const ASK_MAX_MS = 2_000

/** The checks of the machine. */
export const MACHINE_CHECKS: readonly Check[] = [
  { name: 'node', look: async () => lookAtNode() },
  { name: 'settings', look: async ({ config }) => lookAtSettings(config) },
  { name: 'memory', look: async () => lookAtMemory() },
  { name: 'open files', look: async () => lookAtFiles() },
  { name: 'data folder', look: lookAtFolder },
  { name: 'disk', look: lookAtDisk },
  { name: 'secret', look: lookAtSecret },
  { name: 'port', look: lookAtPort },
  { name: 'processes', needs: 'data folder', look: lookAtProcesses },
]

function lookAtNode(): Finding {
  const [major] = process.versions.node.split('.')
  const detail = `${process.version} on ${availableParallelism()} cores`
  if (Number(major) >= NODE_MAJOR) return good(detail)
  return bad(detail, `Start Beckon with bin/beckon or npm start, which bring Node ${NODE_MAJOR} along.`)
}

/** `loadConfig` has already refused bad values. */
function lookAtSettings(config: Patient['config']): Finding {
  const idle = [...describeUnknownSettings(), ...describeUnusedSettings(config)]
  if (idle.length === 0) return good('all are known')
  return warn(`${idle.length} with no effect`, idle.join(' '))
}

function lookAtMemory(): Finding {
  const bytes = usableMemoryBytes()
  if (bytes >= MEMORY_MIN_BYTES) return good(sizeOf(bytes))
  return warn(sizeOf(bytes), 'Provide 1 GiB or more: PostgreSQL, the API and the workers share it.')
}

async function lookAtFiles(): Promise<Finding> {
  // Only Linux has this file.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const limit = /^Max open files +(\w+)/m.exec(limits)?.[1] ?? 'unlimited'
  if (limit === 'unlimited' || Number(limit) >= FILES_MIN) return good(limit)
  return warn(limit, `Raise it to ${FILES_MIN} or more (ulimit -n, or LimitNOFILE= in systemd).`)
}

async function lookAtFolder({ config }: Patient): Promise<Finding> {
  const { dataDir } = config
  const found = await stat(dataDir).catch(() => null)
  if (found === null) {
    const parent = await nearestFolder(dataDir)
    return isWritable(parent, `${dataDir}, which the first start creates`)
  }
  if (!found.isDirectory()) return bad(`${dataDir} is not a folder`, 'Choose another BECKON_DATA_DIR.')
  if ((found.mode & 0o077) !== 0) return warn(`${dataDir} can be read by others`, `chmod 700 ${dataDir}`)
  return isWritable(dataDir, dataDir)
}

async function isWritable(folder: string, detail: string): Promise<Finding> {
  const isOpen = await tryFolder(folder).then(
    () => true,
    () => false,
  )
  return isOpen
    ? good(detail)
    : bad(`${folder} cannot be written`, 'Make the user who runs Beckon its owner.')
}

async function lookAtDisk({ config }: Patient): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(config.dataDir))
  const free = bavail * bsize
  const detail = `${sizeOf(free)} free`
  if (free < DISK_MIN_BYTES) return bad(detail, 'Free disk space: PostgreSQL stops when the disk is full.')
  return free < DISK_LOW_BYTES
    ? warn(detail, 'Free disk space soon, or move BECKON_DATA_DIR to a larger disk.')
    : good(detail)
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  return found !== null || path === dirname(path) ? path : nearestFolder(dirname(path))
}

async function lookAtSecret({ config }: Patient): Promise<Finding> {
  if (config.secret !== null) return good('set by BECKON_SECRET')
  const file = secretFile(config.dataDir)
  const found = await stat(file).catch(() => null)
  if (found === null)
    return warn('none yet', 'The first npm start creates one; other machines need the same secret.')
  if ((found.mode & 0o077) !== 0) return bad(`${file} can be read by others`, `chmod 600 ${file}`)
  return good(`${file}; keep a copy where your backups are`)
}

async function lookAtPort({ config }: Patient): Promise<Finding> {
  const { host, port } = config
  const isFree = await checkPort({ host, port }).then(
    () => true,
    () => false,
  )
  if (isFree) return good(`${host}:${port} is free`)
  const url = publicUrl(host, port)
  const reply = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ASK_MAX_MS) }).catch(() => null)
  if (reply?.headers.has('x-request-id')) return good(`a Beckon answers on ${url}`)
  return bad(`${host}:${port} cannot be used`, 'Stop the program that listens there, or set PORT and HOST.')
}

/** Asks the running Beckon for a sign of life: its API, and the sandbox that takes the pushes without credentials. */
async function lookAtProcesses({ config }: Patient): Promise<Finding> {
  const { host, port, sandbox, dataDir } = config
  const owner = folderOwner(dataDir)
  const url = publicUrl(host, port)
  const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ASK_MAX_MS) }).catch(() => null)
  if (owner === null && reply === null) return warn('no Beckon runs here', 'Start it with npm start.')
  if (reply?.ok !== true) {
    const answer = reply === null ? 'does not answer' : `answers ${reply.status}`
    return bad(`${url}/readyz ${answer}`, 'Read the log of Beckon, or set PORT and HOST as it has them.')
  }
  if (owner === null || sandbox === 'off') return good(`${url} answers`)
  const arrivals = await sandboxClient(sandboxFinder(dataDir)).arrivals()
  if (arrivals !== null) return good(`${url} and the sandbox answer; the supervisor is process ${owner}`)
  const advice = 'Restart Beckon: pushes of brands without credentials do not arrive.'
  return bad('the sandbox does not answer', advice)
}
