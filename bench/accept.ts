/** What it costs to accept a `/send`, against the cheapest thing the same server can do with a key and one row. */

import { ROUTES } from '../src/http/routes.ts'
import { seedSubscriptions } from '../test/support/subscriptions/subscriptions.ts'
import { startBenchServer } from './support/bench-server.ts'
import { cpuMs } from './support/cpu.ts'
import { saveFigure } from './support/figures.ts'
import { LoadCaller, type LoadResult } from './support/load.ts'
import { median } from './support/median.ts'
import { ONE_ROW, ONE_ROW_TABLE } from './support/one-row.ts'
import { peakMiB } from './support/processes.ts'
import { verdict } from './support/verdict.ts'

/** Many short rounds in turn, so that what else runs on the machine meets both alike. */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15)
const HALF_ROUNDS = Math.min(5, ROUNDS)
const ROUND_MS = 1_000
const CONNECTIONS = 32
const USERS = 500
const RATIO_MAX = 2.5
const P99_MS_MAX = 50

type Round = LoadResult & { readonly cpuMsEach: number; readonly ownMsEach: number }

const server = await startBenchServer([...ROUTES, ONE_ROW], ONE_ROW_TABLE)
const caller = new LoadCaller()
try {
  const bodies: string[] = []
  for (let user = 0; user < USERS; user += 1) {
    const userId = `user-${user}`
    await seedSubscriptions(server.database, { brandId: server.brandId, userId })
    bodies.push(
      JSON.stringify({ user_id: userId, title: 'Your order is on its way', message: 'It arrives tomorrow.' }),
    )
  }
  const { port, headers } = server
  const common = { port, headers, bodies, connections: CONNECTIONS, durationMs: ROUND_MS }
  const round = async (path: string, perSecond: number | null): Promise<Round> => {
    const before = cpuMs(server.postgresPid)
    const result = await caller.run({ ...common, path, perSecond })
    const after = cpuMs(server.postgresPid)
    const spent = after.own - before.own + after.server - before.server
    const ownMsEach = (after.own - before.own) / Math.max(1, result.requests)
    return { ...result, ownMsEach, cpuMsEach: spent / Math.max(1, result.requests) }
  }
  const [row, send] = [ONE_ROW.path, '/api/v1/android/send']
  await round(row, null)
  await round(send, null)
  const rows: Round[] = []
  const sends: Round[] = []
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    rows.push(await round(row, null))
    sends.push(await round(send, null))
  }
  print('one row', rows)
  print('/send', sends)
  const perSecond = median(sends.map((each) => each.perSecond))
  const timeRatio = medianRatio(rows, sends, (each) => each.perSecond)
  const cpuRatio = medianRatio(sends, rows, (each) => each.cpuMsEach)
  verdict(`time of /send = ${timeRatio.toFixed(2)} × one row`, timeRatio <= RATIO_MAX, `at most ${RATIO_MAX}`)
  verdict(`CPU of /send = ${cpuRatio.toFixed(2)} × one row`, cpuRatio <= RATIO_MAX, `at most ${RATIO_MAX}`)
  saveFigures(rows, sends, { timeRatio, cpuRatio })
  const [halfRows, halfSends]: readonly [Round[], Round[]] = [[], []]
  for (let turn = 0; turn < HALF_ROUNDS; turn += 1) {
    halfRows.push(await round(row, perSecond / 2))
    halfSends.push(await round(send, perSecond / 2))
  }
  print('one row at half the rate of /send', halfRows)
  print('/send at half its rate', halfSends)
  const p99 = median(halfSends.map((each) => each.p99Ms))
  saveFigure({
    what: 'p99 of `/send` at half its rate',
    unit: 'ms',
    ours: halfSends.map((each) => each.p99Ms),
    limit: { name: 'one row', rounds: halfRows.map((each) => each.p99Ms) },
    bar: { of: 'figure', atMost: P99_MS_MAX },
  })
  verdict(`p99 of /send at half its rate = ${p99.toFixed(1)} ms`, p99 < P99_MS_MAX, `under ${P99_MS_MAX} ms`)
} finally {
  caller.stop()
  await server.stop()
}

function saveFigures(
  rows: readonly Round[],
  sends: readonly Round[],
  { timeRatio, cpuRatio }: { readonly timeRatio: number; readonly cpuRatio: number },
): void {
  const sides = (figure: (round: Round) => number) => ({
    ours: sends.map(figure),
    limit: { name: 'one row', rounds: rows.map(figure) },
    bar: { of: 'limit', atMost: RATIO_MAX } as const,
  })
  const time = sides(({ perSecond }) => 1e6 / perSecond)
  const parts = {
    'the API process': median(sends.map(({ ownMsEach }) => ownMsEach * 1000)),
    PostgreSQL: median(sends.map(({ cpuMsEach, ownMsEach }) => (cpuMsEach - ownMsEach) * 1000)),
  }
  saveFigure({ what: 'time of a `/send`', unit: 'µs', ...time, ratio: timeRatio })
  const cpu = sides(({ cpuMsEach }) => cpuMsEach * 1000)
  saveFigure({
    what: 'CPU of a `/send`',
    unit: 'µs',
    ...cpu,
    ratio: cpuRatio,
    parts,
    memoryMiB: peakMiB(process.pid),
  })
}

/** The middle of the ratios of neighbouring rounds. */
function medianRatio(
  over: readonly Round[],
  under: readonly Round[],
  figure: (round: Round) => number,
): number {
  const pairs = over.flatMap((round, turn) => {
    const other = under[turn]
    return other === undefined ? [] : [figure(round) / figure(other)]
  })
  return median(pairs)
}

function print(name: string, rounds: readonly Round[]): void {
  const of = (figure: (round: Round) => number): string => median(rounds.map(figure)).toFixed(2)
  const failures = rounds.reduce((sum, each) => sum + each.failures, 0)
  process.stdout.write(
    `${name}: ${of((each) => each.perSecond)}/s, p50 ${of((each) => each.p50Ms)} ms, p99 ${of((each) => each.p99Ms)} ms, ` +
      `CPU ${of((each) => each.cpuMsEach * 1000)} µs each, ${of((each) => each.ownMsEach * 1000)} of them ours, ${failures} failed\n`,
  )
}
