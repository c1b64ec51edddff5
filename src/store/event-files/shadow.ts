import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CopySession } from '../connection/copy.ts'
import type { Db } from '../db.ts'

/** The columns of an event that comes from a file, in the order of its line. */
export const THAWED_COLUMNS = [
  'brand_id',
  'id',
  'profile_id',
  'event_at',
  'event_name',
  'ltv',
  'is_before_creation',
  'is_from_browser',
  'event_id',
  'source_profile_id',
  'context',
  'mistyped',
  'attributes',
] as const

/**
 * From now on until the transaction ends, `events` has the rows of `cold_events` too. `used`: an earlier statement of the transaction has
 * opened it, and may have brought some of the same events.
 */
export async function openShadow(tx: Db): Promise<'new' | 'used'> {
  const { rows } = await tx.query<{ isOpen: boolean }>(
    `select to_regclass('pg_temp.cold_events') is not null as "isOpen"`,
  )
  if (rows[0]?.isOpen === true) return 'used'
  await tx.query('create temporary table cold_events (like public.events) on commit drop')
  await tx.query(
    'create temporary view events as select * from public.events union all select * from pg_temp.cold_events',
  )
  return 'new'
}

/**
 * While events are brought, the transaction may wait for files and for DuckDB for longer than `idle_in_transaction_session_timeout` of its
 * session. The time of bringing (`thawMsMax`) ends first, even if DuckDB has to be started.
 */
export async function keepOpen(tx: Db): Promise<void> {
  await tx.query(`set local idle_in_transaction_session_timeout = '2min'`)
}

/** From now on the transaction may be idle for as long as others of its session. */
export async function keepOpenNoLonger(tx: Db): Promise<void> {
  await tx.query('set local idle_in_transaction_session_timeout to default')
}

export async function emptyShadow(tx: Db): Promise<void> {
  await tx.query('truncate pg_temp.cold_events')
}

/** An index for each way in which events are looked up, once there are many. Events without attributes are looked up by person only. */
export async function indexShadow(tx: Db, { isBare }: { readonly isBare: boolean }): Promise<void> {
  await tx.query(
    'create index if not exists cold_profile on pg_temp.cold_events (brand_id, profile_id, event_at)',
  )
  if (!isBare) {
    await tx.query('create index if not exists cold_id on pg_temp.cold_events (id)')
    await tx.query(
      'create index if not exists cold_name on pg_temp.cold_events (brand_id, event_name, event_at)',
    )
  }
  await tx.query('analyze pg_temp.cold_events')
}

/** A table for events that may be in another one already. */
export async function openBrought(tx: Db): Promise<void> {
  await tx.query('create temporary table if not exists brought_events (like public.events) on commit drop')
}

/** Adds events to a table, which has none of them. The lines are those of `thawSql`. */
export async function copyThawed(
  tx: CopySession,
  lines: string,
  table: 'pg_temp.cold_events' | 'pg_temp.brought_events' | 'pg_temp.written_events',
): Promise<void> {
  await pipeline(Readable.from([lines]), tx.copyIn(`copy ${table} (${THAWED_COLUMNS.join(', ')}) from stdin`))
}

type Moving = {
  readonly table: 'public.events' | 'pg_temp.cold_events'
  /** Whether they came without their attributes. */
  readonly isBare: boolean
}

/**
 * Moves the events of `openBrought` to the shadow, or makes rows of them again, which are noted as changed by the trigger of their week. An
 * event of the shadow that an earlier statement brought may lack its attributes.
 */
export async function moveBrought(tx: Db, { table, isBare }: Moving): Promise<void> {
  const columns = THAWED_COLUMNS.join(', ')
  const isKept = isBare || table === 'public.events'
  if (table === 'pg_temp.cold_events')
    await tx.query('create unique index if not exists cold_once on pg_temp.cold_events (id)')
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from pg_temp.brought_events
     on conflict ${isKept ? 'do nothing' : '(id) do update set attributes = excluded.attributes, context = excluded.context, mistyped = excluded.mistyped'}`,
  )
  await tx.query('truncate pg_temp.brought_events')
}
