/**
 * The cost of reading people, time lines, the catalogue, series and notifications, beside the bare query of the same rows. The whole size is
 * a million people, with three devices, ten events and ten deliveries each; `BENCH_PEOPLE` sets another number of people.
 * With `BENCH_DROPPED=yes` only the reads of events are measured, after the rows of ended weeks have left the database.
 */
import { ROUTES } from '../src/http/routes.ts'
import { withOwner } from '../src/store/db.ts'
import { maintainWeeks } from '../src/store/events/weeks.ts'
import { startBenchServer } from './support/bench-server.ts'
import { onKeptRows, withoutOldRows } from './support/dropped-server.ts'
import { measureReads } from './support/read-measure.ts'
import { READS } from './support/read-rows.ts'
import { READ_SEED, seedReads } from './support/read-seed.ts'
import { LIST_READS, SERIES_READS } from './support/series-rows.ts'

const DAY_MS = 86_400_000
const WEEK_DAYS = 7
const people = Number(process.env['BENCH_PEOPLE'] ?? READ_SEED.people)
const isDropped = process.env['BENCH_DROPPED'] === 'yes'

const tell = (what: string): void => void process.stdout.write(`       ${what}\n`)

const server = await startBenchServer(ROUTES, 'select 1')
try {
  await withOwner(server.url, async (owner) => {
    for (let days = READ_SEED.days + WEEK_DAYS; days >= 0; days -= WEEK_DAYS)
      await maintainWeeks(owner, { now: Date.now() - days * DAY_MS, retentionDays: 36_500 })
    await seedReads(owner, { brandId: server.brandId, people, tell })
    await owner.query('vacuum (analyze)')
  })
  const reads = [...READS, ...SERIES_READS, ...LIST_READS]
  if (isDropped) {
    await withoutOldRows(server, tell, async (cold) => measureReads(cold, onKeptRows(reads), people))
  } else {
    await measureReads(server, reads, people)
  }
} finally {
  await server.stop()
}
