import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { cutLines, oneAhead, writeLines } from '../../src/intake/event-files/lines-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'beckon-lines-'))
after(async () => rm(folder, { recursive: true }))
const paths = [join(folder, 'a'), join(folder, 'b')]

/** The files of the folder that this process has open. Linux alone tells. */
async function openFiles(): Promise<readonly string[]> {
  const found: string[] = []
  for (const number of await readdir('/proc/self/fd')) {
    const path = await readlink(`/proc/self/fd/${number}`).catch(() => '')
    if (path.startsWith(folder)) found.push(path)
  }
  return found
}

async function* lines(count: number, failsAt = -1): AsyncGenerator<Buffer> {
  for (let place = 0; place < count; place += 1) {
    if (place === failsAt) throw new Error('the copy broke')
    yield Buffer.from(`line ${place}\n`)
  }
}

const isLinux = process.platform === 'linux'

test('lines are cut into files at line ends, and lose nothing', async () => {
  const texts: string[] = []
  for await (const path of cutLines(lines(5), { paths, bytesMax: 14 }))
    texts.push(await readFile(path, 'utf8'))
  assert.deepEqual(texts, ['line 0\nline 1\n', 'line 2\nline 3\n', 'line 4\n'])
})

test('a copy that breaks leaves no file open', { skip: !isLinux }, async () => {
  await assert.rejects(Array.fromAsync(cutLines(lines(9, 5), { paths, bytesMax: 14 })), /the copy broke/)
  await assert.rejects(writeLines(lines(9, 5), paths[0] ?? ''), /the copy broke/)
  assert.deepEqual(await openFiles(), [])
})

test('a reader that fails leaves no file open, and ends the copy', { skip: !isLinux }, async () => {
  let hasEnded = false
  async function* copied(): AsyncGenerator<Buffer> {
    try {
      yield* lines(9)
    } finally {
      hasEnded = true
    }
  }
  const read = async (): Promise<void> => {
    for await (const path of oneAhead(cutLines(copied(), { paths, bytesMax: 14 }))) {
      throw new Error(`${path} cannot be read`)
    }
  }
  await assert.rejects(read(), /cannot be read/)
  assert.equal(hasEnded, true)
  assert.deepEqual(await openFiles(), [])
})

test('a file that cannot be written fails the copy, and not the process', async () => {
  const nowhere = join(folder, 'missing', 'a')
  await assert.rejects(writeLines(lines(2), nowhere), { code: 'ENOENT' })
})
