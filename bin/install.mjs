// Installs the locked packages when they are missing or differ from the lock file. Plain JavaScript for any
// Node from 20 on, because the Node that runs Beckon is one of the packages. Install scripts are not run:
// nothing we use needs one.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WANTS = { run: ['run', 'dev'], dev: ['dev'] }
const LOCK_STALE_MS = 10 * 60_000
const WAIT_MS = 500

const home = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(home, 'node_modules')
const stamp = join(modules, '.installed-from')
const lock = join(home, '.installing')
const want = process.argv[2] ?? 'run'
const digest = createHash('sha256')
  .update(readFileSync(join(home, 'package-lock.json')))
  .digest('hex')

if (!isInstalled()) installAlone()
if (!existsSync(join(modules, '.bin', 'node'))) {
  fail(
    `There is no pinned Node for ${process.platform} ${process.arch}. Linux and macOS on x64 and arm64 have one.`,
  )
}

function isInstalled() {
  if (!existsSync(stamp)) return false
  const [kind, from] = readFileSync(stamp, 'utf8').trim().split(' ')
  return from === digest && WANTS[want].includes(kind)
}

/** Two starts at once in one folder: the first installs, the second waits for it. */
function installAlone() {
  while (!takeLock()) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
    if (isInstalled()) return
  }
  try {
    if (!isInstalled()) install()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function takeLock() {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`Cannot write to ${home}: ${error.message}`)
  }
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (age > LOCK_STALE_MS) rmSync(lock, { recursive: true, force: true })
  return false
}

// `npm ci` would refuse a registry that lacks the packages of some other platform; `install --no-save` keeps to
// the lock file just the same and leaves it as it is.
function install() {
  process.stderr.write('Installing what is missing (once, about half a minute) ...\n')
  const only = want === 'run' ? ['--omit=dev'] : []
  try {
    execFileSync(
      'npm',
      ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...only],
      {
        cwd: home,
        stdio: ['ignore', 2, 2],
      },
    )
  } catch {
    fail('npm could not install the packages; what it said stands above.')
  }
  writeFileSync(stamp, `${want} ${digest}\n`)
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
