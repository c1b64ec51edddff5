import { once } from 'node:events'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  type AndroidCredential,
  type IosCredential,
  readAndroidCredential,
  readIosCredential,
} from '../../domain/push/credential.ts'
import { parseJson } from '../../domain/values/json.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'

/** The addresses of the sandbox providers of this machine, and the credentials that they know. */
export type SandboxAccess = {
  /** The certificate (PEM) that the providers are trusted by. */
  readonly certificate: string
  readonly fcm: { readonly origin: string; readonly tokenUrl: string; readonly credential: AndroidCredential }
  readonly apns: { readonly origin: string; readonly credential: IosCredential }
  readonly web: { readonly origin: string }
  /** The address of `SandboxControl`, which lists the messages that arrived. */
  readonly controlUrl: string
  /** `SandboxControl` answers only callers that have this token. */
  readonly controlToken: string
}

/** Finds the sandbox; null on a machine that runs none. It comes and goes with its process. */
export type FindSandbox = () => Promise<SandboxAccess | null>

/**
 * Finds the sandbox through the file that it writes to the data folder. The file is read again after a second, because
 * a sandbox that was started again has other addresses.
 */
export function sandboxFinder(dataDir: string): FindSandbox {
  const files = new TtlCache<SandboxAccess | null>({ ttlMs: FRESH_MS, capacity: 1 })
  let last: { readonly stamp: string; readonly access: SandboxAccess | null } | null = null
  const read = async (): Promise<SandboxAccess | null> => {
    const stamp = await stampOf(dataDir)
    // Reading the keys costs a hundred times a look at the file.
    if (last === null || last.stamp !== stamp) last = { stamp, access: await readAccess(dataDir) }
    return last.access
  }
  return async () => files.get(dataDir, read)
}

/** Tells two files apart. Each sandbox writes a new file. */
async function stampOf(dataDir: string): Promise<string> {
  const file = await stat(fileOf(dataDir)).catch(() => null)
  return file === null ? '' : `${file.ino} ${file.mtimeMs} ${file.size}`
}

/** The file appears whole, and only its owner may read it, because it contains the keys and the token of the sandbox. */
export async function saveSandboxFile(dataDir: string, access: SandboxAccess): Promise<void> {
  const { certificate, fcm, apns, web, controlUrl, controlToken } = access
  const written: FileFields = {
    certificate,
    fcmOrigin: fcm.origin,
    fcmTokenUrl: fcm.tokenUrl,
    fcmCredential: JSON.stringify(fcm.credential),
    apnsOrigin: apns.origin,
    apnsCredential: JSON.stringify(apns.credential),
    webOrigin: web.origin,
    controlUrl,
    controlToken,
  }
  const draft = `${fileOf(dataDir)}.${process.pid}`
  await writeFile(draft, JSON.stringify(written), { mode: 0o600 })
  await rename(draft, fileOf(dataDir))
}

/**
 * The seed of the sandbox's browsers, made at the first start. With the same seed, the browsers of an earlier sandbox go
 * on working.
 */
export async function loadSandboxSeed(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'sandbox.seed')
  const written = await readFile(path, 'utf8').catch(() => '')
  if (SEED.test(written)) return Buffer.from(written, 'hex')
  const seed = Buffer.from(randomBits(SEED_BYTES))
  const draft = `${path}.${process.pid}`
  await writeFile(draft, seed.toString('hex'), { mode: 0o600 })
  await rename(draft, path)
  return seed
}

const SEED_BYTES = 32
const SEED = /^[\da-f]{64}$/

/** Removes the file of the sandbox with this token. The file of a sandbox that was started meanwhile stays. */
export async function removeSandboxFile(dataDir: string, controlToken: string): Promise<void> {
  const access = await readAccess(dataDir)
  if (access?.controlToken === controlToken) await rm(fileOf(dataDir), { force: true })
}

/** A sandbox that was killed leaves its file behind, and messages would be sent to an address where nobody listens. */
export async function removeDeadSandbox(dataDir: string): Promise<void> {
  const access = await readAccess(dataDir)
  if (access === null || (await isListening(access.fcm.origin))) return
  await removeSandboxFile(dataDir, access.controlToken)
}

async function isListening(origin: string): Promise<boolean> {
  const { hostname: host, port } = new URL(origin)
  const socket = connect({ host, port: Number(port), timeout: LISTEN_MS })
  try {
    const isConnected = once(socket, 'connect').then(() => true)
    return await Promise.race([isConnected, once(socket, 'timeout').then(() => false)])
  } catch {
    // The connection was refused: nobody listens.
    return false
  } finally {
    socket.destroy()
  }
}

const LISTEN_MS = 1_000

type FileFields = Readonly<Record<(typeof FIELDS)[number], string>>

const FIELDS = [
  'certificate',
  'fcmOrigin',
  'fcmTokenUrl',
  'fcmCredential',
  'apnsOrigin',
  'apnsCredential',
  'webOrigin',
  'controlUrl',
  'controlToken',
] as const

const FRESH_MS = 1_000

function fileOf(dataDir: string): string {
  return join(dataDir, 'sandbox.json')
}

/** A file that is missing or cannot be read means no sandbox: no real message depends on it. */
async function readAccess(dataDir: string): Promise<SandboxAccess | null> {
  try {
    return accessOf(parseJson(await readFile(fileOf(dataDir), 'utf8')))
  } catch {
    return null
  }
}

function accessOf(value: unknown): SandboxAccess {
  const written: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {}
  const text = (name: (typeof FIELDS)[number]): string => String(written[name])
  return {
    certificate: text('certificate'),
    fcm: {
      origin: text('fcmOrigin'),
      tokenUrl: text('fcmTokenUrl'),
      credential: readAndroidCredential(text('fcmCredential')),
    },
    apns: { origin: text('apnsOrigin'), credential: readIosCredential(text('apnsCredential')) },
    web: { origin: text('webOrigin') },
    controlUrl: text('controlUrl'),
    controlToken: text('controlToken'),
  }
}
