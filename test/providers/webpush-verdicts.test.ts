import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import { WEB_PUSH_VERDICTS, webPushVerdict } from '../../src/providers/webpush/verdicts.ts'
import { NOW } from './support.ts'

function answered(status: number, body = '', retryAfter: string | null = null): ProviderAnswer {
  return { kind: 'answered', status, retryAfter, body }
}

function gone(reason: string, isSuspect = false): Verdict {
  return { kind: 'gone', reason, goneAt: null, isSuspect }
}

function retry(reason: string, scope: 'host' | 'address' = 'host'): Verdict {
  return { kind: 'retry', reason, waitMs: 0, scope }
}

const GOOGLE_MISMATCH =
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.'

/** The table of providers.md, row by row: status, body, what it means. */
const ROWS: readonly [number, string, Verdict][] = [
  [200, '', { kind: 'accepted' }],
  [201, '', { kind: 'accepted' }],
  [202, '', { kind: 'accepted' }],
  [400, '{"errno":101}', { kind: 'refused', reason: 'http_400_errno_101' }],
  [400, '{"errno":110}', { kind: 'refused', reason: 'http_400_errno_110' }],
  [400, '{"errno":111}', { kind: 'refused', reason: 'http_400_errno_111' }],
  [400, '{"errno":112}', { kind: 'refused', reason: 'http_400_errno_112' }],
  [400, '{"errno":113}', { kind: 'refused', reason: 'http_400_errno_113' }],
  [400, '<H1>UnauthorizedRegistration</H1>', { kind: 'refused', reason: 'http_400' }],
  [401, '{"errno":109}', { kind: 'paused', reason: 'http_401_errno_109' }],
  [401, '{"errno":109,"message":"Public key mismatch"}', gone('vapid_key_mismatch', true)],
  [403, 'crypto-key header had invalid format', { kind: 'paused', reason: 'http_403' }],
  [403, GOOGLE_MISMATCH, gone('vapid_key_mismatch', true)],
  [403, '{"reason":"BadJwtToken"}', { kind: 'paused', reason: 'BadJwtToken' }],
  [403, '{"reason":"VapidPkHashMismatch"}', gone('vapid_key_mismatch', true)],
  [404, '{"errno":102}', gone('http_404_errno_102')],
  [406, '', retry('http_406', 'address')],
  [408, '', retry('http_408')],
  [410, '{"errno":103}', gone('http_410_errno_103')],
  [410, '{"errno":105}', gone('http_410_errno_105')],
  [410, '{"errno":106}', gone('http_410_errno_106')],
  [410, 'push subscription has unsubscribed or expired.', gone('http_410')],
  [413, '{"errno":104}', { kind: 'refused', reason: 'http_413_errno_104' }],
  [429, '', retry('http_429')],
  [500, '{"errno":999}', retry('http_500_errno_999')],
  [502, '<html>', retry('http_502')],
  [503, '{"errno":201}', retry('http_503_errno_201')],
  [503, '{"errno":202}', retry('http_503_errno_202')],
  [503, '{"errno":900}', retry('http_503_errno_900')],
  [301, '', { kind: 'paused', reason: 'http_301' }],
  [418, '{"reason":"<script>"}', { kind: 'refused', reason: 'http_418' }],
  [599, '', retry('http_599')],
]

for (const [status, body, verdict] of ROWS) {
  test(`Web Push: ${status} ${body.slice(0, 50)} is ${verdict.kind}`, () => {
    assert.deepEqual(webPushVerdict(answered(status, body), NOW), verdict)
  })
}

test('Web Push: every row of the table has a row here', () => {
  const statuses = new Set(ROWS.map(([status]) => status))
  for (const status of WEB_PUSH_VERDICTS.keys()) assert.ok(statuses.has(status), String(status))
})

test('Web Push: Retry-After is kept to, exactly', () => {
  const asSeconds = webPushVerdict(answered(429, '', '127'), NOW)
  assert.equal(asSeconds.kind === 'retry' && asSeconds.waitMs, 127_000)
  const asDate = webPushVerdict(answered(503, '', new Date(NOW + 61_000).toUTCString()), NOW)
  assert.equal(asDate.kind === 'retry' && asDate.waitMs, 61_000)
})

test('a Retry-After that lies in the past, or is nonsense, asks for nothing', () => {
  for (const header of ['Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '-5', '', '1e3']) {
    const verdict = webPushVerdict(answered(503, '', header), NOW)
    assert.equal(verdict.kind === 'retry' && verdict.waitMs, 0, header)
  }
})
