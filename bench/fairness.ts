/** How long a push of one brand takes to be accepted while another brand floods the same process, against a calm day. */
import { ROUTES } from '../src/http/routes.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { startBenchServer } from './support/bench-server.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { LoadCaller } from './support/load.ts'
import { verdict } from './support/verdict.ts'

const PHASE_MS = 8_000
const PER_SECOND = 20
const FLOODERS = 16
const EXPORTS = 20
const P99_MS_MAX = 150
/** On a slower machine the bar follows the calm figure. */
const RATIO_MAX = 3

const server = await startBenchServer(ROUTES, 'select 1')
const [sender, flooder] = [new LoadCaller(), new LoadCaller()]
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
  const stop = new AbortController()
  const reading = ['export', 'export', ''].map(async (path) => read(path, stop.signal))
  const reads = await sender.run(sends)
  stop.abort()
  await Promise.all(reading)
  judge(`${EXPORTS} exports and as many lists`, reads.p99Ms, calm)
} finally {
  sender.stop()
  flooder.stop()
  await server.stop()
}

function judge(what: string, p99Ms: number, calmMs: number): void {
  const bar = Math.max(P99_MS_MAX, RATIO_MAX * calmMs)
  verdict(`beside ${what} of another brand: p99 ${p99Ms.toFixed(0)} ms`, p99Ms <= bar, `${bar.toFixed(0)} ms`)
}

/** Ten readers of a path, again and again until the signal. */
async function read(path: string, signal: AbortSignal): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/v1/events${path === '' ? '?limit=500' : `/${path}`}`
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const reply = await fetch(url, { headers, signal }).catch(() => null)
      await reply?.arrayBuffer().catch(() => null)
    }
  }
  await Promise.all(Array.from({ length: EXPORTS / 2 }, one))
}
