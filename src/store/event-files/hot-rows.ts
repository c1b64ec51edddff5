import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { Copied } from '../connection/copy.ts'
import type { Db, OwnerSession } from '../db.ts'
import { notErasedSql } from '../events/filter.ts'

/** The events of a brand with ids from `firstId` to below `endId`: those that were received in a week, or in a part of it. */
export type RowRange = { readonly brandId: number; readonly firstId: bigint; readonly endId: bigint }

/** Rows to copy. With `everybody`, those of people who are being erased too: where rows are dropped, nothing else has their events. */
export type CopiedRange = RowRange & { readonly whose?: 'everybody' }

/**
 * Begins a transaction that reads the rows of one instant, as the role that sees all brands. The owner sees none, because
 * row-level security is forced on it too. With `scratch` it may make tables of its own, which end with it.
 */
export async function openHotRows(owner: Db, use: 'read' | 'scratch' = 'read'): Promise<void> {
  await owner.query(`begin isolation level repeatable read ${use === 'read' ? 'read only' : 'read write'}`)
  await owner.query('set local role beckon_engine')
  await owner.query(`set local timezone = 'UTC'`)
  // Freezing rests inside of this transaction. An operator may have set shorter limits for all sessions.
  await owner.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
}

/** The times of receipt of the brand's first and last event; null if there is none. */
export async function loadReceiptSpan(
  db: Db,
  brandId: number,
): Promise<{ readonly firstId: bigint; readonly lastId: bigint } | null> {
  const { rows } = await db.query<{ firstId: bigint | null; lastId: bigint | null }>(
    `select least((select id from events where brand_id = $1 order by id limit 1),
         (select min(first_id) from event_files where brand_id = $1 and is_alone)) as "firstId",
       greatest((select id from events where brand_id = $1 order by id desc limit 1),
         (select max(end_id) - 1 from event_files where brand_id = $1 and is_alone)) as "lastId"`,
    [brandId],
  )
  const { firstId = null, lastId = null } = rows[0] ?? {}
  return firstId === null || lastId === null ? null : { firstId, lastId }
}

/** The names of attributes of the brand's events, those with the most values first. */
export async function loadFileAttributes(db: Db, brandId: number): Promise<readonly string[]> {
  const { rows } = await db.query<{ attribute: string }>(
    `select attribute from attribute_locks where brand_id = $1 and event_name <> ''
     group by attribute order by sum(shown_count) desc, attribute limit $2`,
    [brandId, EVENT_FILE_LIMITS.attributesMax],
  )
  return rows.map(({ attribute }) => attribute)
}

/**
 * The rows of a range in the order of receipt, one line each, with the number of characters of all its texts at the end. Its
 * texts are JSON, which has no control character in it, and the name of an event, which has none either: so nothing in a line is
 * quoted but an empty text, and JSON is not made longer by the quotes of CSV.
 */
export function copyHotRows(owner: OwnerSession, range: CopiedRange): AsyncIterable<Buffer> & Copied {
  return owner.copyOut(
    `copy (select id, profile_id, at, event_name, ltv, is_before_creation, is_from_browser, to_json(event_id),
         source_profile_id, context, mistyped, attributes, ${charsSql()}
       from (select id, profile_id, event_at at time zone 'UTC' as at, event_name, ltv, is_before_creation, is_from_browser,
           event_id, source_profile_id, context::text as context, mistyped::text as mistyped, attributes::text as attributes
         from events as e where ${inRange(range)} order by id offset 0) as texts)
     to stdout (format csv, delimiter E'\\x02', quote E'\\x01')`,
  )
}

/** The id that ends a part of the range with so many events; the end of the range if it has no more. */
export async function findPartEnd(db: Db, range: RowRange, events: number): Promise<bigint> {
  const { brandId, firstId, endId } = range
  const { rows } = await db.query<{ id: bigint }>(
    'select id from events where brand_id = $1 and id >= $2 and id < $3 order by id offset $4 limit 1',
    [brandId, firstId, endId, events],
  )
  return rows[0]?.id ?? endId
}

/** Texts that are made once are counted where they are made. */
function charsSql(): string {
  return ['event_name', 'event_id', 'context', 'mistyped', 'attributes']
    .map((column) => `coalesce(length(${column}), 0)`)
    .join(' + ')
}

/** Copy takes no parameters. These are numbers of ours. */
function inRange({ brandId, firstId, endId, whose }: CopiedRange): string {
  const range = `e.brand_id = ${brandId} and e.id >= ${firstId} and e.id < ${endId}`
  return whose === 'everybody' ? range : `${range} and ${notErasedSql(String(brandId))}`
}

/** Counts and sums of rows, to compare two copies of them. Sums are exact and have no zeros at their end. */
export type RowSums = {
  readonly count: string
  readonly ltv: string
  readonly profiles: string
  readonly ids: string
}

export async function sumHotRows(db: Db, range: CopiedRange): Promise<RowSums> {
  const { rows } = await db.query<RowSums>(
    `select count(*)::text as count, trim_scale(coalesce(sum(ltv), 0))::text as ltv,
       coalesce(sum(profile_id), 0)::text as profiles, coalesce(sum(id), 0)::text as ids
     from events as e where ${inRange(range)}`,
  )
  const [sums] = rows
  if (sums === undefined) throw new Error('an aggregate came back without a row')
  return sums
}

/** The `userID` of each profile, one line of CSV each. A profile that was just merged has that of its survivor. */
export function copyPeople(owner: OwnerSession, brandId: number): AsyncIterable<Buffer> & Copied {
  return owner.copyOut(
    `copy (
       with recursive known as (
         select profile_id, min(value) as user_id from profile_identities
         where brand_id = ${brandId} and kind = 'user_id' group by profile_id
         union all
         select m.absorbed_id, known.user_id from profile_merges as m join known on m.survivor_id = known.profile_id
         where m.brand_id = ${brandId} and m.state = 'moving'
       )
       select profile_id, to_json(user_id) from known) to stdout (format csv)`,
  )
}
