import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { FakeTime } from '../support/fake-time.ts'

const NOW = Date.UTC(2026, 10, 16)
const HOUR = 3_600_000

function openClock() {
  const time = new FakeTime()
  const server = { shiftMs: 0, looks: 0, slowMs: 0, onLook: (): void => undefined }
  const load = async (): Promise<number> => {
    server.looks += 1
    server.onLook()
    await time.pass(server.slowMs)
    return NOW + time.elapsed() + server.shiftMs
  }
  const clock = new DatabaseClock({ load, elapsed: time.elapsed })
  /** How far the clock is from the time that really passed. */
  const offMs = (): number => clock.now() - NOW - time.elapsed()
  return { time, server, clock, offMs }
}

test('callers that ask together share one look, and none goes on before it', async () => {
  const { clock, server, offMs } = openClock()
  await Promise.all([clock.sync(), clock.sync()])
  assert.equal(server.looks, 1)
  assert.equal(offMs(), 0)
})

test('the first looks are repeated until an answer was fast', async () => {
  const { clock, server, offMs, time } = openClock()
  server.slowMs = 50
  server.onLook = () => {
    server.slowMs = server.looks < 3 ? 20 : 1
  }
  await clock.sync()
  assert.equal(server.looks, 3)
  assert.equal(offMs(), 1)
  server.slowMs = 20
  await time.pass(5_000)
  await clock.sync()
  assert.equal(server.looks, 4, 'later ones are not')
})

test('a server that is always slow is not asked for ever', async () => {
  const { clock, server, offMs } = openClock()
  server.slowMs = 30
  await clock.sync()
  assert.equal(server.looks, 5)
  assert.equal(offMs(), 30)
})

test('a clock that is set back is followed at the next look', async () => {
  const { time, clock, server, offMs } = openClock()
  await clock.sync()
  server.shiftMs = -HOUR
  assert.equal(offMs(), 0)
  await time.pass(5_000)
  await clock.sync()
  assert.equal(offMs(), -HOUR)
})

test('a clock that is set forward is followed when every lease has been renewed by it', async () => {
  const { time, clock, server, offMs } = openClock()
  await clock.sync()
  server.shiftMs = HOUR
  for (const expected of [0, 0, 0, HOUR]) {
    await time.pass(5_000)
    await clock.sync()
    assert.equal(offMs(), expected)
  }
})

test('a clock that jumps forward and back again was never followed', async () => {
  const { time, clock, server, offMs } = openClock()
  await clock.sync()
  for (const shiftMs of [HOUR, 0, HOUR, HOUR, 0]) {
    server.shiftMs = shiftMs
    await time.pass(5_000)
    await clock.sync()
    assert.equal(offMs(), 0)
  }
})

test('a slow answer that contradicts nothing changes nothing', async () => {
  const { time, clock, server, offMs } = openClock()
  await clock.sync()
  server.slowMs = 2_000
  await time.pass(5_000)
  await clock.sync()
  assert.equal(offMs(), 0)
})
