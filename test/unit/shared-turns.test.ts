import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueFull } from '../../src/runtime/limits/limiter.ts'
import { SharedTurns } from '../../src/runtime/limits/shared-turns.ts'

type Turn = {
  readonly key: number
  readonly items: readonly number[]
  readonly end: (cause?: Error) => void
}

/** Turns that end when the test says so. An item is its own weight. */
function open(options: { readonly turnsMax?: number; readonly waitingWeightMax?: number } = {}) {
  const turns: Turn[] = []
  const shared = new SharedTurns<number, string>({
    work: async (key, items) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      turns.push({ key, items, end: (cause) => (cause === undefined ? resolve() : reject(cause)) })
      await promise
      return items.map((item) => `done ${item}`)
    },
    isUndone: (cause) => cause instanceof Error && cause.message === 'undone',
    weightOf: (item) => item,
    turnWeightMax: 10,
    turnsMax: 2,
    besideWeightsMin: [5, 8],
    waitingWeightMax: 100,
    ...options,
  })
  return { turns, shared }
}

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('a lone item goes at once, and what comes while it runs shares the next turn', async () => {
  const { turns, shared } = open()
  const all = [1, 1, 1, 1].map(async (item) => shared.submit(7, item))
  assert.deepEqual(
    turns.map(({ items }) => items),
    [[1]],
  )
  turns[0]?.end()
  await settle()
  assert.deepEqual(turns[1]?.items, [1, 1, 1])
  turns[1]?.end()
  assert.deepEqual(await Promise.all(all), ['done 1', 'done 1', 'done 1', 'done 1'])
})

test('a second turn runs beside the first when there is enough for one', async () => {
  const { turns, shared } = open()
  void shared.submit(7, 4)
  void shared.submit(7, 4)
  assert.equal(turns.length, 1)
  void shared.submit(7, 1)
  assert.deepEqual(turns[1]?.items, [4, 1])
})

test('a third turn wants more than the second did', async () => {
  const { turns, shared } = open({ turnsMax: 4 })
  for (const item of [1, 5, 5]) void shared.submit(7, item)
  assert.equal(turns.length, 2)
  void shared.submit(7, 3)
  assert.deepEqual(turns[2]?.items, [5, 3])
  void shared.submit(7, 8)
  assert.deepEqual(turns[3]?.items, [8])
})

test('a turn takes no more than it may, but one heavy item goes alone', async () => {
  const { turns, shared } = open({ turnsMax: 1 })
  for (const item of [1, 6, 3, 2, 50]) void shared.submit(7, item)
  turns[0]?.end()
  await settle()
  assert.deepEqual(turns[1]?.items, [6, 3])
  turns[1]?.end()
  await settle()
  assert.deepEqual(turns[2]?.items, [2])
  turns[2]?.end()
  await settle()
  assert.deepEqual(turns[3]?.items, [50])
})

test('keys take turns', async () => {
  const { turns, shared } = open({ turnsMax: 1 })
  for (const item of [1, 9, 9]) void shared.submit(1, item)
  void shared.submit(2, 1)
  turns[0]?.end()
  await settle()
  turns[1]?.end()
  await settle()
  assert.deepEqual(
    turns.map(({ key }) => key),
    [1, 1, 2],
  )
})

test('when shared work was undone, each is tried alone and only the one to blame is told', async () => {
  const { turns, shared } = open({ turnsMax: 1 })
  void shared.submit(7, 1)
  const pair = Promise.allSettled([shared.submit(7, 2), shared.submit(7, 3)])
  turns[0]?.end()
  await settle()
  turns[1]?.end(new Error('undone'))
  await settle()
  turns[2]?.end()
  await settle()
  turns[3]?.end(new Error('undone'))
  const [good, bad] = await pair
  assert.equal(good.status, 'fulfilled')
  assert.equal(bad.status, 'rejected')
})

test('work that may have been done is not tried again', async () => {
  const { turns, shared } = open({ turnsMax: 1 })
  void shared.submit(7, 1)
  const pair = Promise.allSettled([shared.submit(7, 2), shared.submit(7, 3)])
  turns[0]?.end()
  await settle()
  turns[1]?.end(new Error('the connection broke'))
  assert.deepEqual(
    (await pair).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(turns.length, 2)
})

test('more than may wait is refused at once', async () => {
  const { shared } = open({ turnsMax: 1, waitingWeightMax: 10 })
  void shared.submit(7, 1)
  void shared.submit(7, 8)
  await assert.rejects(shared.submit(7, 3), QueueFull)
  void shared.submit(7, 2)
})
