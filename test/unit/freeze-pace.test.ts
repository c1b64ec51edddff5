import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileEventMs, weekEventMs } from '../../src/domain/events/freeze-rests.ts'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import { FreezePace, IntakeWatch } from '../../src/intake/event-files/freeze-pace.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'

function openPace() {
  const world = { now: 0, last: 1n, isBusy: false, slept: [] as number[] }
  const time = {
    elapsed: () => world.now,
    sleep: async (ms: number) => {
      world.slept.push(ms)
      world.now += ms
    },
  }
  const { signal } = new AbortController()
  const intake = new IntakeWatch(async () => (world.isBusy ? (world.last += 1n) : world.last), time)
  const newPace = (eventMsMax = MANY): FreezePace => new FreezePace({ intake, signal, eventMsMax, time })
  const pace = newPace()
  return { world, intake, pace, newPace, work: workOf(world, pace) }
}

/** A bound that these tests never reach. */
const MANY = 1_000
/** The events of a piece. */
const PIECE = 500

/** Copies a piece of rows for some time. */
function workOf(world: { now: number }, pace: FreezePace) {
  return async (ms: number): Promise<void> => {
    async function* copy() {
      yield Buffer.from('row')
      world.now += ms
    }
    await Array.fromAsync(pace.each(copy(), () => PIECE))
  }
}

