import type { EventWeek } from '../../domain/events/week.ts'
import type { Db } from '../db.ts'
import type { EventNeed } from '../event-needs.ts'
import type { ViewFile } from './frozen-view.ts'
import { enoughFiles, type PickableFile, pickedSql } from './picked-files.ts'

/** The class of the advisory locks, one for each brand, under which the rows of a range are dropped or brought back. */
const ROWS_LOCK = 1_650_815_855

/**
 * Keeps the set of dropped rows as it is until the transaction ends: readers share the lock, and whoever drops rows or brings
 * them back has it alone.
 */
export async function lockDroppedRows(
  tx: Db,
  { brandId, use }: Pick<EventNeed, 'brandId' | 'use'>,
): Promise<void> {
  const shared = use === 'read' ? '_shared' : ''
  await tx.query(`select pg_advisory_xact_lock${shared}($1, $2)`, [ROWS_LOCK, brandId])
}

/** A file whose rows are dropped, and the events of it that are read from their rows all the same. */
export type AloneFile = ViewFile & {
  readonly firstId: bigint
  readonly endId: bigint
  /** The number of events in the file. */
  readonly events: number
  readonly columns: readonly string[]
  readonly changed: readonly bigint[]
}

/** The files with events that are needed and have no rows, and the bounds of the need. */
export type NeededFiles = {
  readonly files: readonly AloneFile[]
  readonly people: readonly bigint[] | null
  /** In milliseconds; null is without an end. */
  readonly since: number | null
  readonly until: number | null
}

const ALONE_COLUMNS = `f.first_id as "firstId", f.end_id as "endId", path, columns,
  events::double precision as events, bytes::double precision as bytes, coalesce(encode(sha256, 'hex'), '') as sha256,
  array(select event_id from event_file_changes as c
    where c.brand_id = f.brand_id and c.event_id >= f.first_id and c.event_id < f.end_id and c.tx >= f.fence) as changed`

export async function findNeededFiles(tx: Db, need: EventNeed): Promise<NeededFiles> {
  const { brandId, pick } = need
  const since = `coalesce(${need.since ?? 'null'}, timestamptz '-infinity')`
  const until = `coalesce(${need.until ?? 'null'}, timestamptz 'infinity')`
  const { rows } = await tx.query<AloneFile & PickableFile>(
    `select ${ALONE_COLUMNS}, least_event_at >= ${since} and greatest_event_at <= ${until} as "isWhole"
     from event_files as f where f.brand_id = $1 and is_alone
       and greatest_event_at >= ${since} and least_event_at <= ${until} and ${pickedSql(pick)} order by f.first_id`,
    [brandId],
  )
  const files = enoughFiles(rows, need)
  if (files.length === 0) return { files, people: null, since: null, until: null }
  return { files, people: await peopleOf(tx, need), ...(await boundsOf(tx, need)) }
}

async function boundsOf(
  tx: Db,
  { since, until }: Pick<EventNeed, 'since' | 'until'>,
): Promise<Pick<NeededFiles, 'since' | 'until'>> {
  const { rows } = await tx.query<Pick<NeededFiles, 'since' | 'until'>>(
    `select (${since ?? 'null'})::timestamptz as since, (${until ?? 'null'})::timestamptz as until`,
  )
  return rows[0] ?? { since: null, until: null }
}

/** The files of a week whose rows are dropped, of all brands. */
export async function findDroppedFiles(
  db: Db,
  { firstId, endId }: Pick<EventWeek, 'firstId' | 'endId'>,
): Promise<readonly (AloneFile & { readonly brandId: number })[]> {
  const { rows } = await db.query<AloneFile & { readonly brandId: number }>(
    `select f.brand_id as "brandId", ${ALONE_COLUMNS}
     from event_files as f where is_alone and f.first_id >= $1 and f.first_id < $2 order by f.brand_id, f.first_id`,
    [firstId, endId],
  )
  return rows
}

/** After a recent merge, events may still be under the absorbed profile. */
async function peopleOf(
  tx: Db,
  { brandId, people }: Pick<EventNeed, 'brandId' | 'people'>,
): Promise<readonly bigint[] | null> {
  if (people !== null && 'firstDevice' in people) return ownersOf(tx, { brandId, ...people })
  if (people === null || !('userId' in people)) return people
  const { rows } = await tx.query<{ id: bigint }>(
    `with recursive mine as (
       select profile_id as id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $2
       union all
       select absorbed_id from profile_merges join mine on survivor_id = mine.id where brand_id = $1 and state = 'moving'
     ) select id from mine`,
    [brandId, people.userId],
  )
  return rows.map(({ id }) => id)
}

type DeviceRange = { readonly brandId: number; readonly firstDevice: bigint; readonly lastDevice: bigint }

/** The people of a chunk of devices; null if there are so many that everybody is asked for as well. */
async function ownersOf(
  tx: Db,
  { brandId, firstDevice, lastDevice }: DeviceRange,
): Promise<readonly bigint[] | null> {
  const { rows } = await tx.query<{ id: bigint }>(
    `select distinct profile_id as id from subscriptions
     where brand_id = $1 and id between $2 and $3 and profile_id is not null limit $4`,
    [brandId, firstDevice, lastDevice, OWNERS_MAX + 1],
  )
  return rows.length > OWNERS_MAX ? null : rows.map(({ id }) => id)
}

const OWNERS_MAX = 20_000
