import type { Answer } from './client.ts'

/** A call that was already committed may be answered this much after both standbys are gone. */
const IN_FLIGHT_MS = 1_000
/**
 * The share of answers that may be something else than 503 with a time to come back. A commit waits for a standby until
 * Patroni gives up the primary: each client has such a call or two, which ends when the client stops waiting or with its
 * connection. And the load balancer says 502 or 504 for a call that it cannot hand over.
 */
const OTHER_SHARE_MAX = 0.1

/** How calls were answered while no write could succeed. */
export type Refusals = {
  readonly refused: number
  /** 0, 502, 504 and whatever else is neither a success nor a refusal. */
  readonly others: number
  readonly acknowledged: number
}

/** `from` is the time of the cut. A cut that never was has no answers after it. */
export function countRefusals(
  answers: readonly Answer[],
  { from, to }: { readonly from: number; readonly to: number },
): Refusals {
  const during = answers.filter(({ at }) => at > from + IN_FLIGHT_MS && at < to)
  const refused = during.filter(({ isRefusal }) => isRefusal).length
  const acknowledged = during.filter(({ status }) => status >= 200 && status < 300).length
  return { refused, acknowledged, others: during.length - refused - acknowledged }
}

/** The flaws of answers during the loss of the majority. */
export function refusalFlaws({ refused, others, acknowledged }: Refusals): readonly string[] {
  const isMany = others > OTHER_SHARE_MAX * (refused + others)
  return [
    ...(acknowledged > 0 ? [`${acknowledged} calls acknowledged without a majority`] : []),
    ...(refused === 0 ? ['no call refused with 503 and a time to come back'] : []),
    ...(isMany ? [`${others} calls without a majority not refused with 503, and ${refused} refused`] : []),
  ]
}
