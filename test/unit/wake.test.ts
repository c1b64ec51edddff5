import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemSleep } from '../../src/runtime/clock.ts'
import { runLoop } from '../../src/runtime/loop/run.ts'
import { Wake } from '../../src/runtime/loop/wake.ts'
import { FakeTime, settled } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

const HOUR_MS = 3_600_000

test('a nudge wakes all who wait for it, and nobody who waits for something else', async () => {
  const [wake, other] = [new Wake(), new Wake()]
  const { signal } = new AbortController()
  const time = new FakeTime()
  const waits = [wake, wake, other].map(async (one) => one.wait(0, 1_000, { signal, sleep: time.sleep }))
  wake.nudge()
  assert.deepEqual(await Promise.all(waits.slice(0, 2)), [true, true])
  await time.pass(1_000)
  assert.equal(await waits[2], false)
})

test('a wait ends when its signal aborts, before or meanwhile, and was no nudge then', async () => {
  const wake = new Wake()
  const stop = new AbortController()
  const waiting = wake.wait(0, HOUR_MS, { signal: stop.signal, sleep: systemSleep })
  stop.abort()
  assert.equal(await waiting, false)
  assert.equal(await wake.wait(0, HOUR_MS, { signal: stop.signal, sleep: systemSleep }), false)
})

test('a sleep ends after its time, and early when its signal aborts', async () => {
  const stop = new AbortController()
  await systemSleep(1, stop.signal)
  const sleeping = systemSleep(HOUR_MS, stop.signal)
  stop.abort()
  await sleeping
  await systemSleep(HOUR_MS, stop.signal)
})

test('a branch is woken with the whole, and alone without the other branches', () => {
  const whole = new Wake()
  const [one, other] = [whole.branch(), whole.branch()]
  whole.nudge()
  one.nudge()
  assert.deepEqual([whole.count, one.count, other.count], [1, 2, 1])
})

/** A loop that finds nothing, and the instants of its looks. */
function idleLoop(wakeOn: string, { onLook = (): void => undefined, wokenIdleMaxMs = 0 } = {}) {
  const wake = new Wake()
  const stop = new AbortController()
  const time = new FakeTime()
  const looks: number[] = []
  const ended = runLoop(
    {
      name: 'idle',
      claim: async () => {
        looks.push(time.elapsed())
        onLook()
        return []
      },
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 100, maxMs: 400 },
      wakeOn,
    },
    {
      signal: stop.signal,
      log: memoryLog(),
      meters: {
        items: () => undefined,
        seconds: () => undefined,
        claimSeconds: () => undefined,
        waitSeconds: () => undefined,
      },
      wakes: new Map([['work', wake]]),
      wokenIdleMaxMs,
      time,
    },
  )
  const end = async (): Promise<void> => {
    stop.abort()
    await ended
  }
  return { wake, time, looks, end }
}

test('a nudge that comes during the claim is not slept through', async () => {
  let looks = 0
  const loop = idleLoop('work', {
    onLook: () => {
      looks += 1
      if (looks === 1) loop.wake.nudge()
    },
  })
  // Time stands still: had the loop slept, it would never have looked again.
  await settled()
  assert.equal(looks, 2)
  await loop.end()
})

test('a loop that is woken sleeps for long, and begins with short waits again after each nudge', async () => {
  const { wake, time, looks, end } = idleLoop('work', { wokenIdleMaxMs: 1_600 })
  await time.pass(10_000)
  assert.deepEqual(looks, [0, 100, 300, 700, 1_500, 3_100, 4_700, 6_300, 7_900, 9_500])
  looks.length = 0
  wake.nudge()
  await time.pass(700)
  assert.deepEqual(looks, [10_000, 10_100, 10_300, 10_700])
  await end()
})

test('a loop that nobody wakes keeps to its own waits', async () => {
  const { time, looks, end } = idleLoop('something else', { wokenIdleMaxMs: 60_000 })
  await time.pass(2_000)
  assert.deepEqual(looks, [0, 100, 300, 700, 1_100, 1_500, 1_900])
  await end()
})
