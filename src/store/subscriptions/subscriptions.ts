import type { OptOuts } from '../../domain/preferences/opt-outs.ts'
import type { DeviceFacts } from '../../domain/subscriptions/subscription.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { ApnsEnvironment, SubscriptionState } from '../../rules/subscriptions.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { SUBSCRIPTION_FACT, subscriptionFactSql } from '../webhooks/facts.ts'

/** One device or browser, with the user id of its person. */
export type Subscription = DeviceFacts & {
  readonly id: bigint
  readonly subscriptionId: string
  readonly platform: Platform
  readonly profileId: bigint | null
  readonly userId: string | null
  readonly deviceId: string | null
  readonly environment: ApnsEnvironment | null
  readonly tags: readonly string[]
  readonly optOuts: OptOuts
  readonly isVirtual: boolean
  readonly state: SubscriptionState
  readonly stateReason: string | null
  readonly stateSince: number
  readonly createdAt: number
  /** In 1970 when the device has never registered and only a list names it. */
  readonly registeredAt: number
  readonly updatedAt: number
}

export type SubscriptionKey = { readonly brandId: number; readonly subscriptionId: string }

export async function loadSubscription(db: Db, key: SubscriptionKey): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions as s where brand_id = $1 and subscription_id = $2`,
    [key.brandId, key.subscriptionId],
  )
  return rows[0] ?? null
}

/** The same, by the internal id. */
export async function loadSubscriptionById(
  db: Db,
  key: { readonly brandId: number; readonly id: bigint },
): Promise<Subscription | null> {
  const { rows } = await db.query<Subscription>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions as s where brand_id = $1 and id = $2`,
    [key.brandId, key.id],
  )
  return rows[0] ?? null
}

/** The tags of a subscription, locked until the transaction ends; null when there is no such subscription. */
export async function lockTags(tx: Db, key: SubscriptionKey): Promise<readonly string[] | null> {
  const { rows } = await tx.query<{ tags: readonly string[] }>(
    'select tags from subscriptions where brand_id = $1 and subscription_id = $2 for no key update',
    [key.brandId, key.subscriptionId],
  )
  return rows[0]?.tags ?? null
}

export type SubscriptionQuery = {
  readonly brandId: number
  readonly platform: Platform | null
  readonly userId: string | null
  readonly tag: string | null
  readonly state: SubscriptionState | null
  /** Whether virtual devices are listed too. */
  readonly hasVirtual: boolean
  readonly afterId: bigint
  readonly limit: number
}

/**
 * A page of a brand's subscriptions by id. A filter that is null is left out of the statement. Run it as the engine:
 * row-level security would keep it from the index over tags (decision 0003).
 */
export async function listSubscriptions(db: Db, query: SubscriptionQuery): Promise<RowPage<Subscription>> {
  const { brandId, platform, userId, tag, state, hasVirtual, afterId, limit } = query
  return readPage(db, {
    text: `select ${SUBSCRIPTION_COLUMNS} from subscriptions as s
     where brand_id = $1 and id > $2
       and ($3::text is null or platform = $3)
       and ($4::text is null or state = $4)
       and ($5::text is null or tags @> array[$5])
       and ($6::text is null or profile_id = (select profile_id from profile_identities
         where brand_id = $1 and kind = 'user_id' and value = $6))
       ${hasVirtual ? '' : 'and not is_virtual'}
     order by id limit $7`,
    values: [brandId, afterId, platform, state, tag, userId, limit],
    limit,
    kind: 'rows',
  })
}

/** A page of a person's devices, by id. */
export async function listDevicesOf(
  tx: Db,
  of: {
    readonly brandId: number
    readonly profileIds: readonly bigint[]
    readonly afterId: bigint
    readonly limit: number
  },
): Promise<RowPage<Subscription>> {
  return readPage(tx, {
    text: `select ${SUBSCRIPTION_COLUMNS} from subscriptions as s
     where brand_id = $1 and profile_id = any($2) and id > $4 order by id limit $3`,
    values: [of.brandId, of.profileIds, of.limit, of.afterId],
    limit: of.limit,
    kind: 'rows',
  })
}

/** The fields to change; an absent field stays as it is, null clears it. */
export type SubscriptionUpdate = Partial<DeviceFacts> & {
  readonly tags?: readonly string[]
  readonly profileId?: bigint | null
}

/** Changes the facts of a device, not its address: that is `saveRegistrations`. */
export async function saveSubscription(
  tx: Db,
  key: SubscriptionKey & { readonly now: number },
  update: SubscriptionUpdate,
): Promise<void> {
  const fields = CHANGEABLE.filter(({ name }) => update[name] !== undefined)
  const assignments = fields.map(({ column }, at) => `, ${column} = $${at + 4}`)
  // The brand's server says whose device it is, which needs no proof.
  const proof = update.profileId === undefined ? '' : ', is_unproved = false'
  await tx.query(
    `update subscriptions set updated_at = $3${assignments.join('')}${proof}
     where brand_id = $1 and subscription_id = $2`,
    [key.brandId, key.subscriptionId, new Date(key.now), ...fields.map(({ name }) => update[name])],
  )
}

const CHANGEABLE = [
  { name: 'tags', column: 'tags' },
  { name: 'profileId', column: 'profile_id' },
  { name: 'timeZone', column: 'time_zone' },
  { name: 'language', column: 'language' },
  { name: 'browser', column: 'browser' },
  { name: 'appVersion', column: 'app_version' },
] as const satisfies readonly { readonly name: keyof SubscriptionUpdate; readonly column: string }[]

/** Stops all pushes to a device until it registers again. A second call keeps the time of the first. */
export async function unsubscribe(
  tx: Db,
  key: SubscriptionKey & { readonly now: number; readonly reason: string },
): Promise<void> {
  await tx.query(
    `with left_us as (
       update subscriptions as s set state = 'unsubscribed', state_reason = $4, state_since = $3, updated_at = $3
       where brand_id = $1 and subscription_id = $2 and state <> 'unsubscribed'
       returning ${SUBSCRIPTION_FACT}, old.state as state_before
     )
     ${subscriptionFactSql({
       from: 'left_us',
       type: `case fact.state_before when 'live' then 'subscription.gone' end`,
     })}`,
    [key.brandId, key.subscriptionId, new Date(key.now), key.reason],
  )
}

/** Columns of a subscription `s`. A merged person has several user ids; the first in the alphabet is shown. */
export const SUBSCRIPTION_COLUMNS = `s.id, s.subscription_id as "subscriptionId", s.platform, s.profile_id as "profileId",
  s.device_id as "deviceId", s.environment, s.tags, s.opt_outs as "optOuts", s.time_zone as "timeZone", s.language, s.browser,
  s.app_version as "appVersion", s.is_virtual as "isVirtual", s.state, s.state_reason as "stateReason", s.state_since as "stateSince",
  s.created_at as "createdAt", s.registered_at as "registeredAt", s.updated_at as "updatedAt",
  (${userIdSql('s.brand_id', 's.profile_id')}) as "userId"`
