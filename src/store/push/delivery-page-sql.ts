import type { DeliveryState, ReceiptKind } from '../../rules/push.ts'
import type { Binds } from '../bind.ts'
import { deliverySql, type NotificationKey, packedPageSql } from './delivery-sql.ts'

/** Which deliveries a list has. A field that is null does not matter. */
export type DeliveryFilter = {
  readonly state: DeliveryState | null
  readonly reason?: string | null
  /** Only deliveries of which a device reported this. */
  readonly receipt?: ReceiptKind | null
  /** The report came at or after the first instant, and before the second. */
  readonly reportedFrom?: number | null
  readonly reportedTo?: number | null
}

/** The deliveries of a notification after a subscription; all are SQL expressions. */
export type DeliveryPage = NotificationKey & { readonly after: string; readonly limit: string }

/** The first deliveries of a notification after a subscription, in the order of subscriptions. */
export function deliveryPageSql(filter: DeliveryFilter, page: DeliveryPage, binds: Binds): string {
  const { state, reason = null, receipt = null } = filter
  const hasAccepted = state === null || state === 'accepted'
  const conditions = [
    ...(state === null ? [] : [`d.state = ${binds.add(state)}`]),
    ...(reason === null ? [] : [`d.reason = ${binds.add(reason)}`]),
    // The state is also given as a literal, because only then the planner uses the index of the deliveries that were not
    // accepted.
    ...(hasAccepted ? [] : [`d.state <> 'accepted'`]),
  ]
  if (receipt !== null) {
    const reported = [...conditions, `r.kind = ${binds.add(receipt)}`, ...reportedSql(filter, binds)]
    return reportedPageSql(page, reported.join(' and '))
  }
  const packed = hasAccepted && reason === null ? `union all (${packedPageSql(page)})` : ''
  return `select *, null::timestamptz as reported_at from ((${triedPageSql(page, conditions)}) ${packed}) as found
    order by subscription_id limit ${page.limit}`
}

/** The deliveries that are rows. */
function triedPageSql(
  { brand, notification, after, limit }: DeliveryPage,
  conditions: readonly string[],
): string {
  const key = `d.brand_id = ${brand} and d.notification_id = ${notification} and d.subscription_id > ${after}`
  return `select ${COLUMNS} from deliveries as d where ${[key, ...conditions].join(' and ')}
    order by d.subscription_id limit ${limit}`
}

/** The deliveries with a receipt, found by the receipts. */
function reportedPageSql({ brand, notification, after, limit }: DeliveryPage, wanted: string): string {
  const key = { brand: 'r.brand_id', notification: 'r.notification_id', subscription: 'r.subscription_id' }
  return `select ${COLUMNS}, r.at as reported_at from receipts as r cross join lateral (${deliverySql(key)}) as d
    where r.brand_id = ${brand} and r.notification_id = ${notification} and r.subscription_id > ${after} and ${wanted}
    order by r.subscription_id limit ${limit}`
}

function reportedSql({ reportedFrom = null, reportedTo = null }: DeliveryFilter, binds: Binds) {
  return [
    ...(reportedFrom === null ? [] : [`r.at >= ${binds.add(new Date(reportedFrom))}`]),
    ...(reportedTo === null ? [] : [`r.at < ${binds.add(new Date(reportedTo))}`]),
  ]
}

const COLUMNS = 'd.brand_id, d.subscription_id, d.state, d.reason, d.attempt, d.at, d.language'
