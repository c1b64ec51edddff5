import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeliveryAttempt, outcomeOf, spreadJitter } from '../../src/domain/push/outcome.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { RETRY_RULES } from '../../src/rules/push.ts'

const NOW = Date.UTC(2026, 10, 15)
const TRY: DeliveryAttempt = { attempt: 1, unknowns: 0, now: NOW, jitter: 0.5, expiresAt: NOW + 86_400_000 }

function busy(waitMs: number): Verdict {
  return { kind: 'retry', reason: 'TooManyRequests', waitMs, scope: 'address' }
}

test('an accepted message is final', () => {
  assert.deepEqual(outcomeOf({ kind: 'accepted' }, TRY), { state: 'accepted', reason: null, retryAt: null })
})

test('a dead address and a refused message fail at the first answer', () => {
  const gone = { kind: 'gone', reason: 'Unregistered', goneAt: null, isSuspect: false } as const
  const failed = { state: 'failed', retryAt: null } as const
  assert.deepEqual(outcomeOf(gone, TRY), { ...failed, reason: 'Unregistered' })
  assert.deepEqual(outcomeOf({ kind: 'refused', reason: 'BadTopic' }, TRY), { ...failed, reason: 'BadTopic' })
})

test('a retry never comes sooner than the provider asked, and jitter only adds', () => {
  const { firstWaitMs } = RETRY_RULES
  assert.deepEqual(outcomeOf(busy(60_000), { ...TRY, jitter: 0 }), again(NOW + 60_000))
  assert.deepEqual(outcomeOf(busy(60_000), TRY), again(NOW + 60_000 + firstWaitMs / 2))
  assert.deepEqual(outcomeOf(busy(0), { ...TRY, attempt: 3 }), again(NOW + firstWaitMs * 2))
})

test('a message that left without an answer is tried again three times, and then its outcome is unknown', () => {
  const lost = { kind: 'unknown', reason: 'timeout' } as const
  const retryAt = NOW + RETRY_RULES.firstWaitMs / 2
  for (const unknowns of [0, 1, 2]) {
    assert.deepEqual(outcomeOf(lost, { ...TRY, unknowns }), {
      state: 'retrying',
      reason: 'timeout',
      retryAt,
      unknowns: unknowns + 1,
    })
  }
  const unknown = { reason: 'outcome_unknown', retryAt: null } as const
  assert.deepEqual(outcomeOf(lost, { ...TRY, unknowns: 3 }), { state: 'failed', ...unknown })
  const last = { ...TRY, attempt: RETRY_RULES.attemptsMax }
  assert.deepEqual(outcomeOf(lost, last), { state: 'failed', ...unknown })
  assert.deepEqual(outcomeOf(lost, { ...TRY, expiresAt: NOW }), { state: 'expired', ...unknown })
  // A message that may have arrived stays unknown, whatever the later attempts say of the provider.
  assert.deepEqual(outcomeOf(busy(0), { ...last, unknowns: 1 }), { state: 'failed', ...unknown })
  assert.equal(outcomeOf({ kind: 'accepted' }, { ...TRY, unknowns: 3 })?.state, 'accepted')
})

test('of a thousand retries no quarter of a second has more than a tenth, whatever the dice say', () => {
  for (const jitter of [0, 0.3, 0.999]) {
    for (const count of [1_000, 250, 40]) {
      const places = Array.from({ length: count }, (_, place) => place)
      const times = places.map((place) => retryTime(spreadJitter(jitter, { place, count })))
      const crowd = Math.max(
        ...times.map((from) => times.filter((at) => at >= from && at < from + 250).length),
      )
      assert.ok(crowd <= count / 10, `${crowd} of ${count}`)
      assert.ok(new Set(times).size <= RETRY_RULES.groupsMax)
      assert.ok(Math.max(...times) < NOW + RETRY_RULES.firstWaitMs + 1)
    }
  }
})

function retryTime(jitter: number): number {
  return outcomeOf(busy(0), { ...TRY, jitter })?.retryAt ?? 0
}

test('the last attempt is the last', () => {
  const { attemptsMax } = RETRY_RULES
  assert.equal(outcomeOf(busy(0), { ...TRY, attempt: attemptsMax - 1 })?.state, 'retrying')
  assert.deepEqual(outcomeOf(busy(0), { ...TRY, attempt: attemptsMax }), {
    state: 'failed',
    reason: 'TooManyRequests',
    retryAt: null,
  })
})

test('a retry that would come at the expiry or later is not waited for', () => {
  const expiresAt = NOW + 60_000
  const expired = { state: 'expired', reason: 'TooManyRequests', retryAt: null } as const
  assert.equal(outcomeOf(busy(59_999), { ...TRY, jitter: 0, expiresAt })?.state, 'retrying')
  assert.deepEqual(outcomeOf(busy(60_000), { ...TRY, jitter: 0, expiresAt }), expired)
})

test('a bad credential spends no attempt', () => {
  const verdict = { kind: 'paused', reason: 'InvalidProviderToken' } as const
  const last = { ...TRY, attempt: RETRY_RULES.attemptsMax }
  assert.equal(outcomeOf(verdict, last), null)
})

function again(retryAt: number) {
  return { state: 'retrying', reason: 'TooManyRequests', retryAt, unknowns: 0 } as const
}

test('the attempts at one delivery are 12 and span an hour at most, give or take ten minutes', () => {
  let now = NOW
  for (let attempt = 1; attempt < 12; attempt += 1) {
    const attempted = { attempt, unknowns: 0, now, jitter: 0.999_999, expiresAt: Number.MAX_SAFE_INTEGER }
    const outcome = outcomeOf(busy(0), attempted)
    assert.ok(outcome?.state === 'retrying')
    now = outcome.retryAt
  }
  const last = { attempt: 12, unknowns: 0, now, jitter: 0, expiresAt: Number.MAX_SAFE_INTEGER }
  assert.equal(outcomeOf(busy(0), last)?.state, 'failed')
  const minutes = (now - NOW) / 60_000
  assert.ok(minutes > 50 && minutes < 70, `${minutes} minutes`)
})
