/** Numbers to add to the counts of a notification, each an SQL expression over the rows of a tally; 0 where absent. */
export type Tally = Partial<Record<(typeof COUNTS)[number], string>> & {
  /** A condition over the same rows: some messages are sent, so that a notification that was queued is `sending`. */
  readonly isBegun?: string
  /** The reason for which messages could not be sent at all, or null: a notification that consists of them has failed. */
  readonly failure?: string
}

const COUNTS = ['accepted', 'failed', 'expired', 'cancelled', 'correction', 'texts_cut'] as const

/**
 * Adds to the counts of notifications, and finishes those without pending deliveries. `from` is a table expression
 * with one row for each notification, and the columns brand_id and notification_id. `correction` is the difference
 * between the found and the planned audience; it changes the audience and the pending alike, so that the sum always
 * holds (decision 0005). A notification that expired as a whole has failed.
 */
export function tallySql(from: string, tally: Tally): string {
  const columns = COUNTS.map((count) => `(${tally[count] ?? '0'})::integer as ${count}`).join(', ')
  return `update notifications as n
    set audience = n.audience + t.correction,
      accepted = n.accepted + t.accepted, failed = n.failed + t.failed,
      expired = n.expired + t.expired, cancelled = n.cancelled + t.cancelled,
      pending = ${LEFT}, texts_cut = n.texts_cut + t.texts_cut,
      state = case when ${IS_OVER} and n.state in ('queued', 'sending')
        then case when ${HAS_EXPIRED} or ${HAS_FAILED} then 'failed' else 'sent' end
        when t.is_begun and n.state = 'queued' then 'sending' else n.state end,
      reason = case when ${IS_OVER} and n.state in ('queued', 'sending') then
        case when ${HAS_EXPIRED} then 'expired' when ${HAS_FAILED} then t.failure else n.reason end
        else n.reason end,
      finished_at = case when ${IS_OVER} then coalesce(n.finished_at, clock_timestamp()) end
    from (select brand_id, notification_id, ${columns}, ${tally.isBegun ?? 'false'} as is_begun,
      (${tally.failure ?? 'null'})::text as failure from ${from}) as t
    where n.brand_id = t.brand_id and n.id = t.notification_id`
}

const LEFT = '(n.pending + t.correction - t.accepted - t.failed - t.expired - t.cancelled)'
const IS_OVER = `(n.plan_at is null and ${LEFT} = 0)`
const HAS_EXPIRED = '(n.expired + t.expired > 0 and n.expired + t.expired = n.audience + t.correction)'
const HAS_FAILED = '(t.failure is not null and n.failed + t.failed = n.audience + t.correction)'
