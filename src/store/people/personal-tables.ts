import { personDeliveriesSql } from './person-deliveries-sql.ts'

/**
 * How a table refers to a person. Every table that does must be listed (a test reads the catalogue), so that with a
 * new table its row here decides whether an export shows it, a merge moves it and an erasure removes it.
 */
export type PersonalTable = {
  /**
   * The SQL condition for rows about a person: $2 are the ids of the profile, $3 its identities. Null for rows that
   * are deleted a moment later anyway.
   */
  readonly about: string | null
  /** The order of the rows, in which no two are equal; by the whole row if absent. */
  readonly order?: string
  /** The subselect that an export reads in place of the table, if the table lacks some of the rows. $1 in it is the brand. */
  readonly from?: string
  /** Whether an export shows the rows in the API's form, and not column by column. */
  readonly isRendered?: true
  /** Columns whose decimals do not fit a number in JSON. */
  readonly exact?: readonly string[]
  /** Whether the rows move at once when profiles merge; such a table has a `profile_id` and an `id`. */
  readonly isFollowing?: true
}

const BY_PROFILE = 'profile_id = any($2)'
const THEIR_DEVICES =
  'array(select s.id from subscriptions as s where s.brand_id = $1 and s.profile_id = any($2))'
const BY_DEVICE = `subscription_id = any(${THEIR_DEVICES})`
const BY_PROFILE_OR_ADDRESSED = `(profile_id = any($2) or subscription_ids[1] = any(${THEIR_DEVICES}))`
const BY_NOTIFICATION = `notification_id = any(array(
  select id from notifications as n where n.brand_id = $1 and ${BY_PROFILE_OR_ADDRESSED}))`

export const PERSONAL_TABLES: Readonly<Record<string, PersonalTable>> = {
  profiles: { about: 'id = any($2)' },
  profile_identities: { about: BY_PROFILE },
  profile_activity: { about: BY_PROFILE, exact: ['ltv'] },
  profile_event_counters: { about: BY_PROFILE },
  events: { about: BY_PROFILE, isRendered: true },
  rejected_entries: { about: 'identifiers && $3', order: 'id desc' },
  subscriptions: { about: BY_PROFILE, isRendered: true, isFollowing: true },
  notifications: { about: BY_PROFILE_OR_ADDRESSED, order: 'id desc', isFollowing: true },
  deliveries: {
    about: 'true',
    from: personDeliveriesSql({ isAddressed: BY_PROFILE_OR_ADDRESSED, devices: THEIR_DEVICES }),
    order: 'notification_id, subscription_id',
  },
  receipts: { about: `(${BY_NOTIFICATION} or ${BY_DEVICE})` },
  enrolments: { about: BY_PROFILE, order: 'id desc', isFollowing: true },
  journey_members: { about: BY_PROFILE },
  campaign_users: { about: 'user_id = any($3)', order: 'campaign_id desc, user_id' },
  frequency_days: { about: BY_PROFILE, order: 'day desc, profile_id' },
  campaign_people: { about: BY_PROFILE, order: 'campaign_id desc, profile_id' },
  goal_people: { about: BY_PROFILE, order: 'campaign_id desc, profile_id', exact: ['ltv'] },
  conversions: { about: BY_PROFILE, order: 'id desc', exact: ['ltv'] },
  active_weeks: { about: BY_PROFILE, order: 'week desc, profile_id' },
  goal_recounts: { about: null },
  chunks: { about: null },
  profile_merges: { about: 'survivor_id = any($2) or absorbed_id = any($2)' },
  erasures: { about: BY_PROFILE },
  idempotency_keys: { about: `(${BY_PROFILE} or ${BY_DEVICE})`, order: 'created_at desc, key' },
  webhook_messages: {
    about: `(${BY_PROFILE} or profile_id is null and data ->> 'subscription_id' = any(array(
      select s.subscription_id from subscriptions as s where s.brand_id = $1 and s.profile_id = any($2))))`,
    order: 'id desc',
    isFollowing: true,
  },
}

/** The tables whose rows move when profiles merge. */
export const FOLLOWING_TABLES: readonly string[] = Object.entries(PERSONAL_TABLES)
  .filter(([, { isFollowing }]) => isFollowing === true)
  .map(([name]) => name)
