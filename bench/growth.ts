/** Whether events come in as fast with ten million stored as with a hundred thousand. */
import { ROUTES } from '../src/http/routes.ts'
import { startBenchServer } from './support/bench-server.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { makePastWeeks, reseedEvents } from './support/event-seed.ts'
import { saveCurve, saveFigure } from './support/figures.ts'
import { LoadCaller, type LoadResult } from './support/load.ts'
import { median } from './support/median.ts'
import { peakMiB } from './support/processes.ts'
import { seedProfiles } from './support/profile-seed.ts'
import { verdict } from './support/verdict.ts'

const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 1_000_000)
const FEW = Number(process.env['BENCH_FEW'] ?? 100_000)
const MANY = Number(process.env['BENCH_MANY'] ?? 10_000_000)
/** Between the two, for the curve. It has no bar. */
const MIDDLE = Math.round(Math.sqrt(FEW * MANY))
/** The few are measured before and after the many, so that a machine that changes meanwhile meets both. */
const FEW_ROUNDS = 3
const MANY_ROUNDS = 6
const MIDDLE_ROUNDS = 3
const ROUND_MS = 3_000
const BATCH = 1000
const CONNECTIONS = 8
const RATIO_MIN = 0.85

const server = await startBenchServer(ROUTES, 'select 1')
const caller = new LoadCaller()
try {
  const startedAt = performance.now()
  const { brandId, database, url } = server
  const { port, headers } = server
  const load = { port, headers, path: '/api/event', bodies: bodiesOf(20, BATCH, PROFILES) }
  const round = async (): Promise<LoadResult> =>
    caller.run({ ...load, connections: CONNECTIONS, durationMs: ROUND_MS, perSecond: null })
  const tell = (what: string): void => {
    process.stdout.write(`       ${what} after ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  }
  const seed = { brandId, profiles: PROFILES }

  /** A round itself stores as many events again, so each has a fresh hundred thousand. */
  const measureFew = async (): Promise<readonly LoadResult[]> => {
    const results: LoadResult[] = []
    for (let count = 0; count < FEW_ROUNDS; count += 1) {
      await reseedEvents(database, url, { ...seed, events: FEW })
      results.push(await round())
    }
    tell(`${FEW} stored: measured ${FEW_ROUNDS} times`)
    return results
  }
  const measureStored = async (events: number, rounds: number): Promise<readonly LoadResult[]> => {
    await reseedEvents(database, url, { ...seed, events })
    tell(`${events} stored`)
    const results: LoadResult[] = []
    for (let count = 0; count < rounds; count += 1) results.push(await round())
    return results
  }

  await makePastWeeks(url)
  await seedProfiles(database, brandId, PROFILES)
  tell(`${PROFILES} profiles`)
  await round() // warms up
  const before = await measureFew()
  const middle = await measureStored(MIDDLE, MIDDLE_ROUNDS)
  const many = await measureStored(MANY, MANY_ROUNDS)
  const after = await measureFew()

  const few = [...before, ...after]
  const fewRate = print(FEW, few)
  print(MIDDLE, middle)
  const manyRate = print(MANY, many)
  const failures = [...few, ...middle, ...many].reduce((sum, each) => sum + each.failures, 0)
  verdict(`${failures} failures`, failures === 0, 'none')
  const ratio = manyRate / fewRate
  const shown = `with ${MANY} stored = ${ratio.toFixed(2)} × with ${FEW}`
  verdict(shown, ratio >= RATIO_MIN, `at least ${RATIO_MIN}`)
  saveFigure({
    what: `${BATCH}-entry calls with ${MANY.toLocaleString('en')} stored`,
    unit: 'entries/s',
    ours: ratesOf(many),
    limit: { name: `with ${FEW.toLocaleString('en')}`, rounds: ratesOf(few) },
    bar: { of: 'limit', atLeast: RATIO_MIN },
    memoryMiB: peakMiB(process.pid),
  })
  saveCurve({
    what: `${BATCH}-entry calls`,
    unit: 'entries/s',
    axis: 'events stored',
    points: [
      { size: FEW, rounds: ratesOf(few) },
      { size: MIDDLE, rounds: ratesOf(middle) },
      { size: MANY, rounds: ratesOf(many) },
    ],
  })
} finally {
  caller.stop()
  await server.stop()
}

function ratesOf(rounds: readonly LoadResult[]): readonly number[] {
  return rounds.map(({ perSecond }) => perSecond * BATCH)
}

/** Gives the median back. */
function print(stored: number, rounds: readonly LoadResult[]): number {
  const rates = ratesOf(rounds)
  const each = rates.map((rate) => Math.round(rate / 1000)).join(' ')
  const rate = median(rates)
  process.stdout.write(
    `${BATCH}-entry calls with ${stored} stored: ${Math.round(rate)} entries/s (thousands by round: ${each})\n`,
  )
  return rate
}
