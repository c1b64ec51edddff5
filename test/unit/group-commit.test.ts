import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupCommit } from '../../src/runtime/limits/group-commit.ts'
import { QueueFull } from '../../src/runtime/limits/limiter.ts'

type Batch = {
  readonly key: number
  readonly items: readonly number[]
  readonly end: (cause?: Error) => void
}

type Bounds = {
  readonly batchesMax?: number
  readonly keyBatchesMax?: number
  readonly waitingWeightMax?: number
}

/** Batches that end when the test says so. An item is its own weight. */
function open(options: Bounds = {}) {
  const batches: Batch[] = []
  const group = new GroupCommit<number, number, string>({
    commit: async (key, items) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      batches.push({ key, items, end: (cause) => (cause === undefined ? resolve() : reject(cause)) })
      await promise
      return items.map((item) => `done ${item}`)
    },
    isUndone: (cause) => cause instanceof Error && cause.message === 'undone',
    weightOf: (item) => item,
    batchWeightMax: 10,
    batchesMax: 2,
    besideWeightsMin: [5, 8],
    waitingWeightMax: 100,
    ...options,
  })
  return { batches, group }
}

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('a lone item goes at once, and what comes while it runs shares the next batch', async () => {
  const { batches, group } = open()
  const all = [1, 1, 1, 1].map(async (item) => group.submit(7, item))
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1]],
  )
  batches[0]?.end()
  await settle()
  assert.deepEqual(batches[1]?.items, [1, 1, 1])
  batches[1]?.end()
  assert.deepEqual(await Promise.all(all), ['done 1', 'done 1', 'done 1', 'done 1'])
})

test('a second batch runs beside the first when there is enough for one', async () => {
  const { batches, group } = open()
  void group.submit(7, 4)
  void group.submit(7, 4)
  assert.equal(batches.length, 1)
  void group.submit(7, 1)
  assert.deepEqual(batches[1]?.items, [4, 1])
})

test('a third batch wants more than the second did', async () => {
  const { batches, group } = open({ batchesMax: 4 })
  for (const item of [1, 5, 5]) void group.submit(7, item)
  assert.equal(batches.length, 2)
  void group.submit(7, 3)
  assert.deepEqual(batches[2]?.items, [5, 3])
  void group.submit(7, 8)
  assert.deepEqual(batches[3]?.items, [8])
})

test('a batch takes no more than it may, but one heavy item goes alone', async () => {
  const { batches, group } = open({ batchesMax: 1 })
  for (const item of [1, 6, 3, 2, 50]) void group.submit(7, item)
  batches[0]?.end()
  await settle()
  assert.deepEqual(batches[1]?.items, [6, 3])
  batches[1]?.end()
  await settle()
  assert.deepEqual(batches[2]?.items, [2])
  batches[2]?.end()
  await settle()
  assert.deepEqual(batches[3]?.items, [50])
})

test('keys take turns', async () => {
  const { batches, group } = open({ batchesMax: 1 })
  for (const item of [1, 9, 9]) void group.submit(1, item)
  void group.submit(2, 1)
  batches[0]?.end()
  await settle()
  batches[1]?.end()
  await settle()
  assert.deepEqual(
    batches.map(({ key }) => key),
    [1, 1, 2],
  )
})

test('when a batch was undone, each item is committed alone and only the item to blame fails', async () => {
  const { batches, group } = open({ batchesMax: 1 })
  void group.submit(7, 1)
  const pair = Promise.allSettled([group.submit(7, 2), group.submit(7, 3)])
  batches[0]?.end()
  await settle()
  batches[1]?.end(new Error('undone'))
  await settle()
  batches[2]?.end()
  await settle()
  batches[3]?.end(new Error('undone'))
  const [good, bad] = await pair
  assert.equal(good.status, 'fulfilled')
  assert.equal(bad.status, 'rejected')
})

test('a batch that may have been committed is not tried again', async () => {
  const { batches, group } = open({ batchesMax: 1 })
  void group.submit(7, 1)
  const pair = Promise.allSettled([group.submit(7, 2), group.submit(7, 3)])
  batches[0]?.end()
  await settle()
  batches[1]?.end(new Error('the connection broke'))
  assert.deepEqual(
    (await pair).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(batches.length, 2)
})

test('more than may wait is refused at once', async () => {
  const { group } = open({ batchesMax: 1, waitingWeightMax: 10 })
  void group.submit(7, 1)
  void group.submit(7, 8)
  await assert.rejects(group.submit(7, 3), QueueFull)
  void group.submit(7, 2)
})

test('a busy key leaves a batch for another, however much of it waits', async () => {
  const { batches, group } = open({ batchesMax: 3, keyBatchesMax: 2 })
  const all = [10, 10, 10, 10].map(async (item) => group.submit(7, item))
  assert.deepEqual(
    batches.map(({ key }) => key),
    [7, 7],
  )
  all.push(group.submit(8, 1))
  assert.deepEqual(
    batches.map(({ key }) => key),
    [7, 7, 8],
  )
  for (let at = 0; at < 5; at += 1) {
    batches[at]?.end()
    await settle()
  }
  assert.equal((await Promise.all(all)).length, 5)
})
