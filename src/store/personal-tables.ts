/**
 * How a table speaks of a person. Every table that does must stand here (a test reads the catalogue), so that whoever
 * adds one decides at the same time what an export shows, what a merge moves and what an erasure removes.
 */
export type PersonalTable = {
  /** The SQL that is true for the rows about the profiles in $2 of the brand in $1. */
  readonly about: string
  /** Rows that change sides at once when profiles merge; they have a `profile_id` and an `id`. */
  readonly isFollowing?: true
}

const BY_PROFILE = 'profile_id = any($2)'

export const PERSONAL_TABLES: Readonly<Record<string, PersonalTable>> = {
  profiles: { about: 'id = any($2)' },
  profile_identities: { about: BY_PROFILE },
  profile_activity: { about: BY_PROFILE },
  profile_event_counters: { about: BY_PROFILE },
  events: { about: BY_PROFILE },
  subscriptions: { about: BY_PROFILE, isFollowing: true },
  notifications: { about: BY_PROFILE, isFollowing: true },
  profile_merges: { about: 'survivor_id = any($2) or absorbed_id = any($2)' },
  erasures: { about: BY_PROFILE },
}

/** The tables whose rows go along when profiles merge. */
export const FOLLOWING_TABLES: readonly string[] = Object.entries(PERSONAL_TABLES)
  .filter(([, { isFollowing }]) => isFollowing === true)
  .map(([name]) => name)
