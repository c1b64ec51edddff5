/**
 * A broadcast to 100 000 devices, watched on its page in a real Chromium: at every moment the parts add up to the audience.
 * `npm run bench -- dashboard-broadcast 20000` takes a smaller audience. Test: test/dashboard/broadcast.test.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startPostgres } from '../src/runtime/postgres/start-postgres.ts'
import { startDashboard } from '../test/support/dashboard/dashboard.ts'
import { assertWatched, watchBroadcast } from '../test/support/dashboard/watch-broadcast.ts'
import { endWith } from '../test/support/processes/beckon.ts'
import { RECEIPTS, runPushLane, SEALER } from '../test/support/push/engine.ts'
import { openSandboxDesk } from '../test/support/push/sandbox-desk.ts'
import { saveFigure } from './support/figures.ts'
import { verdict } from './support/verdict.ts'

const devices = Number(process.argv[3] ?? 100_000)

// The helpers that start a server and a browser end them with a test, so the run is one.
await test('a broadcast that is watched', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
  endWith(context, async () => rm(folder, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  endWith(context, async () => postgres.stop())
  process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
  const desk = await openSandboxDesk()
  endWith(context, desk.close)
  const deps = { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER }
  const { server, brand, signIn } = await startDashboard(context, { deps })
  const owner = await signIn()
  let startedAt = 0
  const start = (): void => {
    startedAt = performance.now()
    endWith(context, runPushLane(server.deps.database, desk.access))
  }
  const seen = await watchBroadcast({ server, brand }, owner, { devices, start })
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  assertWatched(seen, devices)
  const pending = new Set(seen.map(({ parts }) => parts.at(-1))).size
  verdict(
    `${devices} devices in ${seconds} s, shown in ${pending} steps`,
    pending > 2,
    'the sum holds in each',
  )
  const audience = devices.toLocaleString('en')
  saveFigure({
    what: `a broadcast to ${audience} devices, until its page shows the end`,
    unit: 's',
    ours: [seconds],
  })
  saveFigure({
    what: 'numbers of waiting devices that the page shows meanwhile',
    unit: 'steps',
    ours: [pending],
    bar: { of: 'figure', atLeast: 3 },
  })
})
