/**
 * The cost of the lists of active quarter hours: the same events are counted in turn with and without them. The statement
 * without them is a copy of the one in `store/events/counting.ts` from before the lists.
 */

import type { Db } from '../../src/store/db.ts'
import { countEvents } from '../../src/store/events/counting.ts'
import { startBenchServer } from './bench-server.ts'
import { cpuMs } from './cpu.ts'
import { entryFor } from './event-bodies.ts'
import { saveFigure } from './figures.ts'
import { median } from './median.ts'
import { seedProfiles } from './profile-seed.ts'
import { verdict } from './verdict.ts'

const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 100_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 20)
const WARM_UP = 4
const BATCHES = 20
const BATCH = 1_000
/** Each round is two hours later than the one before, so that everybody's list grows. */
const ROUND_MS = 7_200_000
const RATIO_MAX = 1.05

const server = await startBenchServer([], 'select 1')
try {
  const { database, postgresPid } = server
  const sides = [
    { brandId: server.brandId, count: countPlain, cpu: [0], wall: [0] },
    { brandId: (await server.brand()).brandId, count: countEvents, cpu: [0], wall: [0] },
  ]
  for (const { brandId } of sides) await seedProfiles(database, brandId, PROFILES)
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const at = Date.now() - (ROUNDS - round) * ROUND_MS
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const ids = await storeEvents(database, side.brandId, at)
      const [before, startedAt] = [cpuMs(postgresPid).server, performance.now()]
      await database.asEngine(async (tx) => side.count(tx, side.brandId, ids))
      if (round < 0) continue
      side.cpu.push(cpuMs(postgresPid).server - before)
      side.wall.push(performance.now() - startedAt)
    }
  }
  const [plain, lists] = sides
  const cpu = sides.map((side) => sum(side.cpu))
  const wall = sides.map((side) => median(side.wall.slice(1)))
  process.stdout.write(
    `${BATCHES * BATCH} events of ${PROFILES} people, ${ROUNDS} rounds: median of ${format(wall[0])} ms without lists, ${format(wall[1])} ms with them\n`,
  )
  const medians = [plain, lists].map((side) => median((side?.cpu ?? []).slice(1)))
  process.stdout.write(`CPU of the server: median of ${format(medians[0])} ms and ${format(medians[1])} ms\n`)
  const ratio = (cpu[1] ?? 0) / (cpu[0] ?? 1)
  const [bare, own] = sides.map((side) => side.cpu.slice(1).map((ms) => (ms * 1_000) / (BATCHES * BATCH)))
  saveFigure({
    what: 'CPU of PostgreSQL for counting an event, with the lists of active quarter hours',
    unit: 'µs',
    ours: own ?? [],
    limit: { name: 'without the lists', rounds: bare ?? [] },
    bar: { of: 'limit', atMost: RATIO_MAX },
    ratio,
  })
  verdict(`with lists = ${ratio.toFixed(3)} × without, in CPU`, ratio <= RATIO_MAX, `at most ${RATIO_MAX}`)
} finally {
  await server.stop()
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}

function format(figure: number | undefined): string {
  return (figure ?? 0).toFixed(0)
}

/** Events of people drawn by a hash; the same ones for every brand. */
async function storeEvents(db: Db, brandId: number, at: number): Promise<readonly bigint[]> {
  const { attributes, context } = Object(entryFor(1, 500))
  const ids = Array.from({ length: BATCHES }, (_, batch) => (BigInt(at) << 21n) | (BigInt(batch) << 10n))
  await db.query(
    `insert into events
       (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context)
     select batch + n, 1 + abs(hashint8(batch + n)::bigint) % $3, to_timestamp($4::float8 / 1000), $1, false,
       'event_' || n % 8, 10, $5::jsonb, $6::jsonb
     from unnest($2::bigint[]) as batch cross join generate_series(0, ${BATCH - 1}) as n`,
    [brandId, ids, PROFILES, at, JSON.stringify(attributes), JSON.stringify(context)],
  )
  return ids
}

/** The counts by profile, by profile and event, and by event, without the lists. */
async function countPlain(tx: Db, brandId: number, batchIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `with happened as materialized (
       select profile_id, event_name, count(*) as event_count, min(event_at) as first_event_at,
         max(event_at) as last_event_at, sum(ltv) as ltv, max(events.id) as last_id, min(events.id) as first_id
       from unnest($2::bigint[]) as batch (id)
       cross join lateral (
         select id, profile_id, event_name, event_at, ltv from events
         where brand_id = $1 and id >= batch.id and id < batch.id + 1024 limit 1024
       ) as events
       group by profile_id, event_name
     ), by_event as (
       insert into profile_event_counters as c
         (brand_id, profile_id, event_name, event_count, first_event_at, last_event_at)
       select $1, profile_id, event_name, event_count, first_event_at, last_event_at from happened
       on conflict (brand_id, profile_id, event_name) do update
       set event_count = c.event_count + excluded.event_count,
         first_event_at = least(c.first_event_at, excluded.first_event_at),
         last_event_at = greatest(c.last_event_at, excluded.last_event_at)
     ), by_profile as (
       insert into profile_activity as a
         (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv)
       select $1, profile_id, sum(event_count), min(first_event_at), max(last_event_at), sum(ltv)
       from happened group by profile_id
       on conflict (brand_id, profile_id) do update
       set event_count = a.event_count + excluded.event_count,
         first_event_at = least(a.first_event_at, excluded.first_event_at),
         last_event_at = greatest(a.last_event_at, excluded.last_event_at),
         ltv = a.ltv + excluded.ltv
     )
     insert into event_names as n (brand_id, event_name, event_count, first_seen_at, last_seen_at)
     select $1, event_name, sum(event_count), to_timestamp((min(first_id) >> 21) / 1000.0),
       to_timestamp((max(last_id) >> 21) / 1000.0)
     from happened group by event_name
     on conflict (brand_id, event_name) do update
     set event_count = n.event_count + excluded.event_count,
       first_seen_at = least(n.first_seen_at, excluded.first_seen_at),
       last_seen_at = greatest(n.last_seen_at, excluded.last_seen_at)`,
    [brandId, batchIds],
  )
}
