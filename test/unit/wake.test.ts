import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runLoop } from '../../src/runtime/loop/run.ts'
import { Wake } from '../../src/runtime/loop/wake.ts'
import { FakeTime } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'

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

test('a branch is woken with the whole, and alone without the other branches', () => {
  const whole = new Wake()
  const [one, other] = [whole.branch(), whole.branch()]
  whole.nudge()
  one.nudge()
  assert.deepEqual([whole.count, one.count, other.count], [1, 2, 1])
})

test('a nudge that comes during the claim is not slept through', async () => {
  const wake = new Wake()
  const stop = new AbortController()
  const time = new FakeTime()
  let claims = 0
  await runLoop(
    {
      name: 'nudged',
      claim: async () => {
        claims += 1
        if (claims === 1) wake.nudge()
        else stop.abort()
        return []
      },
      work: async () => undefined,
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 100, maxMs: 100 },
      wakeOn: 'work',
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
      time,
    },
  )
  // Time stands still: had the loop slept, it would never have looked again.
  assert.equal(claims, 2)
})
