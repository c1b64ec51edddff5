/** How long it takes until everyone has moved on when very many people of a journey fall due in the same second. */
import { runJourneys } from '../src/pipeline/journeys/journeys.ts'
import { createLog } from '../src/runtime/log.ts'
import { loopMeters } from '../src/runtime/loop/meters.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { seedDueEnrolments, seedJourney } from '../test/support/journeys/seeds.ts'
import { startBenchServer } from './support/bench-server.ts'
import { saveFigure } from './support/figures.ts'

const PEOPLE = 10_000
const SECONDS_MAX = 10

const server = await startBenchServer([], 'select 1')
const { database, brandId } = server
const stop = new AbortController()
try {
  const send = {
    to: 'anywhere',
    title: 'Hello {{ user.name }}',
    message: 'Your {{ event.plan }} plan is waiting.',
  }
  const branch = { filter: { not: { tag: 'quiet' } }, yes: 'remind', no: 'end' }
  const steps = [
    { id: 'look', branch },
    { id: 'remind', send },
    { id: 'wait', wait: { days: 1 } },
    { id: 'again', send },
  ]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = Array.from({ length: PEOPLE }, (_, index) => ({ address: `device-${index}` }))
  const dueAt = Date.now() + 3_000
  await seedDueEnrolments(database, { ...ref, devices, step: 'look', wakeAt: dueAt })
  const log = createLog({ level: 'error', process: 'bench' })
  const running = runJourneys(
    { database },
    { signal: stop.signal, log, meters: loopMeters(new Metrics('bench')) },
  )
  const seconds = await untilAllWait(dueAt)
  const { count } = await database.query('select from notifications where brand_id = $1', [brandId])
  const isMet = seconds <= SECONDS_MAX && count === PEOPLE
  const figure = `${PEOPLE} people due at once took a branch and a send and wait again after ${seconds.toFixed(2)} s, ${count} notifications`
  process.stdout.write(`${isMet ? 'met   ' : 'MISSED'} ${figure} (at most ${SECONDS_MAX} s)\n`)
  if (!isMet) process.exitCode = 1
  saveFigure({
    what: `${PEOPLE.toLocaleString('en')} people of a journey who are due at once: a branch and a send`,
    unit: 's',
    ours: [seconds],
    bar: { of: 'figure', atMost: SECONDS_MAX },
  })
  stop.abort()
  await running
} finally {
  stop.abort()
  await server.stop()
}

/** Seconds from the moment they were due. */
async function untilAllWait(dueAt: number): Promise<number> {
  for (;;) {
    const { rows } = await database.query<{ left: number; now: number }>(
      `select count(*) filter (where step <> 'wait' or not is_waiting)::integer as left, clock_timestamp() as now
       from enrolments where brand_id = $1`,
      [brandId],
    )
    const [row] = rows
    if (row?.left === 0) return (row.now - dueAt) / 1_000
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
