import { outboxSql } from './outbox.ts'

/** Parts of a `with` that tell what their statement has just written. `from` names the part that wrote it. */
export type FactRows = { readonly from: string; readonly type: string }

/** Of rows with brand_id, notification_id and subscription_id. `more` is what else is told, each an expression. */
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
      user_id: userIdSql(`(select s.profile_id ${device})`),
      ...more,
    },
  })
}

/** Of rows with the columns in SUBSCRIPTION_FACT. */
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
      user_id: userIdSql('fact.profile_id'),
    },
  })
}

/** What a statement returns of a subscription `s` for somebody to be told. */
export const SUBSCRIPTION_FACT =
  's.brand_id, s.subscription_id, s.platform, s.state, s.state_reason, s.profile_id'

/** Of rows with brand_id, profile_id, and `identities`, an array of {kind, value}. */
export function profileFactSql(
  { from, type }: FactRows,
  more: Readonly<Record<string, string>> = {},
): string {
  return outboxSql({
    from: `${from} as fact`,
    type,
    // What is told of somebody who was erased must outlive the erasure; it is emptied when it was delivered.
    profileId: type === ERASED ? 'null::bigint' : 'fact.profile_id',
    data: {
      user_id: `(select min(name ->> 'value') from jsonb_array_elements(fact.identities) as name
        where name ->> 'kind' = 'user_id')`,
      identities: 'fact.identities',
      ...more,
    },
  })
}

/** Of rows with brand_id, journey_id, version and profile_id. */
export function journeyFactSql({ from, type }: FactRows, more: Readonly<Record<string, string>>): string {
  return outboxSql({
    from: `${from} as fact`,
    type,
    profileId: 'fact.profile_id',
    data: {
      journey_id: 'fact.journey_id',
      version: 'fact.version',
      user_id: userIdSql('fact.profile_id'),
      ...more,
    },
  })
}

export const ERASED = `'profile.erased'`

/** Names as they stand now, of the profile whose id the expression gives. */
export function identitiesSql(profileId: string): string {
  return `(select coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value) order by i.kind desc, i.value), '[]')
    from profile_identities as i where i.brand_id = $1 and i.profile_id = ${profileId})`
}

/** A merged person has several user ids; the first in the alphabet stands for them. */
function userIdSql(profileId: string): string {
  return `(select min(i.value) from profile_identities as i
    where i.brand_id = fact.brand_id and i.profile_id = ${profileId} and i.kind = 'user_id')`
}
