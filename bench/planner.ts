/**
 * How late schedules are when very many are due at once, and how long a million recipients take to plan. `BENCH_COUNT` sets the
 * recipients; there is a schedule for a hundred of them.
 */
import { runPlanner } from '../src/delivery/planner.ts'
import { createLog } from '../src/runtime/log.ts'
import { loopMeters } from '../src/runtime/loop/meters.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { acceptNotification, report } from '../test/support/push/notifications.ts'
import { seedSubscriptions } from '../test/support/subscriptions/subscriptions.ts'
import { startBenchServer } from './support/bench-server.ts'
import { saveFigure } from './support/figures.ts'
import { peakMiB } from './support/processes.ts'
import { verdict } from './support/verdict.ts'

const SUBSCRIPTIONS = Number(process.env['BENCH_COUNT'] ?? 1_000_000)
const SCHEDULES = SUBSCRIPTIONS / 100
/** Few enough for the time limit of a statement. */
const SEED_SIZE = Math.min(50_000, SUBSCRIPTIONS)
const LATE_MS_MAX = 1_000
const PLAN_MS_MAX = 1_000

const server = await startBenchServer([], 'select 1')
const { database, brandId } = server
const stop = new AbortController()
const planner = runPlanner(
  { database },
  {
    signal: stop.signal,
    log: createLog({ level: 'error', process: 'bench' }),
    meters: loopMeters(new Metrics('bench')),
  },
)
try {
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await measureLateness()
  await measurePlan()
} finally {
  stop.abort()
  await planner
  await server.stop()
}

/** One notification is accepted the usual way and copied; they fall due spread over one second. */
async function measureLateness(): Promise<void> {
  const timing = { kind: 'after', delayMs: 20_000 } as const
  const target = { kind: 'user', userId: 'ann' } as const
  const id = await acceptNotification(database, { brandId, target, timing })
  await database.query(
    `insert into notifications (brand_id, id, platform, mode, content, profile_id, hand_over_seconds, state, send_at,
       expires_at, plan_at, created_at)
     select brand_id, gen_random_uuid(), platform, mode, content, profile_id, hand_over_seconds, state,
       send_at + part, expires_at, plan_at + part, created_at
     from notifications, (select place * interval '1 second' / $3 as part from generate_series(1, $3) as place) as parts
     where brand_id = $1 and id = $2`,
    [brandId, id, SCHEDULES],
  )
  const late = await untilReleased()
  const p99 = late[Math.floor(late.length * 0.99)] ?? 0
  const first = late[0] ?? 0
  verdict(
    `${late.length} schedules due within a second: p99 ${p99.toFixed(0)} ms late, the earliest ${first.toFixed(1)} ms`,
    p99 <= LATE_MS_MAX && first >= 0,
    `at most ${LATE_MS_MAX} ms, and never early`,
  )
  saveFigure({
    what: `p99 of how late ${late.length.toLocaleString('en')} schedules are that are due within a second`,
    unit: 'ms',
    ours: [p99],
    bar: { of: 'figure', atMost: LATE_MS_MAX },
  })
}

async function untilReleased(): Promise<readonly number[]> {
  for (;;) {
    const { rows } = await database.query<{ late: number }>(
      `select extract(epoch from c.ready_at - n.send_at)::float8 * 1000 as late
       from chunks as c join notifications as n on n.brand_id = c.brand_id and n.id = c.notification_id
       where c.brand_id = $1 order by late`,
      [brandId],
    )
    if (rows.length > SCHEDULES) return rows.map((row) => row.late)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function measurePlan(): Promise<void> {
  for (let made = 0; made < SUBSCRIPTIONS; made += SEED_SIZE)
    await seedSubscriptions(database, { brandId, platform: 'ios', count: SEED_SIZE })
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await database.query(
      'select from chunks where brand_id = $1 and notification_id = $2 limit 1',
      [brandId, id],
    )
    if (rows.length > 0) break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const tookMs = performance.now() - startedAt
  const { audience } = await report(database, { brandId, id })
  verdict(
    `${audience} recipients planned ${tookMs.toFixed(0)} ms after they were accepted`,
    tookMs < PLAN_MS_MAX && audience === SUBSCRIPTIONS,
    `under ${PLAN_MS_MAX} ms`,
  )
  saveFigure({
    what: `a broadcast to ${SUBSCRIPTIONS.toLocaleString('en')} recipients is planned`,
    unit: 'ms',
    ours: [tookMs],
    bar: { of: 'figure', atMost: PLAN_MS_MAX },
    memoryMiB: peakMiB(process.pid),
  })
}
