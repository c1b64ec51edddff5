import type { EventEntry } from '../../domain/events/entry.ts'
import type { AttributeCounts, CheckedEntry } from '../../domain/events/type-locks.ts'
import type { Identifiers } from '../../domain/people/identifiers.ts'
import { identifierNamesOf, keyOf, type Name } from '../../domain/people/identity-plan.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { splitByWeight } from '../../domain/values/split-by-weight.ts'
import { LTV_DEFAULT } from '../../rules/events.ts'
import type { IdentityKind } from '../../rules/people.ts'
import { collectYoung } from '../../runtime/processes/collect-garbage.ts'
import type { Db } from '../db.ts'
import { makeProfiles } from '../people/profile-making.ts'
import { ProfileGone } from '../retry.ts'

export type EventBatch = {
  readonly brandId: number
  /** At most 1000. */
  readonly entries: readonly CheckedEntry<EventEntry>[]
  readonly attributeCounts: AttributeCounts
  /**
   * Identities (`keyOf`) of people whose profiles were made for this batch. Their events count as before creation,
   * whatever the times say.
   */
  readonly newcomers: ReadonlySet<string>
  /** The body of the call, if it contains exactly the entries. Then its bytes are stored and not serialised again. */
  readonly body: Uint8Array | null
  readonly now: number
}

/**
 * Stores the events of one transaction. Each event finds its profile by its first identity. Profiles for unknown
 * people are made in the same transaction, a moment later than their events (spec §4.2, E2). Returns the positions of
 * the events of unknown people.
 */
export async function insertBatch(tx: Db, batch: EventBatch): Promise<ReadonlySet<number>> {
  const { brandId, now } = batch
  const batchId = await openBatch(tx, batch)
  const stored = batch.body === null ? 0 : await insertBody(tx, { ...batch, batchId, body: batch.body })
  if (stored === batch.entries.length) return new Set()
  const bytesOf = (row: Row): number => batch.entries[row.i]?.entry.bytes ?? 0
  let rows: readonly Row[] = batch.entries.map((entry, position) => toRow(entry, position, batch.newcomers))
  const newcomers = new Set(rows.filter(({ b }) => b === true).map(({ i }) => i))
  if (stored > 0) rows = await dropStored(tx, { brandId, batchId, rows })
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if ((await insertParts(tx, { brandId, batchId, rows }, bytesOf)) === rows.length) {
      return new Set([...newcomers, ...rows.filter(({ b }) => b === true).map(({ i }) => i)])
    }
    rows = await dropStored(tx, { brandId, batchId, rows })
    for (const kind of ['user_id', 'visitor'] as const) {
      const values = rows.flatMap(({ k = 'user_id', u }) => (k === kind ? [u] : []))
      if (values.length > 0) await makeProfiles(tx, { brandId, kind, values, createdAt: now + 1 })
    }
  }
  throw new ProfileGone('profiles kept vanishing while their events were stored')
}

/** The second round makes profiles. Only a profile that is erased at this very moment needs a third. */
const ROUNDS_MAX = 4

/** An event on its way to the database. A field that is undefined is left out of the JSON; most have their default. */
type Row = {
  /** Position in the batch. */
  readonly i: number
  /** Kind and value of the identity that finds the profile. */
  readonly k: IdentityKind | undefined
  readonly u: string
  readonly n: string
  readonly t: number
  /** The last moment of the event's time, if its caller told a time. */
  readonly z: number | undefined
  readonly l: string | undefined
  readonly a: object
  readonly s: object | undefined
  readonly c: object | undefined
  readonly d: string | undefined
  /** Set for an event that counts as before its profile's creation, whatever its time says. */
  readonly b: true | undefined
}

function toRow(
  { entry, shown, mistyped }: CheckedEntry<EventEntry>,
  position: number,
  newcomers: ReadonlySet<string>,
): Row {
  const name = firstName(entry.who)
  const { kind, value } = name
  return {
    i: position,
    k: kind === 'user_id' ? undefined : kind,
    u: value,
    n: entry.name,
    t: entry.at,
    z: entry.lastAt ?? undefined,
    l: entry.ltv === LTV_DEFAULT ? undefined : entry.ltv,
    a: shown,
    s: mistyped ?? undefined,
    c: entry.context ?? undefined,
    d: entry.eventId ?? undefined,
    b: newcomers.size > 0 && newcomers.has(keyOf(name)) ? true : undefined,
  }
}

function firstName(who: Identifiers): Name {
  if (who.userId !== null) return { kind: 'user_id', value: who.userId }
  const [name] = identifierNamesOf(who)
  if (name === undefined) throw new Error('an entry without a name got past the parser')
  return name
}

/**
 * Writes the batch and gives its id: the milliseconds of `now`, then a number that tells batches of one millisecond
 * apart.
 */
async function openBatch(tx: Db, { brandId, entries, attributeCounts, now }: EventBatch): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>(
    {
      name: 'open_event_batch',
      text: `insert into event_batches (brand_id, id, entries, attributes_seen)
        values ($1, ($2::bigint << 21) | (nextval('event_batch_numbers') << 10), $3, $4)
        returning id`,
    },
    [brandId, now, entries.length, encodeJson(attributeCounts)],
  )
  const [batch] = rows
  if (batch === undefined) throw new Error('an inserted batch came back without a row')
  return batch.id
}

