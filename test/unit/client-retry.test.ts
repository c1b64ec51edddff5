import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outageWaitSeconds } from '../../src/http/edge/outage-wait.ts'
import { planRetry } from '../../web/client/retry.ts'

const FACTS = { attempt: 1, attemptsMax: 5, leftMs: null, isSafe: false, jitter: 0 } as const
const answered = (status: number, retryAfterMs: number | null = null) =>
  ({ kind: 'answered', status, retryAfterMs }) as const

test('what may have been done is tried again only where twice is once', () => {
  for (const outcome of [{ kind: 'unanswered' } as const, answered(500), answered(502), answered(504)]) {
    assert.equal(planRetry(outcome, FACTS), null)
    assert.equal(typeof planRetry(outcome, { ...FACTS, isSafe: true }), 'number')
  }
})

test('what was turned away is always tried again, and never sooner than asked', () => {
  for (const status of [429, 503]) assert.equal(planRetry(answered(status, 7_000), FACTS), 7_000)
})

test('a mistake of the caller is never tried again', () => {
  for (const status of [400, 401, 403, 404, 409, 413, 422]) {
    assert.equal(planRetry(answered(status), { ...FACTS, isSafe: true }), null)
  }
})

test('tries are bounded, and so is the wait for one', () => {
  assert.equal(planRetry(answered(503), { ...FACTS, attempt: 5 }), null)
  assert.equal(planRetry(answered(503, 61_000), FACTS), null)
  const waits = [1, 2, 3, 4].map(
    (attempt) => planRetry(answered(503), { ...FACTS, attempt, jitter: 0.99 }) ?? 0,
  )
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  )
})

test('with a deadline the time counts and not the tries, and no wait goes beyond it', () => {
  const late = { ...FACTS, attempt: 50, jitter: 0.99 }
  assert.equal(planRetry(answered(503, 3_000), { ...late, leftMs: 3_001 }), 3_000)
  assert.equal(planRetry(answered(503, 3_000), { ...late, leftMs: 3_000 }), null)
  assert.ok((planRetry({ kind: 'unanswered' }, { ...late, isSafe: true, leftMs: 60_000 }) ?? 0) <= 2_000)
  assert.equal(planRetry({ kind: 'unanswered' }, { ...late, leftMs: 60_000 }), null)
})

test('a wait that Beckon asks for does not end the tries before the deadline: the last one has time for its answer', () => {
  const late = { ...FACTS, attempt: 50, jitter: 0.99 }
  assert.equal(planRetry(answered(503, 10_000), { ...late, leftMs: 8_000 }), 6_000)
  assert.equal(planRetry(answered(503, 10_000), { ...late, leftMs: 11_000 }), 9_000)
  assert.equal(planRetry(answered(503, 10_000), { ...late, leftMs: 12_000 }), 10_000)
  assert.equal(planRetry(answered(504, 10_000), { ...late, isSafe: true, leftMs: 8_000 }), 6_000)
  // There is no time for another, and a limit does not end sooner.
  assert.equal(planRetry(answered(503, 10_000), { ...late, leftMs: 2_000 }), null)
  assert.equal(planRetry(answered(429, 10_000), { ...late, leftMs: 8_000 }), null)
})

test('a failover of 35 seconds is ridden through within a deadline of 40', () => {
  let now = 0
  for (let attempt = 1; now < 35_000; attempt += 1) {
    const retryAfterMs = outageWaitSeconds({ ageMs: now, jitter: 0.99 }) * 1_000
    const waitMs = planRetry(answered(503, retryAfterMs), { ...FACTS, attempt, leftMs: 40_000 - now })
    assert.ok(waitMs !== null, `given up after ${now} ms`)
    now += waitMs
  }
  assert.ok(now < 40_000)
})
