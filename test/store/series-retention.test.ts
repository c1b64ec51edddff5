import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cutSpans } from '../../src/domain/series/spans.ts'
import { SERIES_LIMITS, SERIES_MINUTES } from '../../src/rules/series.ts'
import { purgeActiveHours } from '../../src/store/series/active-hours.ts'
import { purgeActiveWeeks } from '../../src/store/series/active-people.ts'
import { purgeSeries } from '../../src/store/series/folding.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.now()

type Purge = typeof purgeSeries

/** Rounds of two rows, until a round finds nothing. Gives how many rows went. */
async function purgeAll(purge: Purge, now = NOW): Promise<number> {
  let removed = 0
  for (;;) {
    const round = await purge(database, { now, rowsMax: 2 })
    if (round === 0) return removed
    removed += round
  }
}

type Span = { readonly minutes: number; readonly startsAt: number }

async function addSpans(brandId: number, spans: readonly Span[]): Promise<void> {
  await database.query(
    `insert into series (brand_id, metric, minutes, starts_at, platform, campaign_id, journey_id, step, name, count)
     select $1, 'subscriptions', minutes, to_timestamp(at / 1000.0), '', 0, 0, '', '', 1
     from unnest($2::smallint[], $3::bigint[]) as span (minutes, at)`,
    [brandId, spans.map(({ minutes }) => minutes), spans.map(({ startsAt }) => startsAt)],
  )
}

async function spansOf(brandId: number): Promise<readonly Span[]> {
  const { rows } = await database.query<Span>(
    `select minutes, starts_at as "startsAt" from series where brand_id = $1 order by minutes, starts_at desc`,
    [brandId],
  )
  return rows
}

test('spans of series go when their own time is over, of every brand, and the sums of all time stay', async () => {
  const { minute, quarter, hour, allTime } = SERIES_MINUTES
  const { minutesHours, rowsDays } = SERIES_LIMITS
  const kept: readonly Span[] = [
    { minutes: allTime, startsAt: 0 },
    { minutes: minute, startsAt: NOW },
    { minutes: minute, startsAt: NOW - minutesHours * HOUR_MS },
    { minutes: quarter, startsAt: NOW - (rowsDays - 1) * DAY_MS },
    { minutes: hour, startsAt: NOW - (rowsDays - 1) * DAY_MS },
  ]
  const old: readonly Span[] = [
    { minutes: minute, startsAt: NOW - (minutesHours + 2) * HOUR_MS },
    { minutes: minute, startsAt: NOW - 900 * DAY_MS },
    { minutes: quarter, startsAt: NOW - rowsDays * DAY_MS - HOUR_MS },
    { minutes: hour, startsAt: NOW - rowsDays * DAY_MS - HOUR_MS },
    { minutes: hour, startsAt: NOW - 900 * DAY_MS },
  ]
  const brands = [await brand(), await brand(), await brand()]
  for (const { brandId } of brands) await addSpans(brandId, [...kept, ...old])
  assert.equal(await purgeAll(purgeSeries), old.length * brands.length)
  for (const { brandId } of brands) assert.deepEqual(await spansOf(brandId), kept)
})

test('weeks and hours of people go when their own time is over, and the numbers of people stay', async () => {
  const { rowsDays } = SERIES_LIMITS
  const weeks = [1, rowsDays - 1, rowsDays + 1, rowsDays + 100].map((days) => dayOf(NOW - days * DAY_MS))
  const hours = [1, rowsDays - 1, rowsDays + 1, rowsDays + 100].map((days) => NOW - days * DAY_MS)
  const brands = [await brand(), await brand()]
  for (const { brandId } of brands) {
    await database.query(
      `with week as (select unnest($2::date[]) as week), person as (select unnest(array[1, 2]) as id), known as (
         insert into active_weeks (brand_id, profile_id, week, days) select $1, id, week, 3 from week cross join person
       ), counted as (
         insert into active_people (brand_id, span, day, people, time_zone) select $1, 'week', week, 2, 'UTC' from week
       )
       insert into active_hours (brand_id, starts_at, hashes)
       select $1, to_timestamp(at / 1000.0), '{1}' from unnest($3::bigint[]) as hour (at)`,
      [brandId, weeks, hours],
    )
  }
  assert.equal(await purgeAll(purgeActiveWeeks), 8)
  assert.equal(await purgeAll(purgeActiveHours), 4)
  for (const { brandId } of brands) {
    const { rows } = await database.query<{ weeks: string[]; hours: string[]; counted: number }>(
      `select array(select distinct week::text from active_weeks where brand_id = $1 order by 1 desc) as weeks,
         array(select (extract(epoch from starts_at) * 1000)::bigint::text from active_hours where brand_id = $1
           order by starts_at desc) as hours,
         (select count(*)::integer from active_people where brand_id = $1) as counted`,
      [brandId],
    )
    assert.deepEqual(rows, [{ weeks: weeks.slice(0, 2), hours: hours.slice(0, 2).map(String), counted: 4 }])
  }
})

test('the oldest week that a request can name keeps all of its spans, and the weeks of its people, in any zone', async () => {
  const fromAt = NOW - SERIES_LIMITS.keptDays * DAY_MS
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    const { brandId } = await brand()
    const [monday = 0] = cutSpans({ by: 'week', zone, fromAt, toAt: fromAt + 1 })
    const startsAt = Math.floor(monday / HOUR_MS) * HOUR_MS
    const spans = [
      { minutes: SERIES_MINUTES.quarter, startsAt },
      { minutes: SERIES_MINUTES.hour, startsAt },
    ]
    await addSpans(brandId, spans)
    const day = Temporal.Instant.fromEpochMilliseconds(monday).toZonedDateTimeISO(zone).toPlainDate()
    await database.query(
      `insert into active_weeks (brand_id, profile_id, week, days) values ($1, 1, $2::date, 1)`,
      [brandId, day.toString()],
    )
    assert.equal((await purgeAll(purgeSeries)) + (await purgeAll(purgeActiveWeeks)), 0, zone)
  }
})

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
