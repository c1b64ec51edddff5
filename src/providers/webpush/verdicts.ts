import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson } from '../answer-json.ts'
import { MEANS, type Meaning, verdictOf } from '../meaning.ts'
import type { Answer } from '../transport.ts'
import { unansweredVerdict } from '../unanswered.ts'

/** What a push service's status means, whoever runs it. One not listed is judged by its hundreds. */
export const WEB_PUSH_MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [400, MEANS.badMessage],
  [401, MEANS.badCredential],
  [403, MEANS.badCredential],
  [404, MEANS.dead],
  // Windows' way to throttle one browser, from memory: not tried against the real service.
  [406, MEANS.busyAddress],
  [408, MEANS.busyHost],
  [410, MEANS.dead],
  [413, MEANS.badMessage],
  [429, MEANS.busyHost],
  [500, MEANS.busyHost],
  [502, MEANS.busyHost],
  [503, MEANS.busyHost],
])

/**
 * Signs that a subscription was made with another VAPID key: it can never be revived, while the others are well.
 * Apple names a reason; Google and Mozilla write a sentence. With a wrong key of ours all would say so.
 */
const KEY_MISMATCH = /VapidPkHashMismatch|do not correspond to the credentials|key mismatch/i

export function webPushVerdict(answer: Answer, now: number): Verdict {
  if (answer.kind !== 'answered') return unansweredVerdict(answer)
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const isMismatch = (status === 401 || status === 403) && KEY_MISMATCH.test(answer.body)
  if (isMismatch) return verdictOf(MEANS.deadOrOurMistake, { reason: 'vapid_key_mismatch', waitMs: 0 })
  const meaning = WEB_PUSH_MEANINGS.get(status) ?? (status >= 500 ? MEANS.busyHost : MEANS.badMessage)
  return verdictOf(meaning, { reason: reasonOf(answer), waitMs: retryAfterMs(answer.retryAfter, now) })
}

/** Apple gives a word, Mozilla a number, the others only the status. */
function reasonOf({ status, body }: { readonly status: number; readonly body: string }): string {
  const { reason, errno } = answerJson(body) ?? {}
  if (typeof reason === 'string' && WORD.test(reason)) return reason
  return Number.isInteger(errno) ? `http_${status}_errno_${String(errno)}` : `http_${status}`
}

const WORD = /^[A-Za-z]{1,40}$/
