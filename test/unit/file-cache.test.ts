import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { FileCache, type WantedFile } from '../../src/intake/event-files/file-cache.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { memoryLog } from '../support/memory-log.ts'
import { placeOf } from '../support/object-store/place.ts'
import { until } from '../support/until.ts'

/** Gives each object once it is let through. */
class GatedStore extends S3Store {
  readonly asked = new Set<string>()
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  gate(path: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(path) ?? Promise.withResolvers<void>()
    this.#gates.set(path, gate)
    return gate
  }

  override async fetch(...[path, file]: Parameters<S3Store['fetch']>): ReturnType<S3Store['fetch']> {
    this.asked.add(path)
    await this.gate(path).promise
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'x')
  }
}

const folder = await mkdtemp(join(tmpdir(), 'beckon-cache-'))
const store = new GatedStore(placeOf('http://127.0.0.1:1'))
const cache = new FileCache({ folder, bytesMax: 1e6, store, outage: new StoreOutage(memoryLog()) })
after(async () => {
  cache.close()
  await rm(folder, { recursive: true })
})

const CONTENT = { bytes: 1, sha256: '' }
const { signal } = new AbortController()

async function usedAtOf({ path }: { readonly path: string }): Promise<number> {
  return (await stat(join(folder, path))).mtimeMs
}

/**
 * Two questions that hold the files, the second a moment after the first, which fetches what both want. The first begins between `begunAt`
 * and `heldAt`, which may be more than a millisecond apart.
 */
async function holdBoth(firstFiles: readonly WantedFile[], secondFiles: readonly WantedFile[]) {
  const begunAt = Date.now()
  const first = cache.hold(firstFiles, signal)
  const heldAt = Date.now()
  const isLater = (): boolean =>
    Date.now() > heldAt + 1 && firstFiles.every(({ path }) => store.asked.has(path))
  await until(async () => isLater(), { what: 'the fetch of the first question, and a later time' })
  return { begunAt, first, second: cache.hold(secondFiles, signal) }
}

test('a copy that two questions wait for stays in use when the first of them ends last', async () => {
  const [shared, slow] = [
    { path: 'brand=1/shared', ...CONTENT },
    { path: 'brand=1/slow', ...CONTENT },
  ] as const
  const { begunAt, first, second } = await holdBoth([shared, slow], [shared])
  store.gate(shared.path).resolve()
  await second
  const secondAt = await usedAtOf(shared)
  store.gate(slow.path).resolve()
  const held = await first
  assert.equal(await usedAtOf(shared), secondAt)
  await cache.release(held)
  assert.equal(await usedAtOf(shared), secondAt, 'the second question reads it')
  await cache.release(await second)
  const usedAt = await usedAtOf(shared)
  assert.ok(usedAt >= begunAt && usedAt < secondAt, 'it counts as used by the first question')
})

test('a copy that two questions wait for stays in use when the second of them ends first', async () => {
  // The fetch may end while the second question is still making room, or later.
  for (let round = 0; round < 30; round += 1) {
    const shared = { path: `brand=1/both-${round}`, ...CONTENT }
    const { begunAt, first, second } = await holdBoth([shared], [shared])
    store.gate(shared.path).resolve()
    const [firstHeld, secondHeld] = await Promise.all([first, second])
    await cache.release(secondHeld)
    assert.ok((await usedAtOf(shared)) >= begunAt, 'the first question reads it')
    await cache.release(firstHeld)
    assert.ok((await usedAtOf(shared)) < begunAt, 'its room is free')
  }
})
