import assert from 'node:assert/strict'
import { JOURNEY_NOTES } from '../../../src/rules/journey-steps.ts'
import type { Database } from '../../../src/store/db.ts'

export function addCount(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

export function sortedRows(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const ENDS = Object.entries(JOURNEY_NOTES).flatMap(([did, { ends }]) => (ends === null ? [] : [did]))

/** The journeys keep counts of their own, which no fold touches, and which an erasure leaves. */
export async function recountJourneys(database: Database, brandId: number): Promise<void> {
  const { rows: found } = await database.query<{ line: string; count: number }>(
    `select metric || ' ' || step || ' ' || name as line, sum(count)::integer as count from series
     where brand_id = $1 and minutes = 60 and metric like 'journey%' group by 1 order by 1`,
    [brandId],
  )
  const { rows: wanted } = await database.query<{ line: string; count: number }>(
    `select metric || ' ' || step || ' ' || did as line, sum(count)::integer as count
     from journey_counts cross join lateral (
       select 'journey_steps' as metric where step <> ''
       union all select 'journey_entries' where did = 'entered'
       union all select 'journey_exits' where did = any($2)
     ) as told where brand_id = $1 group by 1 order by 1`,
    [brandId, ENDS],
  )
  assert.deepEqual(found, wanted, 'journeys')
}

/** The people of each day and week. An erased person stays counted for the days before. */
export async function recountActive(
  database: Database,
  brandId: number,
  { erasedDays }: { readonly erasedDays: readonly string[] },
): Promise<void> {
  const { rows: days } = await database.query<{ day: string; people: number }>(
    `select day::text as day, people::integer as people from active_people
     where brand_id = $1 and span = 'day' and people <> 0 order by day`,
    [brandId],
  )
  const { rows: truth } = await database.query<{ day: string; people: number }>(
    `select (event_at at time zone 'Asia/Kathmandu')::date::text as day, count(distinct profile_id)::integer as people
     from events where brand_id = $1 group by 1`,
    [brandId],
  )
  const wanted = new Map(truth.map(({ day, people }) => [day, people]))
  for (const day of erasedDays) addCount(wanted, day, 1)
  assert.deepEqual(
    days.map(({ day, people }) => [day, people]),
    sortedRows(wanted),
    'people by day',
  )
  const { rows: weeks } = await database.query<{ found: number; wanted: number }>(
    `select (select coalesce(sum(people), 0) from active_people where brand_id = $1 and span = 'week')::integer as found,
       (select count(*) from active_weeks where brand_id = $1)::integer as wanted`,
    [brandId],
  )
  const [week] = weeks
  assert.ok(week !== undefined && week.found >= week.wanted, 'people by week')
  if (erasedDays.length === 0) assert.equal(week.found, week.wanted, 'people by week')
}

/** The series of a brand by hours, with the changes that are not added up yet. */
const ALL_SERIES = `select metric, starts_at, name, count from series where brand_id = $1 and minutes = 60
  union all select metric, at, name, count from series_changes where brand_id = $1`

/** Where the series do not say what the deliveries and receipts say, of a brand that lost no rows. */
export async function findMessageMiscounts(database: Database, brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `select metric || ': ' || coalesce(found.count, 0) || ' for ' || coalesce(told.count, 0) as line from (
       select metric, sum(count) as count from (${ALL_SERIES}) as kept
       where metric in ('accepted', 'failed', 'expired', 'received', 'clicked', 'dismissed') group by metric
     ) as found full join (
       select state as metric, count(*) from all_deliveries
       where brand_id = $1 and state in ('accepted', 'failed', 'expired') group by state
       union all select kind, count(*) from receipts where brand_id = $1 group by kind
     ) as told using (metric)
     where coalesce(found.count, 0) <> coalesce(told.count, 0)`,
    [brandId],
  )
  return rows.map(({ line }) => line)
}

/** `eventName` is the name of all events of erased people, of which each had one. */
type ErasedEvents = { readonly people: number; readonly eventName: string }

/**
 * Where the series do not say what the events and profiles say. Numbers outlive an erasure, but an event that is erased
 * before it is counted is never counted, so the numbers of erased people have a range.
 */
export async function findEventMiscounts(
  database: Database,
  brandId: number,
  erased: ErasedEvents,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ line: string }>(
    `with event as (
       select event_name as name, event_at, profile_id from events where brand_id = $1
     ), found as (
       select minutes, name, starts_at, count from series
       where brand_id = $1 and metric = 'events' and minutes in (15, 60) and name <> $3
     ), told as (
       select minutes, name, date_bin(make_interval(mins => minutes), event_at, 'epoch') as starts_at, count(*) as count
       from event cross join (values (15), (60)) as span (minutes) group by 1, 2, 3
     ), erased as (
       select coalesce(sum(count), 0) as count from series
       where brand_id = $1 and metric = 'events' and minutes = 60 and name = $3
     ), days as (
       select (event_at at time zone brands.time_zone)::date as day, count(distinct profile_id) as people
       from event cross join brands where brands.id = $1 group by 1
     ), made as (
       select coalesce(sum(count), 0) as count from (${ALL_SERIES}) as kept where metric = 'people_new'
     ), people as (select count(*) + $2::integer as count from profiles where brand_id = $1)
     select concat_ws(' ', 'events', minutes, name, starts_at, found.count, 'for', told.count) as line
     from found full join told using (minutes, name, starts_at) where found.count is distinct from told.count
     union all
     select concat_ws(' ', 'events of erased people', count) from erased where count > $2
     union all
     select concat_ws(' ', 'people of', day, a.people, 'for', days.people)
     from days full join (select day, people from active_people where brand_id = $1 and span = 'day') as a using (day)
     where coalesce(a.people, 0) not between coalesce(days.people, 0) and coalesce(days.people, 0) + $2
     union all
     select concat_ws(' ', 'people made', made.count, 'for', people.count) from made cross join people
     where made.count <> people.count`,
    [brandId, erased.people, erased.eventName],
  )
  return rows.map(({ line }) => line)
}
