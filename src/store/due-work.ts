import { STOPPED_BRANDS } from './brand/brand-state.ts'
import { IS_MOVED } from './campaigns/work.ts'
import type { Db } from './db.ts'
import { COUNTING_READER, IS_BEHIND, lacksReader } from './events/readers.ts'
import { ATTRIBUTE_TO_SORT } from './events/retyping.ts'
import type { WorkKind } from './notify.ts'
import { ERASURE_TO_FOLLOW, MERGE_TO_FOLLOW } from './people/follow-ups.ts'
import { UNHELD } from './push/sending-hold.ts'
import { CHANNEL_STEPS, ENDPOINT_STEPS } from './queue-steps.ts'

/** How long it is until work of a kind is due, by the database's clock; 0 or less if some is due now. */
export type DueWorkKind = { readonly kind: WorkKind; readonly inMs: number }

/** The answer of a look at all due work. */
export type DueWorkLook = {
  readonly kinds: readonly DueWorkKind[]
  /** The database's time of the look, in milliseconds. */
  readonly atMs: number
  /** The state of the database that the look saw. Null if time alone may make other work due than these kinds say. */
  readonly state: string | null
}

/**
 * The kinds of work that are or will be due, of all brands, in one statement that only steps through indexes. A kind
 * that is left out has no work. Work that another worker has in hand is not due before its lease ends. For
 * `Database.queue`.
 */
export async function loadDueWork(db: Db): Promise<DueWorkLook> {
  const { rows } = await db.query<LookRow & (DueWorkKind | { readonly kind: null })>(LOAD)
  const [row] = rows
  if (row === undefined) throw new Error('a look at due work has no time')
  const kinds = rows.flatMap((one) => (one.kind === null ? [] : [{ kind: one.kind, inMs: one.inMs }]))
  return { kinds, atMs: row.atMs, state: row.state }
}

/**
 * The answer that the next look at all due work would have, for a fraction of its cost; null if the look has to be taken. In the same
 * state of the database all rows are the same, and time has gone on.
 */
export async function passTime(db: Db, { kinds, atMs, state }: DueWorkLook): Promise<DueWorkLook | null> {
  if (state === null) return null
  const { rows } = await db.query<LookRow>(LOAD_STATE)
  const [now] = rows
  if (now === undefined || now.state !== state) return null
  const passedMs = now.atMs - atMs
  return { kinds: kinds.map(({ kind, inMs }) => ({ kind, inMs: inMs - passedMs })), ...now }
}

type LookRow = Pick<DueWorkLook, 'atMs' | 'state'>

const NOW = '(select now from moment)'

/** Each row finds the earliest instant at which a claim of its loop can find something. */
const DUE_AT: readonly (readonly [WorkKind, string])[] = [
  ['plan', earliestPlan(`mode = 'send' and wall is null`)],
  ['plan', earliestPlan(`(mode <> 'send' or wall is not null)`)],
  [
    'send',
    `select min(first.ready_at) from channel
     cross join (values (false), (true)) as is_of (bulk)
     cross join lateral (
       select c.ready_at from chunks as c
       where channel.brand_id <> all ${STOPPED_BRANDS} and c.brand_id = channel.brand_id
         and c.platform = channel.platform and c.is_bulk = is_of.bulk and c.expires_at > ${NOW}
         and (c.leased_until is null or c.leased_until <= ${NOW})
       order by c.ready_at limit 1
     ) as first where ${UNHELD}`,
  ],
  [
    'journeys',
    `select min(first.at) from journeys as j cross join lateral (
       select case when j.state = 'active' then e.wake_at else ${NOW} end as at from enrolments as e
       where e.brand_id = j.brand_id and e.journey_id = j.id and e.state = 'active' order by e.wake_at limit 1
     ) as first
     where j.state in ('active', 'archived') and j.brand_id <> all ${STOPPED_BRANDS} and ${UNHELD}`,
  ],
  [
    'journeys',
    `select min(scan_at) from journeys where state = 'active' and brand_id <> all ${STOPPED_BRANDS}`,
  ],
  [
    'webhooks',
    `select min(greatest(first.ready_at, e.paused_until)) from waiting_endpoint as turn
     join webhook_endpoints as e on e.brand_id = turn.brand_id and e.id = turn.endpoint_id
     cross join lateral (
       select m.ready_at from webhook_messages as m
       where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.state = 'waiting' order by m.ready_at limit 1
     ) as first where e.disabled_at is null and e.brand_id <> all ${STOPPED_BRANDS} and ${UNHELD}`,
  ],
  ['events', nowIf(`select from event_readers as r where ${IS_BEHIND}`)],
  ['events', nowIf(`select from brands where ${lacksReader(`'${COUNTING_READER}'`)}`)],
  ['events', nowIf(`select from profile_merges where ${MERGE_TO_FOLLOW}`)],
  ['events', nowIf(`select from erasures where ${ERASURE_TO_FOLLOW}`)],
  ['events', nowIf(`select from retyped_attributes where ${ATTRIBUTE_TO_SORT}`)],
  ['campaigns', nowIf(`select from campaigns as c where ${IS_MOVED}`)],
  ['campaigns', nowIf('select from goal_recounts')],
  [
    'campaigns',
    `select min(decide_at) from campaigns
     where decide_at is not null and decision is null and state in ('sending', 'deciding')
       and brand_id <> all ${STOPPED_BRANDS} and ${UNHELD}`,
  ],
  [
    'upkeep',
    `select expires_at from chunks where leased_until is null or leased_until <= ${NOW} order by expires_at limit 1`,
  ],
  ['upkeep', nowIf('select from brands where deleted_at is not null and restorable_until is null')],
]

function earliestPlan(condition: string): string {
  return `select plan_at from notifications where plan_at is not null and ${condition} and ${UNHELD}
    order by plan_at limit 1`
}

function nowIf(work: string): string {
  return `select ${NOW} where exists (${work})`
}

/**
 * The state of the database that a statement sees. A snapshot names the transactions whose changes it does not see, so
 * two equal snapshots see the same rows: a transaction that ends changes all later ones, also if it was prepared or began
 * before both. After a crash or a failover numbers of lost transactions come again, to other sessions or another server.
 */
const STATE = `concat_ws(' ', pg_postmaster_start_time(), pg_backend_pid(), pg_current_snapshot())`

/** Rows that become work, or cease to hide other work, at an instant that `DUE_AT` does not give. */
const TURNS_WITH_TIME = `exists (select from chunks) or exists (select from campaigns where state = 'scheduled')
    or exists (select from erasures) or exists (select from retyped_attributes)`

const MS = (instant: string): string => `(extract(epoch from ${instant}) * 1000)::float8`

const LOAD = {
  name: 'load_due_work',
  text: `with recursive moment (now) as materialized (select clock_timestamp()
  ), ${CHANNEL_STEPS}, ${ENDPOINT_STEPS}, found (kind, at) as (
    ${DUE_AT.map(([kind, query]) => `select '${kind}', (${query})`).join('\n    union all\n    ')}
  ), due (kind, at) as (select kind, min(at) from found where at is not null group by kind)
  select due.kind, ${MS('due.at - moment.now')} as "inMs", ${MS('moment.now')} as "atMs",
    case when not (${TURNS_WITH_TIME}) then ${STATE} end as state
  from moment left join due on true`,
}

const LOAD_STATE = {
  name: 'load_database_state',
  text: `select ${STATE} as state, ${MS('clock_timestamp()')} as "atMs"`,
}
