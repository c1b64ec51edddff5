import { userIdSql } from '../people/user-id-sql.ts'
import { outboxSql } from './outbox.ts'

/**
 * A part of a `with` that enqueues messages about rows that the same statement has just written. `from` names the part
 * that wrote them.
 */
export type FactRows = { readonly from: string; readonly type: string }

/**
 * For rows with brand_id, notification_id and subscription_id. `more` has further fields of the message, as
 * expressions.
 */
export function deliveryFactSql({ from, type }: FactRows, more: Readonly<Record<string, string>>): string {
  const device = 'from subscriptions as s where s.brand_id = fact.brand_id and s.id = fact.subscription_id'
  return outboxSql({
    from: `${from} as fact`,
    type,
    profileId: `(select s.profile_id ${device})`,
    data: {
      id: 'fact.notification_id',
      notification_id: `(select n.caller_notification_id from notifications as n
        where n.brand_id = fact.brand_id and n.id = fact.notification_id)`,
      subscription_id: `(select s.subscription_id ${device})`,
      platform: `(select s.platform ${device})`,
      user_id: userOf(`(select s.profile_id ${device})`),
      ...more,
    },
  })
}

/** For rows with the columns in SUBSCRIPTION_FACT. */
export function subscriptionFactSql({ from, type }: FactRows): string {
  return outboxSql({
    from: `${from} as fact`,
    type,
    profileId: 'fact.profile_id',
    data: {
      subscription_id: 'fact.subscription_id',
      platform: 'fact.platform',
      state: 'fact.state',
      reason: 'fact.state_reason',
      user_id: userOf('fact.profile_id'),
    },
  })
}

/** The columns of a subscription `s` that a message about it needs. */
export const SUBSCRIPTION_FACT =
  's.brand_id, s.subscription_id, s.platform, s.state, s.state_reason, s.profile_id'

/** For rows with brand_id, profile_id, and `identities`, an array of {kind, value}. */
export function profileFactSql(
  { from, type }: FactRows,
  more: Readonly<Record<string, string>> = {},
): string {
  return outboxSql({
    from: `${from} as fact`,
    type,
    // A message about an erasure must outlive the erasure; its data is emptied after delivery.
    profileId: type === ERASED ? 'null::bigint' : 'fact.profile_id',
    data: {
      user_id: `(select min(name ->> 'value') from jsonb_array_elements(fact.identities) as name
        where name ->> 'kind' = 'user_id')`,
      identities: 'fact.identities',
      ...more,
    },
  })
}

/** For rows with brand_id, journey_id, version and profile_id. */
export function journeyFactSql({ from, type }: FactRows, more: Readonly<Record<string, string>>): string {
  return outboxSql({
    from: `${from} as fact`,
    type,
    profileId: 'fact.profile_id',
    data: {
      journey_id: 'fact.journey_id',
      version: 'fact.version',
      user_id: userOf('fact.profile_id'),
      ...more,
    },
  })
}

export const ERASED = `'profile.erased'`

/** The identities of the profile whose id the expression gives, as they are now. */
export function identitiesSql(profileId: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value) order by i.kind desc, i.value), '[]')
    from profile_identities as i where i.brand_id = $1 and i.profile_id = ${profileId})`
}

/** A merged person has several user ids; the first in the alphabet is used. */
function userOf(profileId: string): string {
  return `(${userIdSql('fact.brand_id', profileId)})`
}
