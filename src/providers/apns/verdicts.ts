import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson } from '../answer-json.ts'
import { MEANS, type Meaning, verdictOf } from '../meaning.ts'
import type { Answer } from '../transport.ts'
import { unansweredVerdict } from '../unanswered.ts'

/** Every reason that Apple documents. */
export const APNS_MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['BadDeviceToken', MEANS.deadOrOurMistake],
  ['DeviceTokenNotForTopic', MEANS.deadOrOurMistake],
  ['ExpiredToken', MEANS.dead],
  ['Unregistered', MEANS.dead],
  ['BadCollapseId', MEANS.badMessage],
  ['BadExpirationDate', MEANS.badMessage],
  ['BadMessageId', MEANS.badMessage],
  ['BadPath', MEANS.badMessage],
  ['BadPriority', MEANS.badMessage],
  ['DuplicateHeaders', MEANS.badMessage],
  ['InvalidPushType', MEANS.badMessage],
  ['MethodNotAllowed', MEANS.badMessage],
  ['MissingDeviceToken', MEANS.badMessage],
  ['PayloadEmpty', MEANS.badMessage],
  ['PayloadTooLarge', MEANS.badMessage],
  ['BadCertificate', MEANS.badCredential],
  ['BadCertificateEnvironment', MEANS.badCredential],
  ['BadEnvironmentKeyIdInToken', MEANS.badCredential],
  ['BadTopic', MEANS.badCredential],
  // Only after a new token was turned down too: the client renews first.
  ['ExpiredProviderToken', MEANS.badCredential],
  ['Forbidden', MEANS.badCredential],
  ['InvalidProviderToken', MEANS.badCredential],
  ['MissingProviderToken', MEANS.badCredential],
  ['MissingTopic', MEANS.badCredential],
  ['TopicDisallowed', MEANS.badCredential],
  ['UnrelatedKeyIdInToken', MEANS.badCredential],
  ['TooManyRequests', MEANS.busyAddress],
  // Somebody else mints with this key. The ban lasts until 20 minutes after their token.
  ['TooManyProviderTokenUpdates', { kind: 'retry', scope: 'credential', waitMs: 60_000 }],
  ['IdleTimeout', MEANS.busyHost],
  ['InternalServerError', MEANS.busyHost],
  ['ServiceUnavailable', MEANS.busyHost],
  ['Shutdown', MEANS.busyHost],
])

export function apnsVerdict(answer: Answer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  if (answer.status === 200) return { kind: 'accepted' }
  const body = answerJson(answer.body)
  const named = typeof body?.['reason'] === 'string' ? body['reason'] : ''
  const known = APNS_MEANINGS.get(named)
  const reason = known === undefined ? `http_${answer.status}` : named
  const meaning = known ?? meaningOfStatus(answer.status)
  const waitMs = retryAfterMs(answer.retryAfter, now)
  return verdictOf(meaning, { reason, waitMs, goneAt: timestampOf(body) })
}

export function apnsReason(answer: Answer): string | null {
  if (answer.kind !== 'answered' || answer.status === 200) return null
  const reason = answerJson(answer.body)?.['reason']
  return typeof reason === 'string' ? reason : null
}

/** For a reason that Apple adds one day, or an answer that lost its body. */
function meaningOfStatus(status: number): Meaning {
  if (status === 410) return MEANS.dead
  if (status === 403) return MEANS.badCredential
  if (status === 429) return MEANS.busyAddress
  return status >= 500 ? MEANS.busyHost : MEANS.badMessage
}

/** Milliseconds since 1970: when APNs learnt that the token is dead. A later registration brings it back. */
function timestampOf(body: Readonly<Record<string, unknown>> | null): number | null {
  const timestamp = body?.['timestamp']
  return typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : null
}
