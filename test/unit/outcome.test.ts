import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeliveryAttempt, outcomeOf } from '../../src/domain/push/outcome.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { RETRY_RULES } from '../../src/rules/push.ts'

const NOW = Date.UTC(2026, 10, 15)
const TRY: DeliveryAttempt = { attempt: 1, now: NOW, jitter: 0.5, expiresAt: NOW + 86_400_000 }

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

test('a message that left without an answer is tried again like one that was not taken', () => {
  const lost = { kind: 'unknown', reason: 'TooManyRequests' } as const
  assert.deepEqual(outcomeOf(lost, TRY), outcomeOf(busy(0), TRY))
})

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
  return { state: 'retrying', reason: 'TooManyRequests', retryAt } as const
}
