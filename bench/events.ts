/** How fast events come in over HTTP, against the bare statement that stores them on the same PostgreSQL. */

import { replySuccess } from '../src/http/reply.ts'
import type { Route } from '../src/http/route.ts'
import { ROUTES } from '../src/http/routes.ts'
import type { Database } from '../src/store/db.ts'
import { INSERT_EVENTS } from '../src/store/events/batch.ts'
import { startBenchServer } from './support/bench-server.ts'
import { cpuMs } from './support/cpu.ts'
import { bodiesOf, entryFor } from './support/event-bodies.ts'
import { saveFigure } from './support/figures.ts'
import { LoadCaller, type LoadResult } from './support/load.ts'
import { median } from './support/median.ts'
import { peakMiB } from './support/processes.ts'
import { seedProfiles } from './support/profile-seed.ts'
import { verdict } from './support/verdict.ts'

const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 1_000_000)
/** So many that a round which met something else does not decide. */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15)
const ROUND_MS = 3_000
/** Small calls and those that store nothing are compared in many short rounds: what else runs meets both alike. */
const SINGLE_ROUNDS = 15
const SINGLE_ROUND_MS = 1_000
const BATCH = 1000
const BARE_CONNECTIONS = 4
const HTTP_CONNECTIONS = 8
/** Enough that both sides are as fast as they get: with 64 the durable one still waits for callers. */
const SINGLE_CONNECTIONS = 128
const BATCH_RATIO_MIN = 0.85
const SINGLE_RATIO_MIN = 0.65
const P99_MS_MAX = 250
/** Stands where the time of an event belongs until it is stored. */
const THEN = 1_111_111_111_111

/** The cheapest authenticated JSON POST that stores nothing. */
const NOTHING: Route = {
  method: 'POST',
  path: '/bench/nothing',
  group: 'Bench',
  summary: 'Stores nothing',
  scopes: ['events'],
  body: 'json',
  handler: async () => replySuccess({}),
}

const server = await startBenchServer([...ROUTES, NOTHING], 'select 1')
const caller = new LoadCaller()
try {
  const { brandId, database, port, headers } = server
  await seedProfiles(database, brandId, PROFILES)
  const common = { port, headers, durationMs: ROUND_MS }
  const batches = { ...common, path: '/api/event', bodies: bodiesOf(20, BATCH, PROFILES) }
  const singles = {
    ...common,
    bodies: bodiesOf(500, 1, PROFILES),
    connections: SINGLE_CONNECTIONS,
    durationMs: SINGLE_ROUND_MS,
  }
  // Small calls come first: after millions of events PostgreSQL writes and vacuums their pages for a while.
  const single: LoadResult[] = []
  const nothing: LoadResult[] = []
  for (let round = -1; round < SINGLE_ROUNDS; round += 1) {
    const called = await caller.run({ ...singles, path: '/api/event', perSecond: null })
    const cheapest = await caller.run({ ...singles, path: NOTHING.path, perSecond: null })
    if (round < 0) continue
    single.push(called)
    nothing.push(cheapest)
  }
  const bareRows = rowsOf(20)
  const bare: number[] = []
  const costs: CallCost[] = []
  const http: LoadResult[] = []
  for (let round = -1; round < ROUNDS; round += 1) {
    const alone = await runBare(database, brandId, bareRows)
    const { result: called, cost } = await withCpu('http', async () =>
      caller.run({ ...batches, connections: HTTP_CONNECTIONS, perSecond: null }),
    )
    // The first round only warms up.
    if (round < 0) continue
    bare.push(alone)
    http.push(called)
    costs.push(cost)
  }
  const entries = http.map(({ perSecond }) => perSecond * BATCH)
  print(`bare statement, ${BARE_CONNECTIONS} connections`, bare, 'entries/s')
  print(`${BATCH}-entry calls over HTTP`, entries, 'entries/s')
  print(
    '1-entry calls over HTTP',
    single.map(({ perSecond }) => perSecond),
    'requests/s',
  )
  print(
    'authenticated POST that stores nothing',
    nothing.map(({ perSecond }) => perSecond),
    'requests/s',
  )
  const failures = [...http, ...single, ...nothing].reduce((sum, each) => sum + each.failures, 0)
  verdict(`${failures} failures`, failures === 0, 'none')
  const ratio = median(entries.map((each, round) => each / (bare[round] ?? 1)))
  verdict(`HTTP = ${ratio.toFixed(2)} × bare`, ratio >= BATCH_RATIO_MIN, `at least ${BATCH_RATIO_MIN}`)
  const small = median(single.map((each, round) => each.perSecond / (nothing[round]?.perSecond ?? 1)))
  verdict(
    `1-entry = ${small.toFixed(2)} × nothing`,
    small >= SINGLE_RATIO_MIN,
    `at least ${SINGLE_RATIO_MIN}`,
  )
  saveFigure({
    what: `${BATCH}-entry calls`,
    unit: 'entries/s',
    ours: entries,
    limit: { name: 'the bare statement', rounds: bare },
    bar: { of: 'limit', atLeast: BATCH_RATIO_MIN },
    ratio,
    memoryMiB: peakMiB(process.pid),
  })
  saveFigure({
    what: `CPU of a ${BATCH}-entry call`,
    unit: 'ms',
    ours: costs.map(({ ownMs, serverMs }) => ownMs + serverMs),
    parts: {
      'the API process': median(costs.map(({ ownMs }) => ownMs)),
      PostgreSQL: median(costs.map(({ serverMs }) => serverMs)),
    },
  })
  saveFigure({
    what: '1-entry calls',
    unit: 'calls/s',
    ours: callsOf(single),
    limit: { name: 'a call that stores nothing', rounds: callsOf(nothing) },
    bar: { of: 'limit', atLeast: SINGLE_RATIO_MIN },
    ratio: small,
  })
  const half = median(http.map(({ perSecond }) => perSecond)) / 2
  const paced = await caller.run({ ...batches, durationMs: 10_000, connections: 32, perSecond: half })
  saveFigure({
    what: `p99 of a ${BATCH}-entry call at half the rate`,
    unit: 'ms',
    ours: [paced.p99Ms],
    bar: { of: 'figure', atMost: P99_MS_MAX },
  })
  const shown = `p50 ${paced.p50Ms.toFixed(0)} ms, p99 ${paced.p99Ms.toFixed(0)} ms of a ${BATCH}-entry call at half the rate`
  verdict(shown, paced.p99Ms <= P99_MS_MAX, `p99 at most ${P99_MS_MAX} ms`)
} finally {
  caller.stop()
  await server.stop()
}

