import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { mayMintAgain } from '../../src/providers/apns/auth.ts'
import { APNS_VERDICTS, apnsReason, apnsVerdict } from '../../src/providers/apns/verdicts.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import { REASONS } from '../../src/sandbox/apns/problem.ts'
import { NOW } from './support.ts'

/** The class of every reason (providers.md), written out once more so that a slip in the table shows. */
const EXPECTED: Readonly<Record<keyof typeof REASONS, Verdict['kind']>> = {
  BadCertificate: 'paused',
  BadCertificateEnvironment: 'paused',
  BadCollapseId: 'refused',
  BadDeviceToken: 'gone',
  BadEnvironmentKeyIdInToken: 'paused',
  BadExpirationDate: 'refused',
  BadMessageId: 'refused',
  BadPath: 'refused',
  BadPriority: 'refused',
  BadTopic: 'paused',
  DeviceTokenNotForTopic: 'gone',
  DuplicateHeaders: 'refused',
  ExpiredProviderToken: 'paused',
  ExpiredToken: 'gone',
  Forbidden: 'paused',
  IdleTimeout: 'retry',
  InternalServerError: 'retry',
  InvalidProviderToken: 'paused',
  InvalidPushType: 'refused',
  MethodNotAllowed: 'paused',
  MissingDeviceToken: 'refused',
  MissingProviderToken: 'paused',
  MissingTopic: 'paused',
  PayloadEmpty: 'refused',
  PayloadTooLarge: 'refused',
  ServiceUnavailable: 'retry',
  Shutdown: 'retry',
  TooManyProviderTokenUpdates: 'retry',
  TooManyRequests: 'retry',
  TopicDisallowed: 'paused',
  Unregistered: 'gone',
  UnrelatedKeyIdInToken: 'paused',
}

function answered(status: number, body: object | string, retryAfter: string | null = null): ProviderAnswer {
  return {
    kind: 'answered',
    status,
    retryAfter,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

for (const [reason, kind] of Object.entries(EXPECTED)) {
  test(`APNs: ${reason} is ${kind}`, () => {
    const status = Object.entries(REASONS).find(([name]) => name === reason)?.[1] ?? 0
    const verdict = apnsVerdict(answered(status, { reason }), NOW)
    assert.equal(verdict.kind, kind)
    assert.equal('reason' in verdict && verdict.reason, reason)
  })
}

test('APNs: the table has a row for every reason, and no other', () => {
  assert.deepEqual([...APNS_VERDICTS.keys()].toSorted(), Object.keys(REASONS).toSorted())
})

test('APNs: 200 is accepted', () => {
  assert.deepEqual(apnsVerdict(answered(200, ''), NOW), { kind: 'accepted' })
})

test('APNs: a 410 tells since when the device is gone', () => {
  const verdict = apnsVerdict(answered(410, { reason: 'Unregistered', timestamp: NOW - 5 }), NOW)
  assert.deepEqual(verdict, { kind: 'gone', reason: 'Unregistered', goneAt: NOW - 5, isSuspect: false })
})

test('APNs: what a wrong setting of ours would cause for every device is suspect', () => {
  for (const reason of ['BadDeviceToken', 'DeviceTokenNotForTopic']) {
    const verdict = apnsVerdict(answered(400, { reason }), NOW)
    assert.equal(verdict.kind === 'gone' && verdict.isSuspect, true)
  }
})

test('APNs: Retry-After is kept to, as seconds and as a date', () => {
  const asSeconds = apnsVerdict(answered(503, { reason: 'ServiceUnavailable' }, '120'), NOW)
  assert.equal(asSeconds.kind === 'retry' && asSeconds.waitMs, 120_000)
  const asDate = apnsVerdict(answered(503, '', new Date(NOW + 30_000).toUTCString()), NOW)
  assert.equal(asDate.kind === 'retry' && asDate.waitMs, 30_000)
})

test('APNs: a reason that is not known, or a body that is no JSON, is judged by its status', () => {
  const kinds = [400, 403, 404, 410, 413, 429, 500, 502, 503].map((status) => {
    const [named, html] = [{ reason: 'Newfangled' }, '<html>'].map((body) =>
      apnsVerdict(answered(status, body), NOW),
    )
    assert.deepEqual(named, html)
    assert.equal(named !== undefined && 'reason' in named && named.reason, `http_${status}`)
    return named?.kind
  })
  const expected = ['refused', 'paused', 'paused', 'gone', 'refused', 'retry', 'retry', 'retry', 'retry']
  assert.deepEqual(kinds, expected)
})

test('without an answer: unsent is tried again, lost is unknown, blocked is refused', () => {
  const reason = 'because'
  assert.deepEqual(apnsVerdict({ kind: 'unsent', reason }, NOW), {
    kind: 'retry',
    reason,
    waitMs: 0,
    scope: 'host',
  })
  assert.deepEqual(apnsVerdict({ kind: 'lost', reason }, NOW), { kind: 'unknown', reason })
  assert.deepEqual(apnsVerdict({ kind: 'blocked', reason }, NOW), {
    kind: 'refused',
    reason: 'address_blocked',
  })
})

test('APNs: a time of death that is no number of milliseconds is none', () => {
  for (const timestamp of ['1e999', '"1700000000000"', 'null']) {
    const verdict = apnsVerdict(answered(410, `{"reason":"Unregistered","timestamp":${timestamp}}`), NOW)
    assert.equal(verdict.kind === 'gone' && verdict.goneAt, null, timestamp)
  }
})

test('APNs: only a refusal has a reason', () => {
  assert.equal(apnsReason(answered(403, { reason: 'ExpiredProviderToken' })), 'ExpiredProviderToken')
  assert.equal(apnsReason(answered(200, { reason: 'ExpiredProviderToken' })), null)
  assert.equal(apnsReason(answered(403, {})), null)
})

test('APNs: a token is minted again after twenty minutes, and not a millisecond sooner', () => {
  const token = { value: 't', mintedAt: NOW, renewAt: NOW, expiresAt: NOW }
  assert.equal(mayMintAgain(token, NOW + 20 * 60_000), true)
  assert.equal(mayMintAgain(token, NOW + 20 * 60_000 - 1), false)
})
