import type { PersonEvent } from '../../domain/journeys/fold.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'

type BatchEvents = {
  readonly brandId: number
  readonly batchIds: readonly bigint[]
  readonly names: readonly string[]
}

/** An event with the id under which it is stored, and its value as a decimal. */
export type StoredEvent = PersonEvent & { readonly id: bigint; readonly ltv: string }

/**
 * The events of these batches that have one of the names, in the order they happened. An event from before its
 * profile's creation never counts (spec E2). An event of a merged profile belongs to the survivor; an event of an erased
 * person to nobody. `limit` makes PostgreSQL take the events of a batch by their ids; by the name it would read all events
 * of that name for each batch.
 */
export async function loadBatchEvents(tx: Db, query: BatchEvents): Promise<readonly StoredEvent[]> {
  if (query.names.length === 0) return []
  const { rows } = await tx.query<EventRow>(
    `with recursive happened as materialized (
       select e.id, e.profile_id, e.event_name, e.event_at, e.attributes, e.ltv
       from unnest($2::bigint[]) as batch (id)
       cross join lateral (
         select id, profile_id, event_name, event_at, attributes, ltv, is_before_creation from events
         where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
       ) as e
       where e.event_name = any($3) and not e.is_before_creation
     ), heir (doer, id) as (
       select distinct profile_id, profile_id from happened
       union
       select heir.doer, m.survivor_id from heir
       join profile_merges as m on m.brand_id = $1 and m.absorbed_id = heir.id and m.state <> 'undone'
     )
     select h.id, p.id as "profileId", h.event_name as name, h.event_at as at, h.attributes, h.ltv::text as ltv
     from happened as h join heir on heir.doer = h.profile_id
     join profiles as p on p.brand_id = $1 and p.id = heir.id
     order by h.event_at, h.id`,
    [query.brandId, query.batchIds, query.names],
  )
  return rows.map(eventOf)
}

type SinceQuery = {
  readonly brandId: number
  readonly people: readonly { readonly profileId: bigint; readonly since: number }[]
  readonly names: readonly string[]
  /** The first events of each person that are loaded. */
  readonly perPersonMax?: number
  /** Whether nobody looks at the attributes. The events have none then, because attributes are most of an event's bytes. */
  readonly isBare?: boolean
}

/**
 * The events of these people since an instant for each of them, whenever they were stored: a goal may be stored before
 * the trigger. An event is stored at most a day before it happens, which bounds the search. `offset 0` makes PostgreSQL
 * take the events of the person and not, where it has no statistics, all events of the name.
 */
export async function loadEventsSince(
  tx: Db,
  { brandId, people, names, perPersonMax = PER_PERSON_MAX, isBare = false }: SinceQuery,
): Promise<readonly StoredEvent[]> {
  if (people.length === 0 || names.length === 0) return []
  const oldest = Math.min(...people.map(({ since }) => since)) - EVENT_LIMITS.futureMsMax
  const { rows } = await tx.query<EventRow>(
    `select e.id, wanted.profile_id as "profileId", e.event_name as name, e.event_at as at, e.ltv::text as ltv
       ${isBare ? '' : ', e.attributes'}
     from unnest($2::bigint[], $3::timestamptz[]) as wanted (profile_id, since)
     cross join lateral (
       select * from (
         select id, event_name, event_at, attributes, ltv, is_before_creation from events
         where brand_id = $1 and profile_id = wanted.profile_id and event_at >= wanted.since and id >= $5
         order by event_at offset 0
       ) as own
       where event_name = any($4) and not is_before_creation order by event_at limit $6
     ) as e
     order by e.event_at`,
    needing(
      [
        brandId,
        people.map(({ profileId }) => profileId),
        people.map(({ since }) => new Date(since)),
        names,
        BigInt(Math.max(0, Math.floor(oldest))) << ID_TIME_SHIFT,
        perPersonMax,
      ],
      {
        ...anyEvents(brandId),
        people: people.map(({ profileId }) => profileId),
        names,
        since: writtenInstant(Math.min(...people.map(({ since }) => since))),
        isBare,
      },
    ),
  )
  return rows.map(eventOf)
}

const PER_PERSON_MAX = 100
/** An event's id begins with the moment of receipt, in milliseconds. */
const ID_TIME_SHIFT = 21n

type EventRow = {
  readonly id: bigint
  readonly profileId: bigint
  readonly name: string
  readonly at: number
  /** Missing where nobody looks at the attributes. */
  readonly attributes?: JsonObject
  readonly ltv: string
}

const NO_ATTRIBUTES: JsonObject = {}

function eventOf({ id, profileId, name, at, attributes = NO_ATTRIBUTES, ltv }: EventRow): StoredEvent {
  return { kind: 'event', id, profileId, name, at, attributes, ltv }
}
