/**
 * How long a push of one brand takes to be accepted while another brand floods the same API process, against a calm day.
 * All callers live in processes of their own, so that the figure has nothing of their work but their use of the cores.
 */
import { ROUTES } from '../src/http/routes.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { startBenchServer } from './support/bench-server.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { saveFigure } from './support/figures.ts'
import { LoadCaller } from './support/load.ts'
import { verdict } from './support/verdict.ts'

const PHASE_MS = 8_000
const PER_SECOND = 20
const FLOODERS = 16
const EXPORTS = 20
const LISTS = 10
const P99_MS_MAX = 150
/** On a slower machine the bar follows the calm figure. */
const RATIO_MAX = 3

const server = await startBenchServer(ROUTES, 'select 1')
const [sender, flooder] = [new LoadCaller(), new LoadCaller()]
const [exporter, lister] = [new LoadCaller(), new LoadCaller()]
const { port, headers } = server
try {
  const other = keyHeaders(await server.brand())
  const flood = { port, headers, path: '/api/event', bodies: bodiesOf(10, 1000, 100), connections: FLOODERS }
  const push = { user_id: 'nobody', title: 'Hello', message: 'It is here.' }
  const sends = {
    port,
    headers: other,
    path: '/api/v1/android/send',
    bodies: [JSON.stringify(push)],
    connections: 4,
    durationMs: PHASE_MS,
    perSecond: PER_SECOND,
  }
  await flooder.run({ ...flood, durationMs: 2_000, perSecond: null })
  await sender.run({ ...sends, durationMs: 2_000 })
  const { p99Ms: calm } = await sender.run(sends)
  process.stdout.write(`calm: p99 ${calm.toFixed(0)} ms\n`)
  const [events] = await Promise.all([
    sender.run(sends),
    flooder.run({ ...flood, durationMs: PHASE_MS, perSecond: null }),
  ])
  judge('calls of 1000 events', events.p99Ms, calm)
  const reads = { port, headers, method: 'GET', bodies: [''], durationMs: PHASE_MS, perSecond: null } as const
  const [beside] = await Promise.all([
    sender.run(sends),
    exporter.run({ ...reads, path: '/api/v1/events/export', connections: EXPORTS }),
    lister.run({ ...reads, path: '/api/v1/events?limit=500', connections: LISTS }),
  ])
  judge(`${EXPORTS} exports and ${LISTS} lists`, beside.p99Ms, calm)
} finally {
  for (const caller of [sender, flooder, exporter, lister]) caller.stop()
  await server.stop()
}

function judge(what: string, p99Ms: number, calmMs: number): void {
  const bar = Math.max(P99_MS_MAX, RATIO_MAX * calmMs)
  saveFigure({
    what: `a push is accepted, p99, beside ${what} of another brand`,
    unit: 'ms',
    ours: [p99Ms],
    limit: { name: 'a calm day', rounds: [calmMs] },
    bar: { of: 'figure', atMost: Math.round(bar) },
  })
  verdict(`beside ${what} of another brand: p99 ${p99Ms.toFixed(0)} ms`, p99Ms <= bar, `${bar.toFixed(0)} ms`)
}
