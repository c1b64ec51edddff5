import { join } from 'node:path'
import { columnOf, type FileColumn } from '../../domain/events/file-columns.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { EventNeed } from '../event-needs.ts'
import { type AloneFile, type NeededFiles, THAWED_COLUMNS, type ThawedEvent } from './alone-files.ts'
import { duckInstant, duckName, duckText, textOf } from './duck-sql.ts'
import { conditionSql } from './file-values.ts'

type ThawPage = {
  readonly folder: string
  /** The files that may have events after `afterId`. */
  readonly files: readonly AloneFile[]
  readonly need: Pick<EventNeed, 'names' | 'where' | 'pick' | 'isBare'>
  readonly bounds: Omit<NeededFiles, 'files'>
  readonly afterId: bigint
  readonly limit: number
}

/** A page of the events of files that a need is about, by id, without those that are read from their rows. */
export function thawSql(page: ThawPage): string {
  const { files, need, afterId, limit } = page
  const columns = new Set(files.flatMap((file) => file.columns))
  const cells = cellsSql([...columns], need.isBare).join(', ')
  return `select ${cells} from (${pickSql(sourceSql(page), need.pick)}) as picked where id > ${afterId} order by id limit ${limit}`
}

/** The number of events of all pages. */
export function thawCountSql(pages: Omit<ThawPage, 'afterId' | 'limit'>): string {
  const { pick } = pages.need
  const source = sourceSql(pages)
  if (pick.kind !== 'each') return `select count(*) from (${pickSql(source, pick)}) as picked`
  return `select coalesce(sum(least(own, ${pick.limit})), 0)::bigint
    from (select count(*) as own from (${source}) group by profile_id, event_name)`
}

function sourceSql({ folder, files, need, bounds }: Omit<ThawPage, 'afterId' | 'limit'>): string {
  const paths = files.map(({ path }) => duckText(join(folder, path))).join(', ')
  const columns = new Set(files.flatMap((file) => file.columns))
  const changed = files.flatMap((file) => file.changed)
  const where = [
    ...(changed.length === 0 ? [] : [`id not in (${changed.join(', ')})`]),
    ...boundsSql(bounds, need.names),
    // A condition that only PostgreSQL can tell is left to it.
    ...need.where.map((condition) => conditionSql(condition, columns)).filter((sql) => sql !== null),
  ]
  return `select * from read_parquet([${paths}], union_by_name = true) where ${['true', ...where].map((sql) => `(${sql})`).join(' and ')}`
}

function boundsSql(
  { people, since, until }: Omit<NeededFiles, 'files'>,
  names: EventNeed['names'],
): readonly string[] {
  return [
    ...(people === null ? [] : [`profile_id in (${['-1', ...people].join(', ')})`]),
    ...(names === null ? [] : [`event_name in (${['', ...names].map(duckText).join(', ')})`]),
    ...(since === null ? [] : [`event_at >= ${duckInstant(since)}`]),
    // An instant in SQL may have microseconds, which a number of milliseconds lacks.
    ...(until === null ? [] : [`event_at < ${duckInstant(until + 1)}`]),
  ]
}

/**
 * The picked events of a select. A place is an instant here, and all events of its millisecond come along: which of them are on the
 * one side, to the microsecond and by id, tells the statement that reads them.
 */
function pickSql(source: string, pick: EventNeed['pick']): string {
  switch (pick.kind) {
    case 'all':
      return source
    case 'newest': {
      const newest = `order by event_at desc, id desc limit ${pick.limit}`
      if (pick.before === null) return `${source} ${newest}`
      const [from, to] = [duckInstant(pick.before.at), duckInstant(pick.before.at + 1)]
      return `(${source} and event_at < ${from} ${newest}) union all (${source} and event_at >= ${from} and event_at < ${to})`
    }
    case 'latest':
      return `${source} ${pick.beforeId === null ? '' : `and id < ${pick.beforeId}`} order by id desc limit ${pick.limit}`
    case 'next':
      return `${source} and id > ${pick.afterId} order by id limit ${pick.limit}`
    case 'following': {
      const following = `order by event_at, id limit ${pick.limit}`
      if (pick.after === null) return `${source} ${following}`
      const [from, to] = [duckInstant(pick.after.at), duckInstant(pick.after.at + 1)]
      return `(${source} and event_at >= ${to} ${following}) union all (${source} and event_at >= ${from} and event_at < ${to})`
    }
    case 'each':
      return `${source} qualify row_number() over (partition by profile_id, event_name order by event_at desc) <= ${pick.limit}`
    default:
      return unreachable(pick)
  }
}

/** In the order of `THAWED_COLUMNS`. */
function cellsSql(columns: readonly string[], isBare: boolean): readonly string[] {
  return [
    'id::varchar',
    'profile_id::varchar',
    'event_at::varchar',
    'event_name',
    digitsSql('ltv::varchar'),
    'is_before_creation',
    'is_from_browser',
    'event_id',
    'source_profile_id::varchar',
    isBare ? 'null' : 'context',
    isBare ? 'null' : 'mistyped',
    attributesSql(columns, isBare),
  ]
}

/** All attributes in JSON: as they are in the file, or put together from the columns. */
function attributesSql(columns: readonly string[], isBare: boolean): string {
  if (isBare) return `'{}'`
  const members = columns.map(columnOf).map((column) => {
    const name = duckName(column.name)
    return `case when ${name} is not null then ${duckText(`${JSON.stringify(column.attribute)}: `)} || ${jsonSql(column, name)} end`
  })
  if (members.length === 0) return `coalesce(attributes, '{}')`
  return `case when attributes is not null then attributes
    else '{' || concat_ws(', ', ${members.join(', ')}) || '}' end`
}

function jsonSql({ kind }: FileColumn, name: string): string {
  switch (kind) {
    case 'string':
      return `to_json(${name})::varchar`
    case 'number':
      return digitsSql(`${name}::varchar`)
    case 'boolean':
      return `${name}::varchar`
    case 'json':
      return name
    default:
      return unreachable(kind)
  }
}

/** A decimal without zeros at its end. */
function digitsSql(text: string): string {
  return `case when contains(${text}, '.') then rtrim(rtrim(${text}, '0'), '.') else ${text} end`
}

/** The event of a row of the answer. */
export function thawedOf(cells: readonly DuckDbCell[]): ThawedEvent {
  const [id, profileId, at, ...others] = cells
  const values = [id, profileId, `${textOf(at)}+00`, ...others].map((cell) =>
    typeof cell === 'string' || typeof cell === 'boolean' ? cell : null,
  )
  const entries = THAWED_COLUMNS.map((column, place) => [column, values[place] ?? null] as const)
  const event: Partial<Record<(typeof THAWED_COLUMNS)[number], string | boolean | null>> =
    Object.fromEntries(entries)
  return { ...NOTHING, ...event }
}

const NOTHING: ThawedEvent = {
  id: null,
  profile_id: null,
  event_at: null,
  event_name: null,
  ltv: null,
  is_before_creation: null,
  is_from_browser: null,
  event_id: null,
  source_profile_id: null,
  context: null,
  mistyped: null,
  attributes: null,
}
