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
