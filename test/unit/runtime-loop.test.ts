import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease, Loop, LoopContext } from '../../src/runtime/loop/loop.ts'
import { runLoop } from '../../src/runtime/loop/run.ts'
import { Wake } from '../../src/runtime/loop/wake.ts'
import { FakeTime, settled } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

const LEASE_MS = 30_000

/** A loop over numbered items in memory, with everything it did written down. */
function bench(parts: Partial<Loop<number, string>> & { readonly lease?: Lease<number> | null } = {}) {
  const time = new FakeTime()
  const stop = new AbortController()
  const wake = new Wake()
  const wakes = new Map([['work', wake]])
  const log = memoryLog()
  const queue: number[] = []
  const asked: number[] = []
  const settledItems: number[] = []
  const released: number[] = []
  const renewed: number[][] = []
  const counts = new Map<string, number>()
  const lease: Lease<number> = {
    ms: LEASE_MS,
    idOf: (item) => item,
    renew: async (items) => {
      renewed.push([...items])
      return items
    },
    release: async (items) => {
      released.push(...items)
    },
  }
  const loop: Loop<number, string> = {
    name: 'bench',
    claim: async (count) => {
      asked.push(count)
      return queue.splice(0, count)
    },
    work: async (item) => `did ${item}`,
    settle: async (item) => {
      settledItems.push(item)
    },
    lease,
    concurrency: 2,
    idle: { minMs: 100, maxMs: 1_000 },
    wakeOn: 'work',
    ...parts,
  }
  const meters: LoopContext['meters'] = {
    items: ({ outcome }, by) => void counts.set(outcome, (counts.get(outcome) ?? 0) + by),
    seconds: () => undefined,
    claimSeconds: () => undefined,
    waitSeconds: () => undefined,
  }
  const done = { isTrue: false }
  const start = async (): Promise<void> => {
    await runLoop(loop, { signal: stop.signal, log, meters, wakes, time, graceMs: 5_000 })
    done.isTrue = true
  }
  return { time, stop, wake, log, queue, asked, settledItems, released, renewed, counts, lease, start, done }
}

test('every claimed item is worked on and settled, never more at once than the concurrency', async () => {
  let atOnce = 0
  let most = 0
  const b = bench({
    work: async (_, signal) => {
      most = Math.max(most, ++atOnce)
      await b.time.sleep(10, signal)
      atOnce -= 1
      return ''
    },
  })
  b.queue.push(1, 2, 3, 4, 5)
  const ended = b.start()
  await b.time.pass(50)
  assert.deepEqual(
    b.settledItems.toSorted((one, other) => one - other),
    [1, 2, 3, 4, 5],
  )
  assert.equal(most, 2)
  assert.equal(Math.max(...b.asked), 2)
  assert.deepEqual(Object.fromEntries(b.counts), { claimed: 5, settled: 5 })
  b.stop.abort()
  await ended
})

test('work that leaves its place lets another begin, so many times and no more, and is settled all the same', async () => {
  const gate = Promise.withResolvers<string>()
  const leave: Loop<number, string>['work'] = async (_, __, place) => {
    place.leave()
    return gate.promise
  }
  const b = bench({ awayMax: 3, work: leave })
  b.queue.push(1, 2, 3, 4, 5, 6, 7, 8)
  const running = b.start()
  await settled()
  assert.deepEqual(b.queue, [6, 7, 8])
  b.stop.abort()
  gate.resolve('done')
  await running
  assert.equal(b.settledItems.length, 5)
})

test('an idle loop asks less and less often, up to the bound', async () => {
  const b = bench({ lease: null })
  const ended = b.start()
  await b.time.pass(5_000)
  assert.deepEqual(b.time.asked.slice(0, 6), [100, 200, 400, 800, 1_000, 1_000])
  b.stop.abort()
  await ended
})

test('a nudge ends the idle wait at once and makes the next waits short again', async () => {
  const b = bench({ lease: null })
  const ended = b.start()
  await b.time.pass(2_000)
  b.queue.push(7)
  b.wake.nudge()
  await settled()
  assert.deepEqual(b.settledItems, [7])
  assert.equal(b.time.asked.at(-1), 100)
  b.stop.abort()
  await ended
})

test('a failing claim is tried again with growing waits, logged, and forgotten after a success', async () => {
  let failures = 3
  const b = bench({
    lease: null,
    claim: async () => {
      if (failures-- > 0) throw new Error('no database')
      return []
    },
  })
  const ended = b.start()
  await b.time.pass(1_500)
  assert.deepEqual(b.time.asked.slice(0, 4), [200, 400, 800, 100])
  assert.equal(b.log.lines.filter(({ message }) => message === 'claim failed').length, 3)
  b.stop.abort()
  await ended
})

