import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import type { Frame } from '../../src/runtime/archive/frame.ts'
import { readArchive } from '../../src/runtime/archive/read.ts'
import { writeArchive } from '../../src/runtime/archive/write.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beckon-archive-'))
})
after(async () => rm(folder, { recursive: true, force: true }))

const frames: fc.Arbitrary<readonly Frame[]> = fc.array(
  fc.oneof(
    fc.jsonValue().map((value) => ({ kind: 'note' as const, value: JSON.parse(JSON.stringify(value)) })),
    fc
      .uint8Array({ maxLength: 100_000 })
      .map((bytes) => ({ kind: 'bytes' as const, bytes: Buffer.from(bytes) })),
  ),
  { maxLength: 20 },
)

async function save(given: readonly Frame[]): Promise<string> {
  const file = join(folder, 'any.archive')
  async function* each(): AsyncGenerator<Frame> {
    yield* given
  }
  await writeArchive(file, each())
  return file
}

test('what is written is what is read', async () => {
  await fc.assert(
    fc.asyncProperty(frames, async (given) => {
      const file = await save(given)
      assert.deepEqual(await Array.fromAsync(readArchive(file)), given)
    }),
    { numRuns: 50 },
  )
})

test('a folder that is not there is named', async () => {
  const absent = join(folder, 'absent')
  const written = writeArchive(join(absent, 'any.archive'), (async function* () {})())
  await assert.rejects(written, { message: `The folder ${absent} does not exist.` })
})

test('no part of an archive is taken for a whole one, and no changed byte goes unnoticed', async () => {
  await fc.assert(
    fc.asyncProperty(
      frames,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      async (given, where, flip) => {
        const file = await save(given)
        const bytes = await readFile(file)
        const place = Math.min(Math.floor(where * bytes.length), bytes.length - 1)
        await writeFile(file, bytes.subarray(0, place))
        const cut = await Array.fromAsync(readArchive(file)).catch((cause: unknown) => {
          assert.match(String(cause), /damaged|is not a backup/)
          return null
        })
        // The file may end with an empty frame of zstd. Without it everything is still there, sealed and right.
        if (cut !== null) assert.deepEqual(cut, given)
        bytes.writeUInt8(bytes.readUInt8(place) ^ flip, place)
        await writeFile(file, bytes)
        const read = await Array.fromAsync(readArchive(file)).catch(() => null)
        // A few bits of a zstd frame mean nothing (unused descriptor bits); what is read is right or refused.
        if (read !== null) assert.deepEqual(read, given)
      },
    ),
    { numRuns: 100 },
  )
})
