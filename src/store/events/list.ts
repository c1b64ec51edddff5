import type { JsonObject } from '../../domain/values/json.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type EventFilter, filterSql } from './filter.ts'

export type EventRow = {
  readonly id: bigint
  readonly userId: string | null
  readonly name: string
  readonly at: number
  readonly ltv: string
  readonly attributes: JsonObject
  readonly context: JsonObject | null
  readonly eventId: string | null
  readonly isBeforeCreation: boolean
}

/** A place in a list: the event that was last. */
export type EventMark = { readonly at: number; readonly id: bigint }

const COLUMNS = `e.id, (select value from profile_identities as i
    where i.brand_id = e.brand_id and i.profile_id = e.profile_id and kind = 'user_id' order by value limit 1) as "userId",
  e.event_name as name, e.event_at as at, e.ltv, e.attributes, e.context, e.event_id as "eventId",
  e.is_before_creation as "isBeforeCreation"`

/**
 * A page of events. Those of one person or one name come newest first by when they happened; those of everybody by
 * when they were received, because that is the order they lie in.
 */
export async function listEvents(
  tx: Db,
  filter: EventFilter,
  page: { readonly before: EventMark | null; readonly limit: number },
): Promise<readonly EventRow[]> {
  const binds = new Binds()
  const where = [filterSql(filter, binds)]
  const isByTime = filter.userId !== null || filter.eventName !== null
  if (page.before !== null) {
    const id = binds.add(page.before.id)
    where.push(
      isByTime ? `(e.event_at, e.id) < (${binds.add(new Date(page.before.at))}, ${id})` : `e.id < ${id}`,
    )
  }
  const order = isByTime ? 'e.event_at desc, e.id desc' : 'e.id desc'
  const { rows } = await tx.query<EventRow>(
    `select ${COLUMNS} from events as e where ${where.join(' and ')} order by ${order} limit ${binds.add(page.limit)}`,
    binds.values,
  )
  return rows
}

/** An event with its mistyped values, which only the export of the person's own records shows. */
export type OwnEvent = EventRow & { readonly mistyped: JsonObject | null }

/** A person's events, newest first, under whatever profiles they stand. */
export async function listOwnEvents(
  tx: Db,
  of: { readonly brandId: number; readonly profileIds: readonly bigint[]; readonly limit: number },
): Promise<readonly OwnEvent[]> {
  const { rows } = await tx.query<OwnEvent>(
    `select ${COLUMNS}, e.mistyped from events as e
     where e.brand_id = $1 and e.profile_id = any($2) order by e.event_at desc, e.id desc limit $3`,
    [of.brandId, of.profileIds, of.limit],
  )
  return rows
}

/** The next events of an export, in the order they were received. */
export async function exportEvents(
  tx: Db,
  filter: EventFilter,
  page: { readonly afterId: bigint; readonly limit: number },
): Promise<readonly EventRow[]> {
  const binds = new Binds()
  const where = `${filterSql(filter, binds)} and e.id > ${binds.add(page.afterId)}`
  const { rows } = await tx.query<EventRow>(
    `select ${COLUMNS} from events as e where ${where} order by e.id limit ${binds.add(page.limit)}`,
    binds.values,
  )
  return rows
}

/** Where a live tail stands: everything up to this batch was shown. */
export type TailPlace = { readonly tx: string; readonly batchId: bigint }

/** The newest batch there is, or the beginning. A tail starts after it. */
export async function findTailPlace(tx: Db, brandId: number): Promise<TailPlace> {
  const { rows } = await tx.query<TailPlace>(
    `select b.tx::text as tx, b.id as "batchId" from event_batches as b
     where brand_id = $1 and b.tx < pg_snapshot_xmin(pg_current_snapshot())
     order by b.tx desc, b.id desc limit 1`,
    [brandId],
  )
  return rows[0] ?? { tx: '0', batchId: 0n }
}

/** `skipped` counts what a look left out. */
export type TailStep = {
  readonly events: readonly EventRow[]
  readonly place: TailPlace
  readonly skipped: number
}

/** What was committed since, in order; of a flood only the first of each look is shown, and the others are counted. */
export async function readTail(
  tx: Db,
  brandId: number,
  { place, limit }: { readonly place: TailPlace; readonly limit: number },
): Promise<TailStep> {
  const { rows: batches } = await tx.query<TailPlace & { readonly entries: number }>(
    `select b.tx::text as tx, b.id as "batchId", b.entries from event_batches as b
     where brand_id = $1 and (b.tx, b.id) > ($2::xid8, $3::bigint)
       and b.tx < pg_snapshot_xmin(pg_current_snapshot())
     order by b.tx, b.id limit $4`,
    [brandId, place.tx, place.batchId, limit],
  )
  const last = batches.at(-1)
  if (last === undefined) return { events: [], place, skipped: 0 }
  const { rows: events } = await tx.query<EventRow>(
    `select ${COLUMNS} from unnest($2::bigint[]) with ordinality as batch (id, place)
     join events as e on e.brand_id = $1 and e.id >= batch.id and e.id < batch.id + 1024
     order by batch.place, e.id limit $3`,
    [brandId, batches.map(({ batchId }) => batchId), limit],
  )
  const stored = batches.reduce((sum, { entries }) => sum + entries, 0)
  // Fewer than the limit are all there are: what is missing then was erased, not skipped.
  const skipped = events.length < limit ? 0 : stored - events.length
  return { events, place: { tx: last.tx, batchId: last.batchId }, skipped }
}