/** The rests after pieces that took so many milliseconds each, while events come in all the time. */
async function restsOf(eventMsMax: number, pieces: readonly number[]): Promise<readonly number[]> {
  const { world, newPace } = openPace()
  const work = workOf(world, newPace(eventMsMax))
  world.isBusy = true
  for (const ms of pieces) await work(ms)
  return world.slept
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

/** After these looks, no events have come in. */
async function openQuiet() {
  const opened = openPace()
  await opened.work(0)
  opened.world.now += 1_000
  await opened.work(0)
  return opened
}

test('freezing does not rest while no events come in', async () => {
  const { world, work } = await openQuiet()
  for (let piece = 0; piece < 10; piece += 1) await work(500)
  assert.deepEqual(world.slept, [])
})

test('freezing rests forty times as long as it worked while events come in, and no longer', async () => {
  const { world, work } = await openQuiet()
  await work(100)
  world.last += 1n
  world.now += 1_000
  await work(100)
  assert.deepEqual(world.slept, [4_000])
  world.last += 1n
  await work(100)
  assert.deepEqual(world.slept, [4_000, 4_000])
  world.now += 1_000
  await work(100)
  assert.deepEqual(world.slept, [4_000, 4_000])
})

test('freezing rests from its first piece on, and a new range after what others have seen', async () => {
  const { world, work, newPace } = openPace()
  await work(100)
  assert.deepEqual(world.slept, [4_000])
  world.last += 1n
  await work(100)
  world.last += 1n
  await workOf(world, newPace())(50)
  assert.deepEqual(world.slept, [4_000, 4_000, 2_000])
})

test('a long piece of work leads to a rest of ten seconds at most', async () => {
  const { world, work } = await openQuiet()
  await work(100)
  world.isBusy = true
  await work(60_000)
  assert.deepEqual(world.slept, [10_000])
})

test('rows that are copied pass unchanged, and one rest follows them, in which the time of their reader does not count', async () => {
  const { world, pace } = await openQuiet()
  world.last += 1n
  const chunks = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')]
  const copied: Buffer[] = []
  async function* copy() {
    for (const chunk of chunks) {
      world.now += 30
      yield chunk
    }
    world.now += 10
  }
  for await (const chunk of pace.each(copy(), () => PIECE)) {
    assert.deepEqual(world.slept, [])
    copied.push(chunk)
    world.now += 5_000
  }
  assert.deepEqual(copied, chunks)
  assert.deepEqual(world.slept, [4_000])
})

test('events take no longer than they may, work and rests together, and fast pieces pay for slow ones', async () => {
  const even = Array.from({ length: 100 }, () => 100)
  assert.deepEqual(
    await restsOf(2, even),
    Array.from({ length: 100 }, () => 900),
  )
  const mixed = Array.from({ length: 100 }, (_, at) => (at % 10 === 9 ? 100 : 10))
  const slept = await restsOf(2, mixed)
  assert.deepEqual(slept.slice(0, 10), [...Array.from({ length: 9 }, () => 400), 4_000])
  assert.ok(sumOf(slept) + sumOf(mixed) <= 100 * 500 * 2)
})

/** The rests after pieces that took 10 ms each, while a week with so many events is frozen. */
async function restsOfWeek(events: number): Promise<readonly number[]> {
  const pieces = Array.from({ length: 50 }, () => 10)
  return restsOf(weekEventMs(events), pieces)
}

const FULL_RESTS = Array.from({ length: 50 }, () => 400)

test('a burst of five million events is copied with full rests, because the week pays for it', async () => {
  assert.deepEqual(await restsOfWeek(5_000_000), FULL_RESTS)
})

test('the rests of a brand are the same, alone or beside ninety-nine others', async () => {
  assert.deepEqual(await restsOfWeek(100 * 1_000 + 5_000_000), await restsOfWeek(5_000_000))
})

test('with very many events rests shrink, so that weeks of any size are frozen within half a week', async () => {
  assert.equal(weekEventMs(100_000_000), EVENT_FILE_LIMITS.eventMsMax)
  for (const events of [500_000_000, 1_000_000_000, 5_000_000_000]) {
    assert.ok(events * weekEventMs(events) <= WEEK_MS / 2)
    const slept = await restsOfWeek(events)
    assert.ok(slept.every((ms) => ms >= 10 && ms < 400))
    const tookMs = sumOf(slept) + 50 * 10
    assert.ok(tookMs <= 50 * PIECE * weekEventMs(events) + 0.001, String(tookMs))
  }
  assert.equal(weekEventMs(0), EVENT_FILE_LIMITS.eventMsMax)
})

test('the rests of a file that is written again take as long as those of a part at most, shared evenly', async () => {
  const { partMsMax } = EVENT_FILE_LIMITS
  assert.equal(fileEventMs(10), EVENT_FILE_LIMITS.eventMsMax)
  assert.equal(fileEventMs(1_000_000) * 1_000_000, partMsMax)
  assert.deepEqual(await restsOf(fileEventMs(300_000), [10, 100]), [400, 490])
})

test('rests never end: on a machine that is too slow they are as long as the work', async () => {
  const pieces = Array.from({ length: 700 }, () => 3_000)
  assert.deepEqual(await restsOf(0.5, pieces), pieces)
})

test('a part of a week is over after five minutes, or with a full file while events come in', async () => {
  const { world, pace, newPace } = await openQuiet()
  assert.equal(await pace.isPartOver({ isFileFull: false }), false)
  assert.equal(await pace.isPartOver({ isFileFull: true }), false, 'no events come in')
  world.last += 1n
  world.now += 1_000
  assert.equal(await pace.isPartOver({ isFileFull: false }), false)
  assert.equal(await pace.isPartOver({ isFileFull: true }), true)
  world.now += EVENT_FILE_LIMITS.partMsMax
  assert.equal(await pace.isPartOver({ isFileFull: false }), true)
  assert.equal(await newPace().isPartOver({ isFileFull: false }), false, 'the next part begins anew')
})

test('a piece of work is smaller while events come in', async () => {
  const { world, pace } = await openQuiet()
  const sizes = { busy: 500, quiet: 5_000 }
  assert.equal(await pace.pieceOf(sizes), 5_000)
  world.last += 1n
  world.now += 1_000
  assert.equal(await pace.pieceOf(sizes), 500)
})

test('while events come in no rows are copied beside the writing of a file, not even during its rest of five times its length', async () => {
  const { world, pace, work } = openPace()
  await work(0)
  const written = Promise.withResolvers<void>()
  const writing = pace.write(async () => {
    await written.promise
    world.now += 1_000
  })
  const restsBefore: (readonly number[])[] = []
  async function* copy() {
    restsBefore.push([...world.slept])
    yield Buffer.from('row')
  }
  const copying = Array.fromAsync(pace.each(copy(), () => PIECE))
  await setImmediate()
  assert.deepEqual(restsBefore, [])
  world.last += 1n
  written.resolve()
  await Promise.all([writing, copying])
  assert.deepEqual(restsBefore, [[5_000]])
})

async function* copyOne() {
  yield Buffer.from('row')
}

test('rows are copied beside the writing of a file while no events come in, and after one that failed', async () => {
  const { pace } = await openQuiet()
  const written = Promise.withResolvers<void>()
  const writing = pace.write(async () => written.promise)
  await Array.fromAsync(pace.each(copyOne(), () => PIECE))
  written.resolve()
  await writing
  const busy = openPace()
  await assert.rejects(busy.pace.write(async () => Promise.reject(new Error('a full disk'))))
  assert.equal((await Array.fromAsync(busy.pace.each(copyOne(), () => PIECE))).length, 1)
})

test('who waits for a quiet time gets it when no events have come in for a second, or is told that the wait ended', async () => {
  const { world, intake } = openPace()
  const { signal } = new AbortController()
  assert.equal(await intake.untilQuiet(signal), true)
  assert.deepEqual(world.slept, [1_000])
  world.last += 1n
  world.now += 1_000
  assert.equal(await intake.untilQuiet(AbortSignal.abort()), false)
  assert.deepEqual(world.slept, [1_000])
})