type Insert = {
  readonly brandId: number
  readonly batchId: bigint
  readonly rows: readonly Row[]
}

/**
 * The statement that stores events; `bench/events.ts` measures it bare. The limit keeps the lookup of profiles a
 * lookup: without fresh statistics the planner would read all profiles. The kind is a `case` and not a `coalesce`,
 * because row-level security keeps `coalesce` from the index.
 */
export const INSERT_EVENTS = {
  name: 'insert_events',
  text: `insert into events
    (id, profile_id, event_at, brand_id, is_before_creation, is_from_browser, event_name, ltv, attributes, mistyped,
     context, event_id)
  select $2::bigint + i, profile_id, to_timestamp(t / 1000), $1,
    b is not null or coalesce(to_timestamp(z / 1000) < profile_created_at, false), k is not distinct from 'visitor', n, coalesce(l, ${LTV_DEFAULT}),
    a, s, c, d
  from jsonb_to_recordset($3::jsonb) as e (i integer, k text, u text, n text, t double precision,
    z double precision, l numeric, a jsonb, s jsonb, c jsonb, d text, b boolean)
  cross join lateral (
    select profile_id, profile_created_at from profile_identities
    where brand_id = $1 and kind = case when e.k is null then 'user_id' else e.k end and value = e.u limit 1
  ) as person`,
}

type InsertBody = Pick<EventBatch, 'brandId' | 'entries'> & {
  readonly batchId: bigint
  readonly body: Uint8Array
}

/**
 * Stores the events from the bytes of the call. Only the times are sent beside, because the brand's zone decides them.
 * Events without a time of their own all have the moment of the call, which is then sent once.
 */
async function insertBody(tx: Db, { brandId, batchId, entries, body }: InsertBody): Promise<number> {
  const times = entries.map(({ entry }) => entry.at)
  const lastTimes = entries.map(({ entry }) => entry.lastAt)
  const [first = 0] = times
  const [firstLast = null] = lastTimes
  const isOneMoment = times.every((at) => at === first) && lastTimes.every((lastAt) => lastAt === firstLast)
  const { count } = isOneMoment
    ? await tx.query(INSERT_BODY.atOnce, [brandId, batchId, body, first, firstLast])
    : await tx.query(INSERT_BODY.atTimes, [brandId, batchId, body, times, lastTimes])
  return count
}

const INSERT_BODY = {
  atOnce: {
    name: 'insert_event_body_at_once',
    text: insertBodySql({ at: '$4::double precision', lastAt: '$5::double precision' }),
  },
  atTimes: {
    name: 'insert_event_body',
    text: insertBodySql({
      at: '($4::double precision[])[place]',
      lastAt: '($5::double precision[])[place]',
    }),
  },
} as const

function insertBodySql({ at, lastAt }: { readonly at: string; readonly lastAt: string }): string {
  return `insert into events
    (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context, event_id)
  select $2::bigint + place - 1, profile_id, to_timestamp(${at} / 1000), $1,
    coalesce(to_timestamp(${lastAt} / 1000) < profile_created_at, false), n, coalesce(l, ${LTV_DEFAULT}), a, c, d
  from rows from (
    jsonb_to_recordset($3::text::jsonb -> 'nv')
      as ("userID" text, event_name text, ltv numeric, attributes jsonb, context jsonb, event_id text)
  ) with ordinality as e (u, n, l, a, c, d, place)
  cross join lateral (
    select profile_id, profile_created_at from profile_identities
    where brand_id = $1 and kind = 'user_id' and value = e.u limit 1
  ) as person`
}

/**
 * Uses as many statements as necessary, so that neither side has a very large call in memory twice. The text of each is
 * collected before the next is written.
 */
async function insertParts(tx: Db, insert: Insert, bytesOf: (row: Row) => number): Promise<number> {
  let stored = 0
  for (const [part, rows] of splitByWeight(insert.rows, bytesOf, STATEMENT_BYTES_MAX).entries()) {
    if (part > 0) collectYoung()
    stored += await insertRows(tx, { ...insert, rows })
  }
  return stored
}

const STATEMENT_BYTES_MAX = 1024 * 1024

/** Stores the events whose profile is known, and returns their number. */
async function insertRows(tx: Db, { brandId, batchId, rows }: Insert): Promise<number> {
  const { count } = await tx.query(INSERT_EVENTS, [brandId, batchId, encodeJson(rows)])
  return count
}

/** The events that are not stored yet: those of unknown people. They count as before creation from now on. */
async function dropStored(tx: Db, { brandId, batchId, rows }: Insert): Promise<readonly Row[]> {
  const { rows: stored } = await tx.query<{ place: number }>(
    `select (id - $2::bigint)::integer as place from events
     where brand_id = $1 and id >= $2::bigint and id < $2::bigint + 1024`,
    [brandId, batchId],
  )
  const places = new Set(stored.map(({ place }) => place))
  return rows.filter(({ i }) => !places.has(i)).map((row) => ({ ...row, b: true }))
}
