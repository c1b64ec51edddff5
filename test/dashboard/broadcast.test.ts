import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import { assertWatched, watchBroadcast } from '../support/dashboard/watch-broadcast.ts'
import { endWith } from '../support/processes/beckon.ts'
import { RECEIPTS, runPushLane, SEALER } from '../support/push/engine.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'

/** `npm run bench -- dashboard-broadcast` has twenty times as many. */
const DEVICES = 5_000

test('a broadcast fills up on its page, and its parts always add up', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const desk = await openSandboxDesk()
  endWith(context, desk.close)
  const deps = { sandbox: desk.deps, receipts: RECEIPTS, sealer: SEALER }
  const { server, brand, signIn } = await startDashboard(context, { deps })
  const owner = await signIn()
  const start = (): void => endWith(context, runPushLane(server.deps.database, desk.access))
  const seen = await watchBroadcast({ server, brand }, owner, { devices: DEVICES, start })
  assertWatched(seen, DEVICES)
  assert.deepEqual(owner.problems, [])
})
