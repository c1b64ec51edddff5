import type { Verdict } from '../../domain/push/verdict.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
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

/** Google asks senders to wait a minute when the quota is used up, and ten seconds after a server's error. */
const QUOTA: VerdictRow = { kind: 'retry', scope: 'credential', waitMs: 60_000 }
const UNWELL: VerdictRow = { kind: 'retry', scope: 'host', waitMs: 10_000 }

/** Every `errorCode` of FCM HTTP v1. Two more depend on the particulars: see `rowOf`. */
export const FCM_VERDICTS: ReadonlyMap<string, VerdictRow> = new Map<string, VerdictRow>([
  ['INTERNAL', UNWELL],
  ['INVALID_ARGUMENT', VERDICT_ROWS.badMessage],
  ['QUOTA_EXCEEDED', QUOTA],
  // The token belongs to another project; with a wrong service account every token does.
  ['SENDER_ID_MISMATCH', VERDICT_ROWS.deadOrOurMistake],
  ['THIRD_PARTY_AUTH_ERROR', VERDICT_ROWS.badCredential],
  ['UNAVAILABLE', UNWELL],
  ['UNREGISTERED', VERDICT_ROWS.dead],
  ['UNSPECIFIED_ERROR', VERDICT_ROWS.badMessage],
])

/** The verdicts for an answer without a known code, as far as FCM differs: a 502, for example, comes with HTML. */
export const FCM_STATUS_VERDICTS: ReadonlyMap<number, VerdictRow> = new Map<number, VerdictRow>([
  [401, VERDICT_ROWS.badCredential],
  [403, VERDICT_ROWS.badCredential],
  // The project is unknown.
  [404, VERDICT_ROWS.badCredential],
  [429, QUOTA],
])

export function fcmVerdict(answer: ProviderAnswer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  if (answer.status === 200) return { kind: 'accepted' }
  if (answer.status < 300) return strangeSuccess(answer)
  const error = answerJson(answer.body)?.['error']
  const { row, reason } = rowOf(answer.status, isJsonObject(error) ? error : {})
  return verdictOf(row, { reason, waitMs: retryAfterMs(answer.retryAfter, now) })
}

/** Whether FCM refused the access token, and not its account. */
export function isStaleToken(answer: ProviderAnswer): boolean {
  if (answer.kind !== 'answered' || answer.status !== 401) return false
  return !answer.body.includes('THIRD_PARTY_AUTH_ERROR')
}

function rowOf(status: number, error: JsonObject): { readonly row: VerdictRow; readonly reason: string } {
  const details = Array.isArray(error['details']) ? error['details'].filter(isJsonObject) : []
  const code = details.map((detail) => detail['errorCode']).find((value) => typeof value === 'string') ?? ''
  const known = FCM_VERDICTS.get(code)
  if (code === 'INVALID_ARGUMENT' && isAboutToken(error, details)) {
    return { row: VERDICT_ROWS.dead, reason: 'INVALID_TOKEN' }
  }
  if (known !== undefined) return { row: known, reason: code }
  const byStatus = rowOfStatus(status, { own: FCM_STATUS_VERDICTS, busy: UNWELL })
  return { row: byStatus, reason: `http_${status}` }
}

/** FCM answers INVALID_ARGUMENT to a bad token and to a bad message; only a bad token means a dead device. */
function isAboutToken(error: JsonObject, details: readonly JsonObject[]): boolean {
  const violations = details.flatMap((detail) => detail['fieldViolations']).filter(isJsonObject)
  if (violations.some((violation) => violation['field'] === 'message.token')) return true
  const { message } = error
  return typeof message === 'string' && message.includes('not a valid FCM registration token')
}
