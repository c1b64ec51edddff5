import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runEngine } from '../../src/delivery/engine.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import type { Database } from '../../src/store/db.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { holdSending } from '../../src/store/push/sending-hold.ts'
import { freshDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { planDue } from '../support/push/drain.ts'
import { RECEIPTS, SEALER, seedVapidKey } from '../support/push/engine.ts'
import { acceptNotification, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

/** An engine without a sandbox, whose push services are never called. */
function startEngine(database: Database) {
  const end = new AbortController()
  const [log, metrics] = [memoryLog(), new Metrics('test')]
  const origins = { fcmOrigin: null, fcmTokenUrl: null, apnsOrigin: null, apnsSandboxOrigin: null }
  const deps = {
    database,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    sealer: SEALER,
    receipts: RECEIPTS,
    metrics,
    settings: { ...origins, providerCa: [], httpsProxy: null, pushHosts: [] },
    findSandbox: async () => null,
  }
  const running = runEngine(deps, { signal: end.signal, log, meters: loopMeters(metrics) })
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  const untilMeasured = async (line: RegExp): Promise<void> =>
    until(async () => line.test(await metrics.render()), { what: `a measure like ${line}` })
  return { log, metrics, stop, untilMeasured }
}

test('the verdicts of a worker are measured, and those that are errors by their class', async () => {
  const { database, brand, drop } = await freshDatabase()
  after(drop)
  const { brandId } = await brand()
  await seedVapidKey(database, brandId)
  await seedSubscriptions(database, { brandId, platform: 'web' })
  await database.query(
    `update subscriptions set is_virtual = true, virtual_kind = 'chrome', virtual_name = 'One' where brand_id = $1`,
    [brandId],
  )
  const seed = { brandId, platform: 'web', target: { kind: 'all' }, reachesVirtual: true } as const
  const id = await acceptNotification(database, seed)
  await planDue(database)
  const { log, stop, untilMeasured } = startEngine(database)
  await untilMeasured(/^beckon_attempts_total\{.*platform="web".*verdict="refused".*\} 1$/m)
  await untilMeasured(/^beckon_provider_errors_total\{.*platform="web".*reason="message".*\} 1$/m)
  await untilMeasured(/^beckon_provider_errors_total\{.*platform="ios".*reason="message".*\} 0$/m)
  await untilMeasured(/^beckon_sending_held(?:\{.*\})? 0$/m)
  await until(async () => (await report(database, { brandId, id })).finishedAt !== null, { what: 'the end' })
  await stop()
  assert.deepEqual(log.lines, [], 'a clock that goes on is no news')
})

test('a worker tells that sending is held, and that the clock was set back', async () => {
  const { database, drop } = await freshDatabase()
  after(drop)
  await holdSending(database)
  await database.query(`insert into delivery_clock (seen_at) values (clock_timestamp() + interval '1 hour')
    on conflict (is_only) do update set seen_at = excluded.seen_at`)
  const { log, stop, untilMeasured } = startEngine(database)
  await untilMeasured(/^beckon_sending_held(?:\{.*\})? 1$/m)
  await until(() => log.lines.length > 0, { what: 'news of the clock' })
  await stop()
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  )
})
