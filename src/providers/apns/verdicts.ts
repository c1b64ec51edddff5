import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson } from '../answer-json.ts'
import type { ProviderAnswer } from '../transport.ts'
import {
  rowOfStatus,
  strangeSuccess,
  unansweredVerdict,
  VERDICT_ROWS,
  type VerdictRow,
  verdictOf,
} from '../verdict-rows.ts'

/** Every reason that Apple documents. */
export const APNS_VERDICTS: ReadonlyMap<string, VerdictRow> = new Map<string, VerdictRow>([
  ['BadDeviceToken', VERDICT_ROWS.deadOrOurMistake],
  ['DeviceTokenNotForTopic', VERDICT_ROWS.deadOrOurMistake],
  ['ExpiredToken', VERDICT_ROWS.dead],
  ['Unregistered', VERDICT_ROWS.dead],
  ['BadCollapseId', VERDICT_ROWS.badMessage],
  ['BadExpirationDate', VERDICT_ROWS.badMessage],
  ['BadMessageId', VERDICT_ROWS.badMessage],
  ['BadPath', VERDICT_ROWS.badMessage],
  ['BadPriority', VERDICT_ROWS.badMessage],
  ['DuplicateHeaders', VERDICT_ROWS.badMessage],
  ['InvalidPushType', VERDICT_ROWS.badMessage],
  ['MissingDeviceToken', VERDICT_ROWS.badMessage],
  ['PayloadEmpty', VERDICT_ROWS.badMessage],
  ['PayloadTooLarge', VERDICT_ROWS.badMessage],
  // Beckon always sends POST, so that something on the way to APNs must have changed the request.
  ['MethodNotAllowed', VERDICT_ROWS.wrongAddress],
  ['BadCertificate', VERDICT_ROWS.badCredential],
  ['BadCertificateEnvironment', VERDICT_ROWS.badCredential],
  ['BadEnvironmentKeyIdInToken', VERDICT_ROWS.badCredential],
  ['BadTopic', VERDICT_ROWS.badCredential],
  // The client renews the token first, so that this is about the new one.
  ['ExpiredProviderToken', VERDICT_ROWS.badCredential],
  ['Forbidden', VERDICT_ROWS.badCredential],
  ['InvalidProviderToken', VERDICT_ROWS.badCredential],
  ['MissingProviderToken', VERDICT_ROWS.badCredential],
  ['MissingTopic', VERDICT_ROWS.badCredential],
  ['TopicDisallowed', VERDICT_ROWS.badCredential],
  ['UnrelatedKeyIdInToken', VERDICT_ROWS.badCredential],
  ['TooManyRequests', VERDICT_ROWS.busyAddress],
  // Another sender mints with this key. APNs refuses ours until 20 minutes after their token.
  ['TooManyProviderTokenUpdates', { kind: 'retry', scope: 'credential', waitMs: 60_000 }],
  ['IdleTimeout', VERDICT_ROWS.busyHost],
  ['InternalServerError', VERDICT_ROWS.busyHost],
  ['ServiceUnavailable', VERDICT_ROWS.busyHost],
  ['Shutdown', VERDICT_ROWS.busyHost],
])

/** The verdicts for a reason that Apple has added since, or for an answer that lost its body, as far as APNs differs. */
export const APNS_STATUS_VERDICTS: ReadonlyMap<number, VerdictRow> = new Map<number, VerdictRow>([
  // APNs names its reason with a 404, so that this one comes from another server.
  [404, VERDICT_ROWS.wrongAddress],
  [410, VERDICT_ROWS.dead],
  [429, VERDICT_ROWS.busyAddress],
])

export function apnsVerdict(answer: ProviderAnswer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  if (answer.status === 200) return { kind: 'accepted' }
  if (answer.status < 300) return strangeSuccess(answer)
  const body = answerJson(answer.body)
  const named = typeof body?.['reason'] === 'string' ? body['reason'] : ''
  const known = APNS_VERDICTS.get(named)
  const reason = known === undefined ? `http_${answer.status}` : named
  const row = known ?? rowOfStatus(answer.status, { own: APNS_STATUS_VERDICTS, busy: VERDICT_ROWS.busyHost })
  const waitMs = retryAfterMs(answer.retryAfter, now)
  return verdictOf(row, { reason, waitMs, goneAt: timestampOf(body) })
}

export function apnsReason(answer: ProviderAnswer): string | null {
  if (answer.kind !== 'answered' || answer.status === 200) return null
  const reason = answerJson(answer.body)?.['reason']
  return typeof reason === 'string' ? reason : null
}

/** The instant at which APNs learnt that the token is dead. A later registration makes it valid again. */
function timestampOf(body: Readonly<Record<string, unknown>> | null): number | null {
  const timestamp = body?.['timestamp']
  return typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : null
}
