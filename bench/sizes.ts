/**
 * The bytes that an event and a device take on the disk, with all their indexes and counters, and in the write-ahead log: 500 000
 * events of about 430 bytes of JSON, of 50 000 people, and 100 000 imported devices, three for two people. `BENCH_COUNT` sets the
 * devices; there are five times as many events, and half as many people.
 */

import { ROUTES } from '../src/http/routes.ts'
import { call } from '../test/support/processes/server.ts'
import { startBenchServer } from './support/bench-server.ts'
import { deviceRowAt } from './support/device-rows.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { saveFigure } from './support/figures.ts'
import { loadWalBytes } from './support/wal.ts'

const DEVICES = Number(process.env['BENCH_COUNT'] ?? 100_000)
const EVENTS = DEVICES * 5
const PEOPLE = DEVICES / 2
const BATCH = 1_000

const server = await startBenchServer(ROUTES, 'select 1')
try {
  const { port, headers, database } = server
  const post = async (path: string, type: string, body: string): Promise<void> => {
    const reply = await call(port, { path, headers: { ...headers, 'content-type': type }, body })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text.slice(0, 300)}`)
  }
  const sendEvents = async (events: number): Promise<void> => {
    for (const body of bodiesOf(events / BATCH, BATCH, PEOPLE))
      await post('/api/event', 'application/json', body)
  }
  const stored = async (): Promise<Stored> => {
    const { rows } = await database.query<{ bytes: number }>(
      'select pg_database_size(current_database())::float8 as bytes',
    )
    return { diskBytes: rows[0]?.bytes ?? 0, walBytes: await loadWalBytes(database) }
  }
  const measure = async (what: string, count: number, work: () => Promise<void>): Promise<void> => {
    const before = await stored()
    await work()
    const after = await stored()
    const disk = (after.diskBytes - before.diskBytes) / count
    const wal = (after.walBytes - before.walBytes) / count
    console.log(
      `  ${what}, among ${count}: ${disk.toFixed(0)} bytes on the disk, ${wal.toFixed(0)} bytes of WAL`,
    )
    saveFigure({ what: `${what} on the disk`, unit: 'bytes', ours: [disk] })
    saveFigure({ what: `${what} in the write-ahead log`, unit: 'bytes', ours: [wal] })
  }

  // People and the names of events are there before the events that are measured.
  await sendEvents(PEOPLE * 2)
  await measure('an event', EVENTS, async () => sendEvents(EVENTS))
  const list = Array.from({ length: DEVICES }, (_, at) => `${JSON.stringify(deviceRowAt(at))}\n`).join('')
  await measure('a device', DEVICES, async () =>
    post('/api/v1/subscriptions/import', 'application/x-ndjson', list),
  )
} finally {
  await server.stop()
}

type Stored = { readonly diskBytes: number; readonly walBytes: number }
