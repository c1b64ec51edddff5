import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { FCM_STATUS_VERDICTS, FCM_VERDICTS, fcmVerdict } from '../../src/providers/fcm/verdicts.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import { failureReply } from '../../src/sandbox/fcm/failure.ts'
import { NOW } from './support.ts'

type Row = {
  readonly http: number
  readonly code: string | null
  readonly verdict: Verdict
}

/** The table of providers.md, row by row. */
const ROWS: readonly Row[] = [
  { http: 400, code: 'INVALID_ARGUMENT', verdict: { kind: 'refused', reason: 'INVALID_ARGUMENT' } },
  { http: 400, code: 'UNSPECIFIED_ERROR', verdict: { kind: 'refused', reason: 'UNSPECIFIED_ERROR' } },
  { http: 401, code: null, verdict: { kind: 'paused', reason: 'http_401' } },
  {
    http: 401,
    code: 'THIRD_PARTY_AUTH_ERROR',
    verdict: { kind: 'paused', reason: 'THIRD_PARTY_AUTH_ERROR' },
  },
  {
    http: 403,
    code: 'SENDER_ID_MISMATCH',
    verdict: { kind: 'gone', reason: 'SENDER_ID_MISMATCH', goneAt: null, isSuspect: true },
  },
  { http: 403, code: null, verdict: { kind: 'paused', reason: 'http_403' } },
  {
    http: 404,
    code: 'UNREGISTERED',
    verdict: { kind: 'gone', reason: 'UNREGISTERED', goneAt: null, isSuspect: false },
  },
  { http: 404, code: null, verdict: { kind: 'paused', reason: 'http_404' } },
  {
    http: 429,
    code: 'QUOTA_EXCEEDED',
    verdict: { kind: 'retry', reason: 'QUOTA_EXCEEDED', waitMs: 60_000, scope: 'credential' },
  },
  {
    http: 429,
    code: null,
    verdict: { kind: 'retry', reason: 'http_429', waitMs: 60_000, scope: 'credential' },
  },
  {
    http: 500,
    code: 'INTERNAL',
    verdict: { kind: 'retry', reason: 'INTERNAL', waitMs: 10_000, scope: 'host' },
  },
  {
    http: 503,
    code: 'UNAVAILABLE',
    verdict: { kind: 'retry', reason: 'UNAVAILABLE', waitMs: 10_000, scope: 'host' },
  },
]

function answered(status: number, body: string, retryAfter: string | null = null): ProviderAnswer {
  return { kind: 'answered', status, retryAfter, body }
}

function bodyOf({ http, code }: Pick<Row, 'http' | 'code'>, message = 'because'): string {
  const failure = { status: http, rpcStatus: 'STATUS', message }
  return failureReply(code === null ? failure : { ...failure, errorCode: code }).body
}

for (const row of ROWS) {
  test(`FCM: ${row.http} ${row.code ?? 'without a code'} is ${row.verdict.kind}`, () => {
    assert.deepEqual(fcmVerdict(answered(row.http, bodyOf(row)), NOW), row.verdict)
  })
}

test('FCM: every row of the tables has a row here', () => {
  const codes = new Set(ROWS.map(({ code }) => code))
  for (const code of FCM_VERDICTS.keys()) assert.ok(codes.has(code), code)
  const statuses = new Set(ROWS.filter(({ code }) => code === null).map(({ http }) => http))
  for (const status of FCM_STATUS_VERDICTS.keys()) assert.ok(statuses.has(status), String(status))
})

test('FCM: 200 is accepted', () => {
  assert.deepEqual(fcmVerdict(answered(200, '{"name":"projects/p/messages/1"}'), NOW), { kind: 'accepted' })
})

test('FCM: INVALID_ARGUMENT means a dead device only when it is about the token', () => {
  const dead = { kind: 'gone', reason: 'INVALID_TOKEN', goneAt: null, isSuspect: false }
  const row = { http: 400, code: 'INVALID_ARGUMENT' }
  const byText = bodyOf(row, 'The registration token is not a valid FCM registration token')
  assert.deepEqual(fcmVerdict(answered(400, byText), NOW), dead)
  const failure = {
    status: 400,
    rpcStatus: 'INVALID_ARGUMENT',
    errorCode: 'INVALID_ARGUMENT',
    message: 'bad',
  }
  const byField = failureReply({ ...failure, field: 'message.token' }).body
  assert.deepEqual(fcmVerdict(answered(400, byField), NOW), dead)
  const byOtherField = failureReply({ ...failure, field: 'message.data' }).body
  assert.equal(fcmVerdict(answered(400, byOtherField), NOW).kind, 'refused')
})

test('FCM: Retry-After is kept to, exactly, and without it a quota waits a minute and an error ten seconds', () => {
  const waits = [
    [429, '5', 5_000],
    [429, '90', 90_000],
    [503, '1', 1_000],
    [503, new Date(NOW + 40_000).toUTCString(), 40_000],
    [429, null, 60_000],
    [429, 'soon', 60_000],
    [429, new Date(NOW - 40_000).toUTCString(), 60_000],
    [503, null, 10_000],
  ] as const
  for (const [status, retryAfter, waitMs] of waits) {
    const verdict = fcmVerdict(answered(status, '', retryAfter), NOW)
    assert.equal(verdict.kind === 'retry' && verdict.waitMs, waitMs, `${status} ${retryAfter}`)
  }
})

test('FCM: a page of HTML, half a body and JSON of another shape are judged by their status', () => {
  for (const body of [
    '<!DOCTYPE html>',
    '{"error":{"co',
    '[]',
    '{"error":"text"}',
    '{"error":{"details":[null]}}',
  ]) {
    const verdict = fcmVerdict(answered(502, body), NOW)
    assert.deepEqual(verdict, { kind: 'retry', reason: 'http_502', waitMs: 10_000, scope: 'host' }, body)
  }
})
