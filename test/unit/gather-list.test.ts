import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatherList } from '../../src/runtime/loop/gather-list.ts'

function openList() {
  const time = { now: 0 }
  return { time, list: new GatherList<number>({ waitMs: 100, elapsed: () => time.now }) }
}

test('an item waits from its first work on, is left out meanwhile, and is taken when the wait is over', () => {
  const { time, list } = openList()
  assert.deepEqual(list.take([1], 10), [])
  time.now = 99
  assert.deepEqual(list.leftOut(), [1])
  assert.deepEqual(list.take([1, 2], 10), [])
  time.now = 100
  assert.deepEqual(list.leftOut(), [2])
  assert.deepEqual(list.take([1], 10), [1])
})

test('an item at work is left out, and waits again after its work was done', async () => {
  const { time, list } = openList()
  list.take([1], 10)
  time.now = 100
  list.take([1], 10)
  const work = Promise.withResolvers<boolean>()
  const running = list.run(1, async () => work.promise)
  time.now = 1_000
  assert.deepEqual(list.leftOut(), [1])
  work.resolve(false)
  await running
  assert.deepEqual(list.leftOut(), [])
  assert.deepEqual(list.take([1], 10), [])
  assert.deepEqual(list.leftOut(), [1])
})

test('an item with more to do, or whose work failed, is due at once', async () => {
  const { time, list } = openList()
  list.take([1, 2], 10)
  time.now = 100
  list.take([1, 2], 10)
  await list.run(1, async () => true)
  await assert.rejects(
    list.run(2, async () => {
      throw new Error('failed')
    }),
  )
  assert.deepEqual(list.leftOut(), [])
  assert.deepEqual(list.take([1, 2], 10), [1, 2])
})

test('items that are due beyond the limit are taken later', () => {
  const { time, list } = openList()
  list.take([1, 2, 3], 1)
  time.now = 100
  assert.deepEqual(list.take([1, 2, 3], 1), [1])
  assert.deepEqual(list.leftOut(), [1])
  assert.deepEqual(list.take([2, 3], 2), [2, 3])
})
