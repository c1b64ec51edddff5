import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson, isJsonObject, type JsonObject } from '../answer-json.ts'
import { MEANS, type Meaning, verdictOf } from '../meaning.ts'
import type { Answer } from '../transport.ts'
import { unansweredVerdict } from '../unanswered.ts'

/** Google asks for a minute when the quota is used up, and for ten seconds when a server is not well. */
const QUOTA: Meaning = { kind: 'retry', scope: 'credential', waitMs: 60_000 }
const UNWELL: Meaning = { kind: 'retry', scope: 'host', waitMs: 10_000 }

/** Every `errorCode` of FCM HTTP v1. Two more depend on the particulars: see `meaningOf`. */
export const FCM_MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['INTERNAL', UNWELL],
  ['INVALID_ARGUMENT', MEANS.badMessage],
  ['QUOTA_EXCEEDED', QUOTA],
  // A token of another project; with the wrong service account, every token is.
  ['SENDER_ID_MISMATCH', MEANS.deadOrOurMistake],
  ['THIRD_PARTY_AUTH_ERROR', MEANS.badCredential],
  ['UNAVAILABLE', UNWELL],
  ['UNREGISTERED', MEANS.dead],
  ['UNSPECIFIED_ERROR', MEANS.badMessage],
])

/** For an answer that names no code, or none that we know: 502 comes with a page of HTML. */
export const FCM_STATUS_MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [401, MEANS.badCredential],
  [403, MEANS.badCredential],
  [404, MEANS.badCredential],
  [429, QUOTA],
])

export function fcmVerdict(answer: Answer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  if (answer.status === 200) return { kind: 'accepted' }
  const error = answerJson(answer.body)?.['error']
  const { meaning, reason } = meaningOf(answer.status, isJsonObject(error) ? error : {})
  return verdictOf(meaning, { reason, waitMs: retryAfterMs(answer.retryAfter, now) })
}

/** Whether the access token was turned down, not the account behind it. */
export function isStaleToken(answer: Answer): boolean {
  if (answer.kind !== 'answered' || answer.status !== 401) return false
  return !answer.body.includes('THIRD_PARTY_AUTH_ERROR')
}

function meaningOf(
  status: number,
  error: JsonObject,
): { readonly meaning: Meaning; readonly reason: string } {
  const details = Array.isArray(error['details']) ? error['details'].filter(isJsonObject) : []
  const code = details.map((detail) => detail['errorCode']).find((value) => typeof value === 'string') ?? ''
  const known = FCM_MEANINGS.get(code)
  if (code === 'INVALID_ARGUMENT' && isAboutToken(error, details)) {
    return { meaning: MEANS.dead, reason: 'INVALID_TOKEN' }
  }
  if (known !== undefined) return { meaning: known, reason: code }
  const byStatus = FCM_STATUS_MEANINGS.get(status) ?? (status >= 500 ? UNWELL : MEANS.badMessage)
  return { meaning: byStatus, reason: `http_${status}` }
}

/** INVALID_ARGUMENT is one answer to a bad token and to a bad message; only the former means a dead device. */
function isAboutToken(error: JsonObject, details: readonly JsonObject[]): boolean {
  const violations = details.flatMap((detail) => detail['fieldViolations']).filter(isJsonObject)
  if (violations.some((violation) => violation['field'] === 'message.token')) return true
  const { message } = error
  return typeof message === 'string' && message.includes('not a valid FCM registration token')
}
