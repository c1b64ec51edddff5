/**
 * The short form of `npm run test:cluster`, for `test/fault/cluster.test.ts`: one cluster under load, whose postmaster is
 * killed, and whose primary then loses its power. Prints what it counted, as JSON.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { primaryOf } from './faults.ts'
import { startLab } from './lab/lab.ts'
import { findPrimary } from './lab/patroni.ts'
import { countRound } from './load/count.ts'
import { Load } from './load/load.ts'
import { makeWorld } from './load/world.ts'

const lab = await startLab({ keepDisks: true })
const world = await makeWorld(lab, { people: 10 })
const load = new Load(lab, world, `short${Date.now().toString(36)}`)
await untilMore(load, 50)
const [postmaster = 0] = await (await primaryOf(lab)).pids('^/usr/lib/postgresql/18/bin/postgres -D')
process.kill(postmaster, 'SIGKILL')
await untilMore(load, 50)
const victim = await primaryOf(lab)
await victim.cutPower()
await until(async () => (await findPrimary([victim.host])) !== null, { what: 'another primary' })
await untilMore(load, 50)
await load.stop()
const counts = await countRound(lab, load.round, load.ledger)
// In good order, so that the next start need not wait for the end of a lease.
await lab.stop()
process.stdout.write(`${JSON.stringify({ ...counts, statuses: [...load.client.statuses.keys()] })}\n`)
process.exit(0)

/** Waits for more acknowledged calls. */
async function untilMore({ client }: Load, count: number): Promise<void> {
  const before = client.acknowledgedAt.length
  await until(() => client.acknowledgedAt.length >= before + count, { what: 'acknowledged calls' })
  await wait(0)
}
