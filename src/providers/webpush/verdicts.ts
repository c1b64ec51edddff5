import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson } from '../answer-json.ts'
import type { ProviderAnswer } from '../transport.ts'
import { rowOfStatus, unansweredVerdict, VERDICT_ROWS, type VerdictRow, verdictOf } from '../verdict-rows.ts'

/** The verdict for each status of a push service, for all vendors. `rowOfStatus` judges other statuses. */
export const WEB_PUSH_VERDICTS: ReadonlyMap<number, VerdictRow> = new Map<number, VerdictRow>([
  [400, VERDICT_ROWS.badMessage],
  [401, VERDICT_ROWS.badCredential],
  [403, VERDICT_ROWS.badCredential],
  [404, VERDICT_ROWS.dead],
  // Windows throttles one browser with this status. This was not tried against the real service.
  [406, VERDICT_ROWS.busyAddress],
  [408, VERDICT_ROWS.busyHost],
  [410, VERDICT_ROWS.dead],
  [413, VERDICT_ROWS.badMessage],
  [429, VERDICT_ROWS.busyHost],
  [500, VERDICT_ROWS.busyHost],
  [502, VERDICT_ROWS.busyHost],
  [503, VERDICT_ROWS.busyHost],
])

/**
 * The signs that a subscription was made with another VAPID key, so that it can never be reached again. Apple names a
 * reason; Google and Mozilla write a sentence. With a wrong key of the brand, every subscription gets this answer.
 */
const KEY_MISMATCH = /VapidPkHashMismatch|do not correspond to the credentials|key mismatch/i

export function webPushVerdict(answer: ProviderAnswer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const isMismatch = (status === 401 || status === 403) && KEY_MISMATCH.test(answer.body)
  if (isMismatch) return verdictOf(VERDICT_ROWS.deadOrOurMistake, { reason: 'vapid_key_mismatch', waitMs: 0 })
  const row = rowOfStatus(status, { own: WEB_PUSH_VERDICTS, busy: VERDICT_ROWS.busyHost })
  return verdictOf(row, { reason: reasonOf(answer), waitMs: retryAfterMs(answer.retryAfter, now) })
}

/** Apple names a reason, Mozilla a number, other vendors only the status. */
function reasonOf({ status, body }: { readonly status: number; readonly body: string }): string {
  const { reason, errno } = answerJson(body) ?? {}
  if (typeof reason === 'string' && WORD.test(reason)) return reason
  return Number.isInteger(errno) ? `http_${status}_errno_${String(errno)}` : `http_${status}`
}

const WORD = /^[A-Za-z]{1,40}$/
