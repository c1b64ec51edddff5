/** What a segment costs: with a million people and ten million events, its preview and the walk over its audience. */
import { SEGMENT_ROUTES } from '../src/http/segments/routes.ts'
import { withOwner } from '../src/store/db.ts'
import { maintainWeeks } from '../src/store/events/weeks.ts'
import { startBenchServer } from './support/bench-server.ts'
import { measureSegments } from './support/segment-measure.ts'
import { SEGMENT_SEED, seedSegments } from './support/segment-seed.ts'

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

const server = await startBenchServer(SEGMENT_ROUTES, 'select 1')
const { database, brandId } = server
try {
  await withOwner(server.url, async (owner) => {
    for (let days = SEGMENT_SEED.days + WEEK_DAYS; days >= 0; days -= WEEK_DAYS)
      await maintainWeeks(owner, { now: Date.now() - days * DAY_MS, retentionDays: 36_500 })
  })
  await seedSegments(database, brandId, (what) => process.stdout.write(`       ${what}\n`))
  await withOwner(server.url, async (owner) => owner.query('vacuum (analyze)'))
  await measureSegments(server)
} finally {
  await server.stop()
}
