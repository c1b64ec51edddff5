/**
 * How much longer calls with events take while ended weeks are frozen. Calls come at half of the rate that the machine takes, and
 * freezing is stopped and let go in turn, so that both are measured within seconds of each other. `BENCH_EVENTS` sets the number of
 * events in the ended weeks, `BENCH_ROUNDS` the rounds.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROUTES } from '../src/http/routes.ts'
import { SeededRandom } from '../test/support/seeded-random.ts'
import { seedAnalytics } from './support/analytics-seed.ts'
import { startBenchServer } from './support/bench-server.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { saveFigure } from './support/figures.ts'
import { LoadCaller, type LoadResult } from './support/load.ts'
import { median } from './support/median.ts'
import { peakMiB } from './support/processes.ts'
import { seedProfiles } from './support/profile-seed.ts'
import { verdict } from './support/verdict.ts'

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 3_000_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const PEOPLE = 100_000
/** Calls are small, so that a round has some hundred of them and its p99 is not that of the worst call. */
const ENTRIES = 100
/** As long as autovacuum waits between its turns, so that each round has one of them, with and without freezing. */
const ROUND_MS = 30_000
const LIMIT_MS = 3_000
const LIMIT_ROUNDS = 3
const P99_RATIO_MAX = 1.2

const server = await startBenchServer(ROUTES, 'select 1')
const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-files-'))
const caller = new LoadCaller()
const { brandId, brand, database, headers, port, url } = server
await seedProfiles(database, brandId, PEOPLE)
process.stdout.write(`       ${EVENTS.toLocaleString('en')} events of ended weeks are stored\n`)
await seedAnalytics(url, { brandId: (await brand()).brandId, events: EVENTS, people: PEOPLE })
const calls = { path: '/api/event', port, headers, bodies: bodiesOf(200, ENTRIES, PEOPLE) }
const limits: number[] = []
for (let round = -1; round < LIMIT_ROUNDS; round += 1) {
  const { perSecond } = await caller.run({ ...calls, connections: 8, durationMs: LIMIT_MS, perSecond: null })
  if (round >= 0) limits.push(perSecond)
}
const perSecond = median(limits) / 2
const paced = { ...calls, connections: 32, durationMs: ROUND_MS, perSecond }
// In the session of the server, as in a worker: Linux may compare the priorities of processes within a session only (autogroup).
const freezing = spawn(
  process.execPath,
  [join(import.meta.dirname, '../test/fault/freezing-process.ts'), url, folder],
  { stdio: 'ignore' },
)
/** DuckDB, which it starts, is stopped with it. */
const signal = (name: NodeJS.Signals): void => {
  for (const pid of familyOf(freezing.pid ?? 0)) process.kill(pid, name)
}
try {
  const alone: LoadResult[] = []
  const beside: LoadResult[] = []
  // By chance, so that nothing that comes at regular times meets the same turn each time.
  const random = new SeededRandom(1)
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const turn of random.shuffle(['stop', 'go'] as const)) {
      signal(turn === 'stop' ? 'SIGSTOP' : 'SIGCONT')
      const result = await caller.run(paced)
      if (round >= 0) (turn === 'stop' ? alone : beside).push(result)
    }
  }
  signal('SIGSTOP')
  await tell(alone, beside)
} finally {
  signal('SIGKILL')
  caller.stop()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function tell(alone: readonly LoadResult[], beside: readonly LoadResult[]): Promise<void> {
  const { rows } = await database.query<{ count: number }>(
    'select coalesce(sum(events), 0)::double precision as count from event_files',
  )
  if (rows[0]?.count === EVENTS) throw new Error('all was frozen before the last round: set BENCH_EVENTS')
  const seconds = ((ROUNDS + 1) * ROUND_MS) / 1_000
  const frozen = (rows[0]?.count ?? 0) / seconds
  const [without, having] = [p99OfRounds(alone), p99OfRounds(beside)]
  const [p99Without, p99Having] = [p99(alone), p99(beside)]
  const ratio = p99Having / p99Without
  process.stdout.write(
    `       p99 of each round, without and while freezing: ${without.map((each, round) => `${each.toFixed(0)}/${having[round]?.toFixed(0)}`).join(', ')} ms\n`,
  )
  const failures = [...alone, ...beside].reduce((sum, each) => sum + each.failures, 0)
  verdict(`${failures} failures`, failures === 0, 'none')
  process.stdout.write(
    `       ${Math.round(perSecond)} calls a second with ${ENTRIES} events each; ${Math.round(frozen)} events a second were frozen meanwhile\n`,
  )
  verdict(
    `p99 of all calls ${p99Having.toFixed(0)} ms while weeks are frozen, ${p99Without.toFixed(0)} ms without: ${ratio.toFixed(2)} times`,
    ratio <= P99_RATIO_MAX,
    `at most ${P99_RATIO_MAX} times`,
  )
  saveFigure({
    what: `p99 of a ${ENTRIES}-entry call while weeks are frozen`,
    unit: 'ms',
    ours: having,
    limit: { name: 'without freezing', rounds: without },
    bar: { of: 'limit', atMost: P99_RATIO_MAX },
    ratio,
    memoryMiB: peakMiB(process.pid),
  })
  const memoryMiB = familyOf(freezing.pid ?? 0).reduce((sum, pid) => sum + peakMiB(pid), 0)
  saveFigure({ what: 'events frozen beside these calls', unit: 'events/s', ours: [frozen], memoryMiB })
}

function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

function p99OfRounds(results: readonly LoadResult[]): readonly number[] {
  return results.map(({ p99Ms }) => p99Ms)
}

/**
 * The p99 of the calls of all rounds. In most rounds the calls that were held up by something else (V8 collects garbage, and
 * probably the kernel writes old pages) are nearly a hundredth of all, so the p99 of a round is 17 or 50 ms by chance.
 */
function p99(results: readonly LoadResult[]): number {
  const all = results.flatMap(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  return all[Math.floor(all.length * 0.99)] ?? 0
}