test('an item whose work throws keeps its lease, is counted, and the others go on', async () => {
  const b = bench({
    work: async (item) => {
      if (item === 1) throw new Error('poison')
      return ''
    },
  })
  b.queue.push(1, 2, 3, 4)
  const ended = b.start()
  await b.time.pass(1_000)
  assert.deepEqual(b.settledItems, [2, 3, 4])
  assert.deepEqual(b.released, [])
  assert.equal(b.counts.get('failed'), 1)
  b.stop.abort()
  await ended
})

test('work that always throws is slowed down', async () => {
  const b = bench({
    lease: null,
    concurrency: 1,
    claim: async () => [1],
    work: async () => {
      throw new Error('broken')
    },
  })
  const ended = b.start()
  await b.time.pass(10_000)
  assert.deepEqual(b.time.asked.slice(0, 5), [200, 400, 800, 1_600, 3_200])
  b.stop.abort()
  await ended
})

test('a settle that fails is tried again, and the work is not repeated', async () => {
  let works = 0
  let tries = 0
  const b = bench({
    work: async () => {
      works += 1
      return ''
    },
    settle: async () => {
      tries += 1
      if (tries < 3) throw new Error('connection reset')
    },
  })
  b.queue.push(1)
  const ended = b.start()
  await b.time.pass(2_000)
  assert.deepEqual([works, tries], [1, 3])
  assert.equal(b.counts.get('settled'), 1)
  b.stop.abort()
  await ended
})

test('leases are renewed while work goes on, and no longer', async () => {
  const gate = Promise.withResolvers<string>()
  const b = bench({ work: async () => gate.promise })
  b.queue.push(1)
  const ended = b.start()
  await b.time.pass(25_000)
  assert.deepEqual(b.renewed, [[1], [1]])
  gate.resolve('')
  await b.time.pass(LEASE_MS)
  assert.equal(b.renewed.length, 2)
  b.stop.abort()
  await ended
})

test('work whose lease went to somebody else is aborted and never settled', async () => {
  const b = bench({
    work: async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'finished anyway'
    },
    lease: { ms: LEASE_MS, idOf: (item) => item, renew: async () => [], release: async () => undefined },
  })
  b.queue.push(1)
  const ended = b.start()
  await b.time.pass(LEASE_MS)
  assert.deepEqual(b.settledItems, [])
  assert.equal(b.counts.get('lost'), 1)
  b.stop.abort()
  await ended
})

test('work whose lease could not be renewed in time is aborted, but not before', async () => {
  const aborted: number[] = []
  const b = bench({
    work: async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      aborted.push(b.time.elapsed())
      throw new Error('aborted')
    },
    lease: {
      ms: LEASE_MS,
      idOf: (item) => item,
      renew: async () => {
        throw new Error('no database')
      },
      release: async () => undefined,
    },
  })
  b.queue.push(1)
  const ended = b.start()
  await b.time.pass(LEASE_MS - 1)
  assert.deepEqual(aborted, [])
  await b.time.pass(1)
  assert.deepEqual(aborted, [LEASE_MS])
  b.stop.abort()
  await ended
})

test('on abort nothing new is claimed, work that ends is settled, work that throws is given back', async () => {
  const first = Promise.withResolvers<string>()
  const b = bench({
    work: async (item, signal) => {
      if (item === 1) return first.promise
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw new Error('stopped early')
    },
  })
  b.queue.push(1, 2, 3)
  const ended = b.start()
  await b.time.pass(10)
  b.stop.abort()
  await settled()
  assert.equal(b.done.isTrue, false)
  assert.deepEqual(b.released, [2])
  first.resolve('')
  await ended
  assert.deepEqual(b.settledItems, [1])
  assert.deepEqual(b.queue, [3])
})

test('work that outlasts the grace is given back, and its late result is not written', async () => {
  const gate = Promise.withResolvers<string>()
  const b = bench({ work: async () => gate.promise })
  b.queue.push(1)
  const ended = b.start()
  await b.time.pass(10)
  b.stop.abort()
  await b.time.pass(4_999)
  assert.equal(b.done.isTrue, false)
  await b.time.pass(1)
  await ended
  assert.deepEqual(b.released, [1])
  gate.resolve('too late')
  await settled()
  assert.deepEqual(b.settledItems, [])
})

test('items that a claim brings after the abort are given back untouched', async () => {
  const claim = Promise.withResolvers<readonly number[]>()
  const b = bench({ claim: async () => claim.promise })
  const ended = b.start()
  await settled()
  b.stop.abort()
  claim.resolve([1, 2])
  await ended
  assert.deepEqual(b.released, [1, 2])
  assert.deepEqual(b.settledItems, [])
})

test('a loop that is told to stop before it begins claims nothing', async () => {
  const b = bench()
  b.stop.abort()
  await b.start()
  assert.deepEqual(b.asked, [])
})
