import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  loadSandboxSeed,
  removeDeadSandbox,
  removeSandboxFile,
  sandboxFinder,
  saveSandboxFile,
} from '../../src/delivery/sandbox/file.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'

async function place(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-sandbox-file-'))
  const desk = await openSandboxDesk()
  context.after(async () => rm(folder, { recursive: true }))
  return { folder, ...desk }
}

test('a sandbox is found as it was saved, and its draft is gone', async (context) => {
  const { folder, access, close } = await place(context)
  context.after(close)
  assert.equal(await sandboxFinder(folder)(), null)
  await saveSandboxFile(folder, access)
  assert.deepEqual(await sandboxFinder(folder)(), access)
  assert.deepEqual(await readdir(folder), ['sandbox.json'])
})

test('a finder notices within a second that the sandbox began again or ended', async (context) => {
  const { folder, access, token, close } = await place(context)
  context.after(close)
  let now = 0
  context.mock.method(performance, 'now', () => now)
  const find = sandboxFinder(folder)
  await saveSandboxFile(folder, access)
  const first = await find()
  assert.equal(first?.controlToken, token)
  await saveSandboxFile(folder, { ...access, controlToken: 'another token' })
  assert.equal(await find(), first)
  now += 1_001
  const second = await find()
  assert.equal(second?.controlToken, 'another token')
  now += 1_001
  // The same file is not read again.
  assert.equal(await find(), second)
  await removeSandboxFile(folder, 'another token')
  now += 1_001
  assert.equal(await find(), null)
})

test('only the file with the token of its own sandbox is removed', async (context) => {
  const { folder, access, token, close } = await place(context)
  context.after(close)
  await saveSandboxFile(folder, access)
  await removeSandboxFile(folder, 'the token of an earlier sandbox')
  assert.deepEqual(await readdir(folder), ['sandbox.json'])
  await removeSandboxFile(folder, token)
  assert.deepEqual(await readdir(folder), [])
  await removeSandboxFile(folder, token)
})

test('the file of a sandbox that listens stays, and that of a killed one is removed', async (context) => {
  const { folder, access, close } = await place(context)
  await removeDeadSandbox(folder)
  await saveSandboxFile(folder, access)
  await removeDeadSandbox(folder)
  assert.deepEqual(await readdir(folder), ['sandbox.json'])
  await close()
  await removeDeadSandbox(folder)
  assert.deepEqual(await readdir(folder), [])
})

test('a file that cannot be read means no sandbox', async (context) => {
  const { folder, close } = await place(context)
  context.after(close)
  for (const text of ['', 'null', '5', '{}', '{"fcmCredential": "no key"}']) {
    await writeFile(join(folder, 'sandbox.json'), text)
    assert.equal(await sandboxFinder(folder)(), null, text)
  }
})

test('a damaged seed is made anew', async (context) => {
  const { folder, close } = await place(context)
  context.after(close)
  await writeFile(join(folder, 'sandbox.seed'), 'not a seed')
  const seed = await loadSandboxSeed(folder)
  assert.equal(await readFile(join(folder, 'sandbox.seed'), 'utf8'), seed.toString('hex'))
  assert.deepEqual(await readdir(folder), ['sandbox.seed'])
})
