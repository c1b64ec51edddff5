import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onFullStep, untilFullStepMs } from '../../src/runtime/even-timing.ts'

test('quick and slow work of one step end together', () => {
  const ends = [0, 3.2, 11.9, 49.9].map((tookMs) => Math.floor((tookMs + untilFullStepMs(tookMs, 50)) / 50))
  assert.deepEqual(ends, [1, 1, 1, 1])
  assert.equal(Math.floor((50.1 + untilFullStepMs(50.1, 50)) / 50), 2)
})

test('a failure comes at a full step too', async () => {
  const startedAt = performance.now()
  const failing = onFullStep(20, async () => {
    throw new Error('it failed')
  })
  await assert.rejects(failing, /it failed/)
  assert.ok(performance.now() - startedAt >= 20)
})
