import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { memoryLog } from '../support/memory-log.ts'
import { placeOf } from '../support/object-store/place.ts'
import { until } from '../support/until.ts'

/** Gives each object once it is let through. */
class GatedStore extends S3Store {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  gate(path: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(path) ?? Promise.withResolvers<void>()
    this.#gates.set(path, gate)
    return gate
  }

  override async fetch(...[path, file]: Parameters<S3Store['fetch']>): ReturnType<S3Store['fetch']> {
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

test('a copy that two questions wait for stays in use when the first of them ends last', async () => {
  const content = { bytes: 1, sha256: '' }
  const [shared, slow] = [
    { path: 'brand=1/shared', ...content },
    { path: 'brand=1/slow', ...content },
  ] as const
  const { signal } = new AbortController()
  const usedAt = async (): Promise<number> => (await stat(join(folder, shared.path))).mtimeMs
  const begunAt = Date.now()
  const first = cache.hold([shared, slow], signal)
  await until(async () => Date.now() > begunAt + 1, { what: 'a later time' })
  const second = cache.hold([shared], signal)
  store.gate(shared.path).resolve()
  await second
  const secondAt = await usedAt()
  store.gate(slow.path).resolve()
  const held = await first
  assert.equal(await usedAt(), secondAt)
  await cache.release(held)
  assert.equal(await usedAt(), secondAt, 'the second question reads it')
  await cache.release(await second)
  assert.ok((await usedAt()) < begunAt, 'its room is free')
})