function callsOf(rounds: readonly LoadResult[]): readonly number[] {
  return rounds.map(({ perSecond }) => perSecond)
}

/** What the store sends for a batch, made ahead: only the database is measured. */
function rowsOf(count: number): readonly string[] {
  return bodiesOf(count, 1, PROFILES).map(() =>
    JSON.stringify(
      Array.from({ length: BATCH }, (_, place) => {
        const user = 1 + Math.floor(Math.random() * PROFILES)
        const { attributes: a, context: c, event_name: n } = Object(entryFor(user, place))
        return { i: place, u: `user_${user}`, n, t: THEN, a, c }
      }),
    ),
  )
}

async function runBare(database: Database, brandId: number, rows: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const before = cpuMs(server.postgresPid)
  let stored = 0
  const connection = async (): Promise<void> => {
    while (performance.now() - startedAt < ROUND_MS) {
      const batch = rows[Math.floor(Math.random() * rows.length)]?.replaceAll(
        String(THEN),
        String(Date.now()),
      )
      await database.asBrand(brandId, async (tx) => {
        const { rows: opened } = await tx.query<{ id: bigint }>(
          `insert into event_batches (brand_id, id, entries, attributes_seen)
           values ($1, ($2::bigint << 21) | (nextval('event_batch_numbers') << 10), $3, '{}') returning id`,
          [brandId, Date.now(), BATCH],
        )
        const { count } = await tx.query(INSERT_EVENTS, [brandId, opened[0]?.id, batch])
        stored += count
      })
    }
  }
  await Promise.all(Array.from({ length: BARE_CONNECTIONS }, connection))
  const spent = cpuMs(server.postgresPid)
  process.stdout.write(
    `  bare: CPU of an entry ${(((spent.server - before.server) * 1000) / stored).toFixed(1)} µs PostgreSQL, ${(((spent.own - before.own) * 1000) / stored).toFixed(1)} ours\n`,
  )
  return stored / ((performance.now() - startedAt) / 1000)
}

type CallCost = { readonly ownMs: number; readonly serverMs: number }

async function withCpu(
  name: string,
  work: () => Promise<LoadResult>,
): Promise<{ readonly result: LoadResult; readonly cost: CallCost }> {
  const before = cpuMs(server.postgresPid)
  const result = await work()
  const after = cpuMs(server.postgresPid)
  const each = (spent: number): number => spent / Math.max(1, result.requests)
  const cost = { ownMs: each(after.own - before.own), serverMs: each(after.server - before.server) }
  process.stdout.write(
    `  ${name}: CPU of a call ${(cost.ownMs * 1000).toFixed(0)} µs ours, ${(cost.serverMs * 1000).toFixed(0)} µs PostgreSQL\n`,
  )
  return { result, cost }
}

function print(name: string, figures: readonly number[], unit: string): void {
  process.stdout.write(`${name}: ${Math.round(median(figures))} ${unit}\n`)
}
