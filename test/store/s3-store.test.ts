import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import {
  ObjectStoreError,
  type ObjectStoreTrouble,
} from '../../src/runtime/object-store/object-store-error.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { placeOf } from '../support/object-store/place.ts'
import { S3_KEYS, startS3 } from '../support/object-store/s3-server.ts'

const s3 = await startS3()
const folder = await mkdtemp(join(tmpdir(), 'beckon-s3-'))
const store = new S3Store(placeOf(s3.server))
after(async () => {
  store.close()
  await s3.stop()
  await rm(folder, { recursive: true })
})

beforeEach(() => {
  s3.state.mood = 'well'
  s3.objects.clear()
})

const NAME = 'brand=3/week=2026-11-02/events-0001-5f0c9a31e7b2.parquet'
const bytes = randomBytes(300_000)
const content = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
const [made, fetched] = [join(folder, 'made'), join(folder, 'fetched')]
await writeFile(made, bytes)

function ofKind(trouble: ObjectStoreTrouble) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof ObjectStoreError)
    assert.equal(error.trouble, trouble, error.message)
    assert.ok(!JSON.stringify(error.message).includes(S3_KEYS.secret))
    return true
  }
}

test('a file is stored, listed, fetched and removed', async () => {
  await store.put(NAME, made, content)
  assert.deepEqual([...s3.objects.keys()], [`some/prefix/${NAME}`])
  assert.deepEqual(await Array.fromAsync(store.list()), [{ name: NAME, bytes: 300_000n }])
  await store.fetch(NAME, fetched, content)
  assert.deepEqual(await readFile(fetched), bytes)
  await store.remove(NAME)
  await store.remove(NAME)
  assert.deepEqual(await Array.fromAsync(store.list()), [])
  await assert.rejects(store.fetch(NAME, fetched, content), ofKind('missing'))
})

test('a list of several pages is read to its end, and names of others stay outside', async () => {
  s3.state.pageSize = 3
  for (let place = 0; place < 8; place += 1)
    s3.objects.set(`some/prefix/a & b+c ${place}`, Buffer.alloc(place))
  s3.objects.set('some/prefixed', Buffer.alloc(1))
  const found = await Array.fromAsync(store.list())
  assert.deepEqual(
    found,
    Array.from({ length: 8 }, (_, place) => ({ name: `a & b+c ${place}`, bytes: BigInt(place) })),
  )
  const whole = new S3Store(placeOf(s3.server, { prefix: '' }))
  assert.equal((await Array.fromAsync(whole.list())).length, 9)
  whole.close()
})

test('an object that is cut, short, longer or another is refused', async () => {
  await store.put(NAME, made, content)
  s3.state.mood = 'truncate'
  await assert.rejects(store.fetch(NAME, fetched, content), ofKind('damaged'))
  s3.state.mood = 'cut'
  await assert.rejects(store.fetch(NAME, fetched, content), ofKind('away'))
  s3.state.mood = 'well'
  await assert.rejects(store.fetch(NAME, fetched, { ...content, bytes: 299_999 }), ofKind('damaged'))
  await assert.rejects(store.fetch(NAME, fetched, { ...content, sha256: '00' }), ofKind('damaged'))
})

test('a store that is busy, silent or gone is away; one that forbids refuses', async () => {
  s3.state.mood = 'busy'
  await assert.rejects(store.put(NAME, made, content), ofKind('away'))
  s3.state.mood = 'forbid'
  await assert.rejects(store.put(NAME, made, content), ofKind('refused'))
  s3.state.mood = 'hang'
  const hasty = new S3Store(placeOf(s3.server, { silentMs: 50 }))
  await assert.rejects(hasty.remove(NAME), ofKind('away'))
  const short = new S3Store(placeOf(s3.server, { callMs: 50 }))
  await assert.rejects(Array.fromAsync(short.list()), ofKind('away'))
  hasty.close()
  short.close()
  const signal = AbortSignal.abort(new Error('the caller left'))
  await assert.rejects(store.fetch(NAME, fetched, { ...content, signal }), /the caller left/)
  await s3.stop()
  await assert.rejects(store.put(NAME, made, content), ofKind('away'))
  await s3.start()
})

test('wrong keys, and another bucket, are refused', async () => {
  const strange = new S3Store(placeOf(s3.server, { keys: { ...S3_KEYS, secret: 'another' } }))
  await assert.rejects(strange.put(NAME, made, content), ofKind('refused'))
  const lost = new S3Store(placeOf(s3.server, { bucket: 'elsewhere' }))
  await assert.rejects(lost.remove(NAME), ofKind('refused'))
  strange.close()
  lost.close()
})
