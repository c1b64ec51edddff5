import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache, TtlCache } from '../../src/runtime/limits/cache.ts'

test('a full cache drops the oldest entry that was not read since', () => {
  const cache = new BoundedCache<string, number>({ capacity: 3 })
  for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at)
  assert.equal(cache.get('a'), 0)
  cache.set('d', 3)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('d')], [0, undefined, 2, 3])
  assert.equal(cache.size, 3)
})

test('a new entry is kept also where every other entry is in use', () => {
  const cache = new BoundedCache<string, number>({ capacity: 2 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.get('b')
  cache.set('c', 3)
  assert.equal(cache.get('c'), 3)
  assert.equal(cache.size, 2)
})

test('values count what they weigh, also when they are replaced; a value heavier than all is not kept', () => {
  const cache = new BoundedCache<string, string>({ capacity: 10, weightOf: ({ length }) => length })
  cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  cache.set('b', 'xxxxxx')
  assert.equal(cache.size, 2)
  cache.set('b', 'xxxxxxx')
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 'xxxxxxx'])
  cache.set('b', 'x'.repeat(11))
  assert.equal(cache.size, 0)
})

test('a value is good until its time is over, whichever way the clock goes', () => {
  let now = 100
  const cache = new BoundedCache<string, string>({ capacity: 9, ttlMs: 10, now: () => now })
  cache.set('a', 'new')
  cache.set('b', 'late', 95)
  now = 105
  assert.deepEqual([cache.get('a'), cache.get('b')], ['new', undefined])
  now = 90
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.size, 0)
})

test('callers that ask together share one load, and a load that failed is not kept', async () => {
  let loads = 0
  const cache = new TtlCache<number>({ ttlMs: 10, now: () => 0 })
  const load = async (): Promise<number> => {
    loads += 1
    if (loads === 1) throw new Error('away')
    return loads
  }
  const first = await Promise.allSettled([cache.get('a', load), cache.get('a', load)])
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(await Promise.all([cache.get('a', load), cache.get('a', load)]), [2, 2])
  assert.equal(loads, 2)
})

test('a load is old from its question on, and one that was deleted meanwhile is not kept', async () => {
  let now = 0
  let loads = 0
  const cache = new TtlCache<number>({ ttlMs: 10, now: () => now })
  const load = async (): Promise<number> => {
    loads += 1
    now += 9
    return loads
  }
  assert.equal(await cache.get('a', load), 1)
  assert.equal(await cache.get('a', load), 1)
  now = 10
  const before = cache.get('a', load)
  cache.delete('a')
  assert.equal(await cache.get('a', load), 3)
  assert.equal(await before, 2)
  assert.equal(await cache.get('a', load), 3)
})
