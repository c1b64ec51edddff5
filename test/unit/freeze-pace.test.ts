import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  return { world, pace, newPace, work }
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

test('freezing rests twenty times as long as it worked while events come in, and no longer', async () => {
  const { world, work } = await openQuiet()
  await work(100)
  world.last += 1n
  world.now += 1_000
  await work(100)
  assert.deepEqual(world.slept, [2_000])
  world.last += 1n
  await work(100)
  assert.deepEqual(world.slept, [2_000, 2_000])
  world.now += 1_000
  await work(100)
  assert.deepEqual(world.slept, [2_000, 2_000])
})

test('freezing rests from its first piece on, and a new range after what others have seen', async () => {
  const { world, work, newPace } = openPace()
  await work(100)
  assert.deepEqual(world.slept, [2_000])
  world.last += 1n
  await work(100)
  world.last += 1n
  await newPace().run(async () => void (world.now += 50))
  assert.deepEqual(world.slept, [2_000, 2_000, 1_000])
})

test('a long piece of work leads to a rest of half a minute at most', async () => {
  const { world, work } = await openQuiet()
  await work(100)
  world.last += 1n
  world.now += 1_000
  await work(60_000)
  assert.deepEqual(world.slept, [30_000])
})

test('rows that are copied pass unchanged, and one rest follows them, in which the time of their reader does not count', async () => {
  const { world, pace } = await openQuiet()
  world.last += 1n
  const chunks = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')]
  const copied: Buffer[] = []
  async function* copy() {
    for (const chunk of chunks) {
      world.now += 300
      yield chunk
    }
    world.now += 100
  }
  for await (const chunk of pace.each(copy())) {
    assert.deepEqual(world.slept, [])
    copied.push(chunk)
    world.now += 5_000
  }
  assert.deepEqual(copied, chunks)
  assert.deepEqual(world.slept, [20_000])
})

test('all rests of a range have a bound', async () => {
  const { world, work } = openPace()
  await work(0)
  for (let piece = 0; piece < 30; piece += 1) {
    world.last += 1n
    world.now += 1_000
    await work(10_000)
  }
  assert.equal(
    world.slept.reduce((sum, ms) => sum + ms, 0),
    600_000,
  )
})
