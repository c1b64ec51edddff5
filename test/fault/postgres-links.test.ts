import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repairLinks } from '../../src/runtime/postgres/links.ts'

const LINKS = [
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
  { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
]

/** A package as npm leaves it where install scripts are blocked. */
async function onPackage(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-links-'))
  try {
    await mkdir(join(folder, 'native/lib'), { recursive: true })
    await writeFile(join(folder, 'native/lib/libpq.so.5.18'), 'library')
    await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(LINKS))
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function linksIn(folder: string): Promise<unknown> {
  const names = await readdir(join(folder, 'native/lib'))
  const pairs = names.map(async (name) => [
    name,
    await readlink(join(folder, 'native/lib', name)).catch(() => null),
  ])
  return Object.fromEntries(await Promise.all(pairs))
}

const WHOLE = { 'libpq.so': 'libpq.so.5.18', 'libpq.so.5': 'libpq.so.5.18', 'libpq.so.5.18': null }

test('library links that an install script did not make are made', async () => {
  await onPackage(async (folder) => {
    await repairLinks(folder)
    assert.deepEqual(await linksIn(folder), WHOLE)
  })
})

test('a link that leads elsewhere is put right', async () => {
  await onPackage(async (folder) => {
    await symlink('libpq.so.4', join(folder, 'native/lib/libpq.so'))
    await writeFile(join(folder, 'native/lib/libpq.so.5'), 'a copy')
    await repairLinks(folder)
    assert.deepEqual(await linksIn(folder), WHOLE)
  })
})

test('many starts at once make the links whole and leave nothing else', async () => {
  await onPackage(async (folder) => {
    await Promise.all(Array.from({ length: 20 }, async () => repairLinks(folder)))
    assert.deepEqual(await linksIn(folder), WHOLE)
  })
})

const isRoot = process.getuid?.() === 0

test('a package folder that cannot be written is named', {
  skip: isRoot && 'root may write everywhere',
}, async () => {
  await onPackage(async (folder) => {
    await chmod(join(folder, 'native/lib'), 0o555)
    await assert.rejects(
      repairLinks(folder),
      /library link libpq\.so is missing .* run npm install as the owner/,
    )
    await chmod(join(folder, 'native/lib'), 0o755)
  })
})
