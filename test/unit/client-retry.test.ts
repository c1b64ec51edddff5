import assert from 'node:assert/strict'
import { test } from 'node:test'
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
