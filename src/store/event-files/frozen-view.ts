import { firstIdAt } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { Db } from '../db.ts'

/** Ids from `from` to below `to`; null is without an end. */
export type IdSpan = { readonly from: bigint; readonly to: bigint | null }

/**
 * Where the events of a question are, in one snapshot: in files, but for those that changed since, or in rows. Each event is in
 * exactly one of the two.
 */
export type FrozenView = {
  /** The files that may have events of the time. */
  readonly files: readonly TimedFile[]
  /** Whether one of these files has the only copy of its events. */
  readonly hasAlone: boolean
  /** Events in the files that are not to be read there. If their rows still exist, they are read from these. */
  readonly changed: readonly bigint[]
  /** Late events of the time: their ids are in the ranges of files of another time, and they are read from their rows. */
  readonly late: readonly bigint[]
  /** People who are being erased: their events in the files count no more. */
  readonly erased: readonly bigint[]
  /** The ids of all other events that are read from their rows. */
  readonly hot: readonly IdSpan[]
  /** The ids between which those of the brand's people are. */
  readonly people: { readonly first: bigint; readonly last: bigint }
}

/** A listed file: its path, from the folder on, and its content. The hash is in hex, and empty if it is not known. */
export type ViewFile = { readonly path: string; readonly bytes: number; readonly sha256: string }

/** Such a file, the times of its first and its last event, and the columns of attributes that it has. */
export type TimedFile = ViewFile & {
  readonly leastAt: number
  readonly greatestAt: number
  readonly columns: readonly string[]
}

type ViewRow = TimedFile & {
  readonly firstId: bigint
  readonly endId: bigint
  readonly isOutside: boolean
  readonly isAlone: boolean
  readonly changed: readonly bigint[]
}

type AskedTime = { readonly brandId: number; readonly fromAt: number; readonly toAt: number }

/** The transaction must see one instant: the same snapshot reads the rows afterwards. */
export async function loadFrozenView(tx: Db, { brandId, fromAt, toAt }: AskedTime): Promise<FrozenView> {
  const most = EVENT_FILE_LIMITS.changesReadMax
  const { rows } = await tx.query<ViewRow>(
    `select f.first_id as "firstId", f.end_id as "endId", path, columns,
       bytes::double precision as bytes, coalesce(encode(sha256, 'hex'), '') as sha256,
       is_outside as "isOutside", is_alone as "isAlone",
       floor(extract(epoch from least_event_at) * 1000)::double precision as "leastAt",
       ceil(extract(epoch from greatest_event_at) * 1000)::double precision as "greatestAt",
       array(select event_id from event_file_changes as c
         where c.brand_id = $1 and c.event_id >= f.first_id and c.event_id < f.end_id and c.tx >= f.fence
           and case when is_outside then (select e.event_at >= $2 and e.event_at < $3 from events as e
             where e.brand_id = $1 and e.id = c.event_id) else true end
         limit case when f.is_alone or is_outside then null else $4::bigint end) as changed
     from event_files as f, lateral (select greatest_event_at < $2 or least_event_at >= $3 as is_outside) as place
     where f.brand_id = $1 order by f.first_id`,
    [brandId, new Date(fromAt), new Date(toAt), most + 1],
  )
  const hasAlone = rows.some(({ isAlone }) => isAlone)
  const { rows: people } = await tx.query<{ id: bigint }>(
    'select profile_id as id from erasures where brand_id = $1 limit $2',
    [brandId, hasAlone ? null : most + 1],
  )
  const erased = people.map(({ id }) => id)
  const ids = await loadPersonIds(tx, brandId)
  // A statement with very many ids would be slow. Rows leave any number of people out, where all events have rows.
  return viewOf(erased.length > most && !hasAlone ? [] : rows, { fromAt, erased, people: ids })
}

async function loadPersonIds(tx: Db, brandId: number): Promise<FrozenView['people']> {
  const { rows } = await tx.query<FrozenView['people']>(
    `select coalesce(min(id), 0) as first, coalesce(max(id), 0) as last from profiles where brand_id = $1`,
    [brandId],
  )
  return rows[0] ?? { first: 0n, last: 0n }
}

/** A file of another time needs no look at all. */
function viewOf(
  rows: readonly ViewRow[],
  { fromAt, erased, people }: Pick<AskedTime, 'fromAt'> & Pick<FrozenView, 'erased' | 'people'>,
): FrozenView {
  const cold = withFewChanges(rows)
  const read = cold.filter(({ isOutside }) => !isOutside)
  return {
    files: read.map(({ path, bytes, sha256, leastAt, greatestAt, columns }) => ({
      path,
      bytes,
      sha256,
      leastAt,
      greatestAt,
      columns,
    })),
    hasAlone: read.some(({ isAlone }) => isAlone),
    changed: read.flatMap(({ changed }) => changed),
    late: cold.flatMap(({ changed, isOutside }) => (isOutside ? changed : [])),
    erased,
    people,
    hot: spansBetween(cold, firstIdAt(Math.max(0, fromAt - EVENT_LIMITS.futureMsMax))),
  }
}

/**
 * A file with too many changes is left out, and its rows are read, if they are all there. If all files together have too many, those with the
 * most are left out.
 */
function withFewChanges(rows: readonly ViewRow[]): readonly ViewRow[] {
  const { changesReadMax, allChangesReadMax } = EVENT_FILE_LIMITS
  const read = rows.filter(({ isOutside }) => !isOutside)
  let all = read.reduce((sum, { changed }) => sum + changed.length, 0)
  const left = new Set<ViewRow>()
  const most = read.toSorted((a, b) => b.changed.length - a.changed.length)
  for (const row of most.filter(({ isAlone }) => !isAlone)) {
    if (row.changed.length <= changesReadMax && all <= allChangesReadMax) break
    all -= row.changed.length
    left.add(row)
  }
  return rows.filter((row) => !left.has(row))
}

/** The spans that no file covers, from the first id that can be wanted on. */
function spansBetween(
  files: readonly Pick<ViewRow, 'firstId' | 'endId'>[],
  start: bigint,
): readonly IdSpan[] {
  const spans: IdSpan[] = []
  let from = start
  for (const { firstId, endId } of files) {
    if (firstId > from) spans.push({ from, to: firstId })
    if (endId > from) from = endId
  }
  return [...spans, { from, to: null }]
}
