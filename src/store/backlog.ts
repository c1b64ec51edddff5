import { LANE_ROWS_MAX, type LaneName } from '../rules/lanes.ts'
import { STOPPED_BRANDS } from './brand/brand-state.ts'
import { GOAL_READER } from './campaigns/goals.ts'
import type { Db } from './db.ts'
import { COUNTING_READER } from './events/readers.ts'
import { JOURNEY_READER } from './journeys/work.ts'
import { CHANNEL_STEPS, ENDPOINT_STEPS } from './queue-steps.ts'

/** The work that waits in one lane. `oldestMs` is 0 when none waits, and null when the lane has no ages. */
export type LaneBacklog = {
  readonly lane: LaneName
  readonly count: number
  readonly oldestMs: number | null
}

export type Backlog = { readonly readAt: number; readonly lanes: readonly LaneBacklog[] }

/**
 * The backlog of all brands that are not being deleted, in one statement that only steps through indexes: each count stops at `LANE_ROWS_MAX` rows,
 * and the oldest of a lane is the first row of each channel, journey, endpoint or reader. For `Database.queue`.
 */
export async function loadBacklog(db: Db): Promise<Backlog> {
  const { rows } = await db.query<LaneBacklog & { readonly readAt: number }>(LOAD)
  return {
    readAt: rows[0]?.readAt ?? 0,
    lanes: rows.map(({ lane, count, oldestMs }) => ({ lane, count, oldestMs })),
  }
}

const NOW = '(select now from moment)'

/** The endpoints that are called. */
const ENDPOINTS = `${ENDPOINT_STEPS}, open_endpoint as (
    select e.brand_id, e.id from waiting_endpoint as turn
    join webhook_endpoints as e on e.brand_id = turn.brand_id and e.id = turn.endpoint_id
    where e.disabled_at is null and e.brand_id <> all ${STOPPED_BRANDS}
  )`

function planLane(lane: LaneName, condition: string): string {
  return `select '${lane}' as lane, count(*) as count, min(plan_at) as oldest from (
    select plan_at from notifications where plan_at <= ${NOW} and ${condition} order by plan_at limit ${LANE_ROWS_MAX}
  ) as due`
}

/** A chunk that no worker has and that is ready. */
const READY_CHUNKS = `select c.attempt, c.remaining, c.ready_at from chunks as c
  where channel.brand_id <> all ${STOPPED_BRANDS} and c.brand_id = channel.brand_id
    and c.platform = channel.platform and c.is_bulk = is_of.bulk
    and c.ready_at <= ${NOW} and (c.leased_until is null or c.leased_until <= ${NOW})
  order by c.ready_at`

/** The oldest chunks of each channel, at most `LANE_ROWS_MAX`, are first attempts or retries. */
const CHUNKS = `ready_chunk as materialized (
    select is_of.bulk, ready.attempt > 1 as is_retry, ready.remaining from channel
    cross join (values (false), (true)) as is_of (bulk)
    cross join lateral (${READY_CHUNKS} limit ${LANE_ROWS_MAX / 10}) as ready limit ${LANE_ROWS_MAX}
  ), oldest_chunk as materialized (
    select is_of.bulk, ready.attempt > 1 as is_retry, ready.ready_at from channel
    cross join (values (false), (true)) as is_of (bulk)
    cross join lateral (${READY_CHUNKS} limit 100) as ready
  )`

function chunkLane(lane: LaneName, condition: string): string {
  return `select '${lane}', (select coalesce(sum(remaining), 0) from ready_chunk where ${condition}),
    (select min(ready_at) from oldest_chunk where ${condition})`
}

const JOURNEYS = `select 'journeys',
    (select count(*) from (
      select from journeys as j cross join lateral (
        select from enrolments as e where e.brand_id = j.brand_id and e.journey_id = j.id and e.state = 'active'
          and e.wake_at <= ${NOW} limit ${LANE_ROWS_MAX}
      ) as due where j.state = 'active' and j.brand_id <> all ${STOPPED_BRANDS} limit ${LANE_ROWS_MAX}
    ) as counted),
    (select min(due.wake_at) from journeys as j cross join lateral (
      select e.wake_at from enrolments as e
      where e.brand_id = j.brand_id and e.journey_id = j.id and e.state = 'active' and e.wake_at <= ${NOW}
      order by e.wake_at limit 1
    ) as due where j.state = 'active' and j.brand_id <> all ${STOPPED_BRANDS})`

