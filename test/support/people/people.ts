import { firstIdAt } from '../../../src/domain/events/week.ts'
import { encodeJson } from '../../../src/domain/values/json.ts'
import type { Db } from '../../../src/store/db.ts'
import type { Member } from '../segments/match-filter.ts'
import { DEVICE_FACTS, type Person } from '../segments/segments.ts'

/**
 * Stores people with their devices, and gives what a filter sees of each live device, by its subscription id, in the
 * order of the rows. A name that two of them want belongs to the first. Who has no name has no profile.
 */
export async function savePeople(
  db: Db,
  brandId: number,
  people: readonly Person[],
): Promise<ReadonlyMap<string, Member>> {
  const taken = new Set<string>()
  const members = new Map<string, Member>()
  for (const [at, person] of people.entries()) {
    const userIds = person.userIds.filter((userId) => !taken.has(userId))
    for (const userId of userIds) taken.add(userId)
    const known = userIds.length === 0 ? null : { ...person, userIds }
    const profileId = known === null ? null : await saveProfile(db, brandId, known)
    for (const [place, device] of person.devices.entries()) {
      const subscriptionId = `${at}-${place}`
      await db.query(
        `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, tags,
           language, time_zone, browser, app_version, state, state_since, created_at, registered_at, updated_at)
         values ($1, $2, $3, $2, sha256($2::text::bytea), $4, $5, $6, $7, $8, $9, $10, now(), now(), now(), now())`,
        [
          brandId,
          subscriptionId,
          device.platform,
          profileId,
          device.tags,
          device.language,
          device.time_zone,
          device.browser,
          device.app_version,
          device.isLive ? 'live' : 'gone',
        ],
      )
      if (device.isLive) members.set(subscriptionId, memberOf(known, device))
    }
  }
  return members
}

function memberOf(person: Person | null, device: Person['devices'][number]): Member {
  const facts = Object.fromEntries(
    DEVICE_FACTS.flatMap((fact) => {
      const value = device[fact]
      return value === null ? [] : [[fact, value] as const]
    }),
  )
  if (person === null) return { userIds: [], tags: device.tags, attributes: {}, events: [], facts }
  const { userIds, attributes, events, ltv, createdAt } = person
  const tags = [...device.tags, ...person.tags]
  const known = { ...facts, created_at: instant(createdAt) }
  // As `user/userData` shows a person without events.
  if (events.length === 0) {
    return { userIds, tags, attributes, events, facts: { ...known, ltv: 0, last_seen: instant(createdAt) } }
  }
  const lastSeen = instant(Math.max(...events.map(({ at }) => at)))
  return { userIds, tags, attributes, events, facts: { ...known, ltv, last_seen: lastSeen } }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}

async function saveProfile(db: Db, brandId: number, person: Person): Promise<bigint> {
  const { userIds, tags, attributes, events, createdAt } = person
  const { rows } = await db.query<{ id: bigint }>(
    `with made as (
       insert into profiles (brand_id, tags, attributes, created_at, updated_at)
       values ($1, $2, $4, $5, $5) returning id
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', value, id, $5 from made, unnest($3::text[]) as value
     )
     select id from made`,
    [brandId, tags, userIds, encodeJson(attributes), new Date(createdAt)],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('a profile was not stored')
  if (events.length > 0) await saveEvents(db, brandId, { id, person })
  return id
}

const EVENTS_PER_MS = firstIdAt(1)

/** The events, and what the pipeline would add up from them. */
async function saveEvents(
  db: Db,
  brandId: number,
  { id, person: { events, ltv } }: { readonly id: bigint; readonly person: Person },
): Promise<void> {
  const rows = events.map(({ name, at, attributes }, place) => ({
    // An id holds the time of receipt, and below it a number that no other event has.
    id: firstIdAt(at) + ((id * 100n + BigInt(place)) % EVENTS_PER_MS),
    name,
    at: instant(at),
    attributes,
  }))
  await db.query(
    `with given as (
       select * from jsonb_to_recordset($3) as given (id bigint, name text, at timestamptz, attributes jsonb)
     ), stored as (
       insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
       select id, $2, at, $1, false, name, 0, attributes from given
     ), counted as (
       insert into profile_event_counters (brand_id, profile_id, event_name, event_count, first_event_at,
         last_event_at)
       select $1, $2, name, count(*), min(at), max(at) from given group by name
     )
     insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
     select $1, $2, count(*), min(at), max(at), $4 from given`,
    [brandId, id, encodeJson(rows), ltv],
  )
}
