/** How long a list of devices takes to import, new and again, against the bare insert of the same rows. */

import { ROUTES } from '../src/http/routes.ts'
import { IMPORT_LIMITS } from '../src/rules/limits.ts'
import { call } from '../test/support/processes/server.ts'
import { startBenchServer } from './support/bench-server.ts'
import { deviceRowAt } from './support/device-rows.ts'
import { saveFigure } from './support/figures.ts'
import { peakMiB } from './support/processes.ts'

const ROWS = Number(process.env['BENCH_COUNT'] ?? 100_000)
const SECONDS_MAX = 60

/** The least there is to do: the same rows and indexes, with nobody read, judged or looked up. */
const INSERT = `insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, tags, language,
    state_since, created_at, registered_at, updated_at)
  select $1, uuidv7()::text, 'android', 'bare-' || repeat(at::text, 20), sha256(at::text::bytea),
    array['imported', 't' || at % 50], 'de', now(), now(), now(), now()
  from generate_series($2::integer, $3::integer) as at`

const server = await startBenchServer(ROUTES, 'select 1')
try {
  const list = Array.from({ length: ROWS }, (_, at) => `${JSON.stringify(deviceRowAt(at))}\n`).join('')
  const headers = { ...server.headers, 'content-type': 'application/x-ndjson' }
  const path = '/api/v1/subscriptions/import'
  const send = async (): Promise<void> => {
    const { text } = await call(server.port, { path, headers, body: list })
    if (!text.includes(`"processed":${ROWS}`)) throw new Error(`not all rows came: ${text.slice(-500)}`)
  }
  const bare = await seconds(async () => {
    for (let from = 0; from < ROWS; from += IMPORT_LIMITS.batchRows) {
      const last = from + IMPORT_LIMITS.batchRows - 1
      await server.database.asEngine(async (tx) => tx.query(INSERT, [server.brandId, from, last]))
    }
  })
  const fresh = await seconds(send)
  const again = await seconds(send)
  const size = (Buffer.byteLength(list) / 1e6).toFixed(0)
  console.log(`  ${ROWS} rows, ${size} MB of NDJSON`)
  console.log(`  bare insert   ${bare.toFixed(1)} s`)
  console.log(
    `  import, new   ${fresh.toFixed(1)} s  (${(fresh / bare).toFixed(1)} x bare; must be < ${SECONDS_MAX} s)`,
  )
  console.log(`  import, again ${again.toFixed(1)} s  (${(again / bare).toFixed(1)} x bare)`)
  if (fresh > SECONDS_MAX) process.exitCode = 1
  const limit = { name: 'the bare insert', rounds: [bare] }
  const devices = `${ROWS.toLocaleString('en')} devices`
  const bar = { of: 'figure', atMost: SECONDS_MAX } as const
  saveFigure({
    what: `${devices} imported, all new`,
    unit: 's',
    ours: [fresh],
    limit,
    bar,
    memoryMiB: peakMiB(process.pid),
  })
  saveFigure({ what: `${devices} imported again`, unit: 's', ours: [again], limit })
} finally {
  await server.stop()
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
