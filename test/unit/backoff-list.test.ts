import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterFailure,
  afterSuccess,
  BackoffList,
  HEALTHY,
  type Trouble,
  type TroubleState,
  troubleState,
} from '../../src/runtime/loop/backoff-list.ts'
import { runLoop } from '../../src/runtime/loop/run.ts'
import { FakeTime } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

/** A loop over two items, of which `bad` fails a few times; it gives when each was tried, and what was logged. */
async function runTwo(failures: number) {
  const time = new FakeTime()
  const stop = new AbortController()
  const log = memoryLog()
  const failed = new BackoffList<string>({ nameOf: (item) => `the ${item} one`, time })
  const tries: { readonly item: string; readonly at: number }[] = []
  const left = new Set(['bad', 'good'])
  const running = runLoop(
    {
      name: 'two',
      claim: async () => [...left].filter((item) => !failed.waiting().includes(item)).slice(0, 1),
      work: async (item) => {
        tries.push({ item, at: time.elapsed() })
        if (item === 'bad' && tries.filter((one) => one.item === 'bad').length <= failures)
          throw new Error('bad')
        left.delete(item)
      },
      settle: async () => undefined,
      lease: null,
      failed,
      concurrency: 1,
      idle: { minMs: 10, maxMs: 10 },
    },
    {
      signal: stop.signal,
      log,
      meters: {
        items: () => undefined,
        seconds: () => undefined,
        claimSeconds: () => undefined,
        waitSeconds: () => undefined,
      },
      time,
    },
  )
  await time.pass(10_000)
  stop.abort()
  await running
  const triedAt = (wanted: string) => tries.flatMap(({ item, at }) => (item === wanted ? [at] : []))
  return { bad: triedAt('bad'), good: triedAt('good'), lines: log.lines }
}

test('nobody waits for what failed without a lease', async () => {
  const { good } = await runTwo(3)
  assert.deepEqual(good, [0])
})

test('what failed without a lease is tried again, each time later', async () => {
  const { bad } = await runTwo(3)
  const waits = bad.slice(1).map((at, index) => at - (bad[index] ?? 0))
  assert.deepEqual(waits, [200, 400, 800])
})

test('the log names what failed without a lease', async () => {
  const { lines } = await runTwo(1)
  const said = lines.filter(({ message }) => message === 'work failed')
  assert.deepEqual(
    said.map(({ fields }) => fields['item']),
    ['the bad one'],
  )
})

const NOW = 1_000
const STATES: Readonly<Record<TroubleState, Trouble>> = {
  healthy: HEALTHY,
  failing: { failures: 2, waitUntil: NOW - 1 },
  waiting: { failures: 2, waitUntil: NOW + 500 },
}
const EVENTS = {
  'a failure': (trouble: Trouble) => afterFailure(trouble, { now: NOW, delayMs: 0 }),
  'a failure with a delay': (trouble: Trouble) => afterFailure(trouble, { now: NOW, delayMs: 100 }),
  'a success': (trouble: Trouble) => afterSuccess(trouble),
}

/** The table above `BackoffList`. */
const TABLE: readonly [TroubleState, keyof typeof EVENTS, TroubleState, Trouble][] = [
  ['healthy', 'a failure', 'failing', { failures: 1, waitUntil: NOW }],
  ['healthy', 'a failure with a delay', 'waiting', { failures: 1, waitUntil: NOW + 100 }],
  ['healthy', 'a success', 'healthy', HEALTHY],
  ['failing', 'a failure', 'failing', { failures: 3, waitUntil: NOW }],
  ['failing', 'a failure with a delay', 'waiting', { failures: 3, waitUntil: NOW + 100 }],
  ['failing', 'a success', 'healthy', { failures: 0, waitUntil: NOW - 1 }],
  ['waiting', 'a failure', 'waiting', { failures: 3, waitUntil: NOW + 500 }],
  ['waiting', 'a failure with a delay', 'waiting', { failures: 3, waitUntil: NOW + 500 }],
  ['waiting', 'a success', 'waiting', { failures: 0, waitUntil: NOW + 500 }],
]

for (const [state, event, next, trouble] of TABLE)
  test(`a ${state} item is ${next} after ${event}`, () => {
    assert.equal(troubleState(STATES[state], NOW), state)
    const after = EVENTS[event](STATES[state])
    assert.deepEqual(after, trouble)
    assert.equal(troubleState(after, NOW), next)
  })

test('a wait ends by itself: the item is failing then, or healthy after a success', () => {
  const { waiting } = STATES
  assert.equal(troubleState(waiting, waiting.waitUntil), 'failing')
  assert.equal(troubleState(afterSuccess(waiting), waiting.waitUntil), 'healthy')
})

test('a list forgets an item that is healthy, and the oldest of too many', async () => {
  const time = new FakeTime()
  const list = new BackoffList<string>({ nameOf: (item) => item, delayMs: () => 100, itemsMax: 2, time })
  for (const item of ['one', 'two', 'three']) list.fail(item)
  assert.deepEqual(list.waiting(), ['two', 'three'])
  list.succeed('two')
  assert.deepEqual([list.failuresOf('two'), list.waitMs('two')], [0, 100])
  await time.pass(100)
  assert.deepEqual(list.waiting(), [])
  list.succeed('two')
  list.succeed('three')
  assert.equal(list.isEmpty, true)
})
