/**
 * The SQL that finds the deliveries of a notification. Most recipients of a broadcast are bits of `accepted_blocks`, all
 * others rows of `deliveries` (decision 0027); nothing else reads accepted deliveries from either table alone.
 */

/** The number of subscription ids in a block, as a power of 2. The schema has it too. */
export const BLOCK_POWER = 10

/** The device and the notification of a delivery, each an SQL expression; none of them may name `tried` or `packed`. */
export type DeliveryKey = NotificationKey & { readonly subscription: string }

export type NotificationKey = { readonly brand: string; readonly notification: string }

/**
 * The delivery of one device, if there is one, with the columns of `deliveries`: a subselect for `lateral` or `exists`.
 * `offset 0` makes PostgreSQL look up each delivery by the keys; a join would read all those of a notification.
 */
export function deliverySql(key: DeliveryKey): string {
  return `select ${COLUMNS} from deliveries as tried where ${isTriedSql(key)}
    union all ${packedDeliverySql(key)} offset 0`
}

/** The same, if it was accepted. */
export function acceptedSql(key: DeliveryKey): string {
  return `select ${COLUMNS} from deliveries as tried where ${isTriedSql(key)} and tried.state = 'accepted'
    union all ${packedDeliverySql(key)} offset 0`
}

/** The condition that a device has no delivery, but for a row in `deliveries` that does not meet the condition `counts`. */
export function hasNoneSql(key: DeliveryKey, counts: string): string {
  return `${hasNoRowSql(key, counts)} and not exists (${packedDeliverySql(key)} offset 0)`
}

/** The same for a caller who asks `withoutAccepted` about all devices together. */
export function hasNoRowSql(key: DeliveryKey, counts: string): string {
  return `not exists (select from deliveries as tried where ${isTriedSql(key)} and ${counts} offset 0)`
}

/** All accepted deliveries of one notification, with the columns of `deliveries`: a subselect for `lateral`. */
export function acceptedOfSql(key: NotificationKey): string {
  return `select * from all_deliveries as listed
    where listed.brand_id = ${key.brand} and listed.notification_id = ${key.notification} and listed.state = 'accepted'
    offset 0`
}

/** The tables of deliveries that a device may be in, each with the columns of `deliveries` as `x`, and a condition on `x`. */
export function deviceSourcesSql({
  brand,
  subscription,
}: Pick<DeliveryKey, 'brand' | 'subscription'>): readonly Source[] {
  return [
    {
      from: `(select ${COLUMNS} from deliveries as tried
        where tried.brand_id = ${brand} and tried.subscription_id = ${subscription}) as x`,
      where: 'true',
    },
    {
      from: `(select ${packedColumns(subscription)} from accepted_blocks as packed
        where packed.brand_id = ${brand} and ${isPackedSql(subscription)}) as x`,
      where: 'true',
    },
  ]
}

type Source = { readonly from: string; readonly where: string }

/**
 * The first accepted bits of a notification after a subscription, with the columns that a list shows. The blocks have the
 * order of the ids, so that PostgreSQL unpacks no more of them than it needs.
 */
export function packedPageSql(
  page: NotificationKey & { readonly after: string; readonly limit: string },
): string {
  return `select packed.brand_id, ${UNPACKED_ID} as subscription_id, 'accepted', null, 1, packed.at, packed.language
    from accepted_blocks as packed cross join lateral ${PLACES}
    where packed.brand_id = ${page.brand} and packed.notification_id = ${page.notification}
      and packed.block >= ${page.after}::bigint >> ${BLOCK_POWER} and ${IS_SET}
      and ${UNPACKED_ID} > ${page.after}
    order by packed.block, ${UNPACKED_ID} limit ${page.limit}`
}

/** The places in the bits of a row `packed`, as `spot`; the places that are set are recipients. */
export const PLACES = 'generate_series(0, 8 * length(packed.bits) - 1) as spot'
export const IS_SET = 'get_bit(packed.bits, spot) > 0'

/** The subscription at a place. */
export const UNPACKED_ID = `((packed.block << ${BLOCK_POWER}) + packed.first_place + spot)`

/** The condition that a row `packed` has the bit of a subscription. */
export function isPackedSql(subscription: string): string {
  const place = placeSql(subscription)
  return `packed.block = ${subscription} >> ${BLOCK_POWER}
    and case when ${place} between 0 and 8 * length(packed.bits) - 1 then get_bit(packed.bits, ${place}) = 1 else false end`
}

/** The place of a subscription in a row `packed` of its block. */
export function placeSql(subscription: string): string {
  return `(${subscription} - (packed.block << ${BLOCK_POWER}) - packed.first_place)`
}

const NAMES = [
  'brand_id',
  'notification_id',
  'subscription_id',
  'state',
  'reason',
  'attempt',
  'at',
  'language',
  'variant',
  'seen',
] as const
const COLUMNS = NAMES.map((name) => `tried.${name}`).join(', ')

function isTriedSql({ brand, notification, subscription }: DeliveryKey): string {
  return `tried.brand_id = ${brand} and tried.notification_id = ${notification} and tried.subscription_id = ${subscription}`
}

function packedDeliverySql({ brand, notification, subscription }: DeliveryKey): string {
  return `select ${packedColumns(subscription)} from accepted_blocks as packed
    where packed.brand_id = ${brand} and packed.notification_id = ${notification} and ${isPackedSql(subscription)}`
}

/** Only what was accepted at the first attempt is packed. */
function packedColumns(subscription: string): string {
  return `packed.brand_id, packed.notification_id, ${subscription} as subscription_id, 'accepted' as state,
    null::text as reason, 1 as attempt, packed.at, packed.language, packed.variant, null::jsonb as seen`
}
