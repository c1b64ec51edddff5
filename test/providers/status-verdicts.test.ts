import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { apnsVerdict } from '../../src/providers/apns/verdicts.ts'
import { fcmVerdict } from '../../src/providers/fcm/verdicts.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import { webPushVerdict } from '../../src/providers/webpush/verdicts.ts'
import { NOW } from './support.ts'

type Judge = (answer: ProviderAnswer, now: number) => Verdict

/** The 4xx statuses that are not refused, by provider. Every 3xx is paused, and every 5xx is tried again. */
type Expected = {
  readonly judge: Judge
  readonly gone: readonly number[]
  readonly paused: readonly number[]
  readonly retry: readonly number[]
}

const PAUSED = [401, 402, 403, 405, 407, 426, 451]
const RETRY = [408, 409, 421, 423, 424, 425, 429, 499]

const PROVIDERS: Readonly<Record<string, Expected>> = {
  FCM: { judge: fcmVerdict, gone: [], paused: [...PAUSED, 404], retry: RETRY },
  APNs: { judge: apnsVerdict, gone: [410], paused: [...PAUSED, 404], retry: RETRY },
  'Web Push': { judge: webPushVerdict, gone: [404, 410], paused: PAUSED, retry: [...RETRY, 406] },
}

function kindOf(status: number, { gone, paused, retry }: Expected): Verdict['kind'] {
  if (gone.includes(status)) return 'gone'
  if (status < 400 || paused.includes(status)) return 'paused'
  return status >= 500 || retry.includes(status) ? 'retry' : 'refused'
}

const STATUSES = Array.from({ length: 300 }, (_, index) => 300 + index)

for (const [name, expected] of Object.entries(PROVIDERS)) {
  test(`${name}: a status from 300 to 599 ends a message only if it is about the message`, () => {
    for (const status of STATUSES) {
      for (const body of ['', '<html>', '{"error":{}}', '{"reason":7}']) {
        const verdict = expected.judge({ kind: 'answered', status, retryAfter: null, body }, NOW)
        assert.equal(verdict.kind, kindOf(status, expected), `${status} ${body}`)
        assert.equal('reason' in verdict && verdict.reason, `http_${status}`)
      }
    }
  })

  test(`${name}: Retry-After of every status that is tried again is kept to`, () => {
    for (const status of STATUSES.filter((one) => kindOf(one, expected) === 'retry')) {
      for (const seconds of [0, 5, 3_000]) {
        const answer = { kind: 'answered', status, retryAfter: String(seconds), body: '' } as const
        const verdict = expected.judge(answer, NOW)
        assert.equal(verdict.kind === 'retry' && verdict.waitMs, seconds * 1_000, String(status))
      }
    }
  })
}

test('FCM and APNs: a success other than 200 does not tell whether the message was taken', () => {
  for (const judge of [fcmVerdict, apnsVerdict]) {
    const verdict = judge({ kind: 'answered', status: 204, retryAfter: null, body: '' }, NOW)
    assert.deepEqual(verdict, { kind: 'unknown', reason: 'http_204' })
  }
})
