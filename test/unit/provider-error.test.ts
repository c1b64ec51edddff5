import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerErrorOf } from '../../src/domain/push/provider-error.ts'
import { APNS_VERDICTS } from '../../src/providers/apns/verdicts.ts'
import { FCM_VERDICTS } from '../../src/providers/fcm/verdicts.ts'
import { PROVIDER_ERRORS } from '../../src/rules/provider-errors.ts'

function retry(reason: string) {
  return { kind: 'retry', reason, waitMs: 0, scope: 'host' } as const
}

test('a verdict has one of few classes, whatever the reason', () => {
  assert.equal(providerErrorOf({ kind: 'accepted' }), null)
  assert.equal(providerErrorOf({ kind: 'gone', reason: 'x', goneAt: null, isSuspect: false }), 'dead_address')
  assert.equal(providerErrorOf({ kind: 'refused', reason: 'http_429' }), 'message')
  assert.equal(providerErrorOf({ kind: 'paused', reason: 'x' }), 'credential')
  assert.equal(providerErrorOf({ kind: 'unknown', reason: 'timeout' }), 'no_answer')
})

test('a retry is told apart by its reason', () => {
  const classes = {
    http_429: 'throttled',
    QUOTA_EXCEEDED: 'throttled',
    http_503: 'provider',
    http_421: 'provider',
    UNAVAILABLE: 'provider',
    ECONNREFUSED: 'network',
    CERT_HAS_EXPIRED: 'network',
    'connect timeout': 'network',
    token_endpoint: 'credential',
    'pool full': 'other',
    'http_503 and words of a stranger': 'other',
  }
  for (const [reason, kind] of Object.entries(classes))
    assert.equal(providerErrorOf(retry(reason)), kind, reason)
})

test('no reason to try again that a provider documents is "other"', () => {
  for (const [reason, row] of [...APNS_VERDICTS, ...FCM_VERDICTS]) {
    if (row.kind !== 'retry') continue
    const found = providerErrorOf(retry(reason))
    assert.ok(found !== null && found in PROVIDER_ERRORS && found !== 'other', reason)
  }
})
