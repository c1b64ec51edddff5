import { type EventWeek, WEEK_MS, weekOf, weekOfTable } from '../../domain/events/week.ts'
import type { Db } from '../db.ts'
import { forgetWeek } from '../event-files/frozen-weeks.ts'
import { SESSION_LOCKS } from '../session-locks.ts'

export type WeekUpkeep = { readonly now: number; readonly retentionDays: number }

/** The partitions that were made and dropped. */
export type WeekChanges = { readonly made: readonly string[]; readonly dropped: readonly string[] }

const WEEKS_AHEAD = 4
const LOCK_WAIT = '5s'

/**
 * Makes the partitions of the weeks to come, and drops those beyond retention. It needs the owner of the tables. Two
 * processes that do it at the same time wait for each other; when a lock does not come soon, the work is left for the
 * next round.
 */
export async function maintainWeeks(owner: Db, { now, retentionDays }: WeekUpkeep): Promise<WeekChanges> {
  await owner.query(`set lock_timeout = '${LOCK_WAIT}'`)
  await owner.query('select pg_advisory_lock($1, $2)', SESSION_LOCKS.eventWeeks)
  const present = await loadWeeks(owner)
  const known = new Set(present.map(({ table }) => table))
  const wanted = Array.from({ length: WEEKS_AHEAD + 1 }, (_, ahead) => weekOf(now + ahead * WEEK_MS))
  const missing = wanted.filter(({ table }) => !known.has(table))
  for (const week of missing) await makeWeek(owner, week)
  const stale = present.filter(({ endsAt }) => endsAt <= now - retentionDays * DAY_MS)
  for (const week of stale) await dropWeek(owner, week)
  await owner.query('select pg_advisory_unlock($1, $2)', SESSION_LOCKS.eventWeeks)
  return { made: missing.map(({ table }) => table), dropped: stale.map(({ table }) => table) }
}

const DAY_MS = 86_400_000

/** Drops a week with the list of its event files; `sweepFiles` removes files that are on no list. */
async function dropWeek(owner: Db, week: EventWeek): Promise<void> {
  await owner.query('begin')
  await owner.query(`drop table ${week.table}`)
  await forgetWeek(owner, week)
  await owner.query('commit')
}

/** The weeks of events that there are. */
export async function loadWeeks(db: Db): Promise<readonly EventWeek[]> {
  const { rows } = await db.query<{ table: string }>(
    `select relname as table from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'events'::regclass`,
  )
  return rows.flatMap(({ table }) => weekOfTable(table) ?? [])
}

/**
 * About how many events these weeks have, all brands together. The tables are not read: the planner's statistics tell, brought to the size of
 * today as the planner does it.
 */
export async function estimateEvents(db: Db, tables: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ events: number }>(
    `select coalesce(sum(case when c.reltuples > 0 and c.relpages > 0 then c.reltuples / c.relpages * size.pages
         else size.pages * ${PAGE_ROWS} end), 0)::double precision as events
     from pg_inherits join pg_class as c on c.oid = inhrelid, lateral (
       select pg_relation_size(c.oid)::double precision / current_setting('block_size')::integer as pages
     ) as size
     where inhparent = 'events'::regclass and c.relname = any($1::text[])`,
    [tables],
  )
  return rows[0]?.events ?? 0
}

/** More rows than a page of events usually has, for a table that was never analysed: with too high a number weeks are frozen sooner. */
const PAGE_ROWS = 40

/**
 * Makes the partition of a week. Events of that week that came before it are in the default partition, and are moved.
 * The new table is attached last, so that writers wait only for that.
 */
async function makeWeek(owner: Db, { table, firstId, endId }: EventWeek): Promise<void> {
  const bounds = `from (${firstId}) to (${endId})`
  await owner.query('begin')
  await owner.query(`create table ${table} (like events including all) with (${WEEK_OPTIONS})`)
  // As in the table of all weeks (decisions 0035 and 0044). `like` does not copy this setting.
  for (const column of BARE_COLUMNS)
    await owner.query(`alter table ${table} alter column ${column} set statistics 0`)
  await owner.query('lock table events_default in access exclusive mode')
  // Row-level security is forced on the owner too; the default partition itself has none.
  await owner.query(
    `with moved as (
       delete from events_default where id >= ${firstId} and id < ${endId} returning *
     )
     insert into ${table} select * from moved`,
  )
  await owner.query(`alter table events attach partition ${table} for values ${bounds}`)
  await owner.query('commit')
}

/** Columns without statistics: those of brands mislead the planner, and those of JSON are two thirds of the work of `analyze`. */
const BARE_COLUMNS = ['brand_id', 'attributes', 'context', 'mistyped']

/** Autovacuum analyses a week when it has grown by a fifth. By default it does so after a twentieth, and takes CPU from callers each time. */
const WEEK_OPTIONS = 'autovacuum_analyze_scale_factor = 0.2'
