import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RestList } from '../../src/runtime/loop/rest-list.ts'

function openList() {
  const time = { now: 0 }
  return { time, list: new RestList<number>({ restMs: 100, elapsed: () => time.now }) }
}

test('an item is left out while it is at work, and for a while after its work was done', async () => {
  const { time, list } = openList()
  const work = Promise.withResolvers<boolean>()
  const running = list.run(1, async () => work.promise)
  time.now = 1_000
  assert.deepEqual(list.resting(), [1])
  work.resolve(false)
  await running
  time.now = 1_099
  assert.deepEqual(list.resting(), [1])
  time.now = 1_100
  assert.deepEqual(list.resting(), [])
})

test('an item with more to do, or whose work failed, is free at once', async () => {
  const { list } = openList()
  await list.run(1, async () => true)
  await assert.rejects(
    list.run(2, async () => {
      throw new Error('failed')
    }),
  )
  assert.deepEqual(list.resting(), [])
})