/** The oldest message is among the first, which are due, or among the last, which wait for another attempt. */
const WEBHOOKS = `select 'webhooks',
    (select count(*) from (
      select from open_endpoint as e cross join lateral (
        select from webhook_messages as m where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.state = 'waiting'
        limit ${LANE_ROWS_MAX}
      ) as message limit ${LANE_ROWS_MAX}
    ) as counted),
    (select min(message.created_at) from open_endpoint as e cross join lateral (
      (select m.created_at from webhook_messages as m
       where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.state = 'waiting' order by m.ready_at limit 100)
      union all
      (select m.created_at from webhook_messages as m
       where m.brand_id = e.brand_id and m.endpoint_id = e.id and m.state = 'waiting' order by m.ready_at desc limit 100)
    ) as message)`

/** Batches behind a long transaction count too, although nobody can read them yet. The id of a batch begins with its time. */
function readerLane(lane: LaneName, reader: string): string {
  const batches = `select b.id, b.entries from event_batches as b
    where b.brand_id = r.brand_id and (b.tx, b.id) > (r.tx, r.batch_id) order by b.tx, b.id`
  const readers = `event_readers as r join brands on brands.id = r.brand_id and brands.deleted_at is null`
  return `select '${lane}',
    (select coalesce(sum(counted.entries), 0) from (
      select batch.entries from ${readers} cross join lateral (${batches} limit ${LANE_ROWS_MAX}) as batch
      where r.reader = '${reader}' limit ${LANE_ROWS_MAX}
    ) as counted),
    (select to_timestamp(min(batch.id >> 21) / 1000.0) from ${readers} cross join lateral (${batches} limit 1) as batch
     where r.reader = '${reader}')`
}

/** Changes of series carry the minute in which they happened. The same loop adds up the changes of tags. */
const SERIES = `select 'series', (select count(*) from (
      (select from series_changes limit ${LANE_ROWS_MAX}) union all (select from tag_changes limit ${LANE_ROWS_MAX})
      limit ${LANE_ROWS_MAX}) as counted),
    (select min(change.at) from brands cross join lateral (
      (select c.at + interval '1 minute' as at from series_changes as c where c.brand_id = brands.id order by c.id limit 1)
      union all
      (select c.at from tag_changes as c where c.brand_id = brands.id order by c.id limit 1)
    ) as change)`

const RESULTS = `select 'results', (select count(*) from (select from result_changes limit ${LANE_ROWS_MAX}) as counted),
    null`

const LOAD = {
  name: 'load_backlog',
  text: `with recursive moment (now) as materialized (select clock_timestamp()
  ), ${CHANNEL_STEPS}, ${ENDPOINTS}, ${CHUNKS}, found (lane, count, oldest) as (
    ${[
      planLane('plan-sends', `mode = 'send' and wall is null`),
      planLane('plan-broadcasts', `(mode <> 'send' or wall is not null)`),
      chunkLane('send-small', 'not bulk and not is_retry'),
      chunkLane('send-bulk', 'bulk and not is_retry'),
      chunkLane('retries', 'is_retry'),
      JOURNEYS,
      WEBHOOKS,
      readerLane('counting', COUNTING_READER),
      readerLane('journey-events', JOURNEY_READER),
      readerLane('goals', GOAL_READER),
      SERIES,
      RESULTS,
    ].join('\n    union all\n    ')}
  )
  select lane, count::float8 as count, (extract(epoch from ${NOW}) * 1000)::float8 as "readAt",
    case when lane <> 'results' then
      coalesce(greatest(0, extract(epoch from ${NOW} - oldest) * 1000), 0)::float8
    end as "oldestMs"
  from found`,
}
