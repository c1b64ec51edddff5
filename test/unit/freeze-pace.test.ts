import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FreezePace, IntakeWatch } from '../../src/intake/event-files/freeze-pace.ts'

function openPace() {
  const world = { now: 0, last: 1n, slept: [] as number[] }
  const time = {
    elapsed: () => world.now,
    sleep: async (ms: number) => {
      world.slept.push(ms)
      world.now += ms
    },
  }
  const { signal } = new AbortController()
  const intake = new IntakeWatch(async () => world.last, time)
  const newPace = (): FreezePace => new FreezePace({ intake, signal, time })
  const pace = newPace()
  const work = async (ms: number): Promise<void> => pace.run(async () => void (world.now += ms))
  return { world, intake, pace, newPace, work }
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
  await newPace().run(async () => void (world.now += 50))
  assert.deepEqual(world.slept, [4_000, 4_000, 2_000])
})

test('a long piece of work leads to a rest of ten seconds at most', async () => {
  const { world, work } = await openQuiet()
  await work(100)
  world.last += 1n
  world.now += 1_000
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
  for await (const chunk of pace.each(copy())) {
    assert.deepEqual(world.slept, [])
    copied.push(chunk)
    world.now += 5_000
  }
  assert.deepEqual(copied, chunks)
  assert.deepEqual(world.slept, [4_000])
})

test('all rests of a range have a bound', async () => {
  const { world, work } = openPace()
  await work(0)
  for (let piece = 0; piece < 70; piece += 1) {
    world.last += 1n
    world.now += 1_000
    await work(10_000)
  }
  assert.equal(
    world.slept.reduce((sum, ms) => sum + ms, 0),
    600_000,
  )
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
  const { world, pace } = openPace()
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
  const copying = Array.fromAsync(pace.each(copy()))
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
  await Array.fromAsync(pace.each(copyOne()))
  written.resolve()
  await writing
  const busy = openPace()
  await assert.rejects(busy.pace.write(async () => Promise.reject(new Error('a full disk'))))
  assert.equal((await Array.fromAsync(busy.pace.each(copyOne()))).length, 1)
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
