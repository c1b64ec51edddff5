import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runPlanner } from '../../src/delivery/planner.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { freshDatabase } from '../support/database/database.ts'
import { FakeTime } from '../support/fake-time.ts'
import { memoryLog } from '../support/memory-log.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('a planner with nothing to do sleeps, wakes nobody, and releases what becomes due', async () => {
  const end = new AbortController()
  const [time, metrics] = [new FakeTime(), new Metrics('test')]
  const log = memoryLog()
  const told: string[] = []
  const listening = database.listen((kind) => told.push(kind), end.signal)
  const running = runPlanner({ database }, { signal: end.signal, log, meters: loopMeters(metrics), time })
  // The waits of the three loops: `release` and `plan` look more often than `expire`.
  await until(() => time.asked.length >= 3, { what: 'three loops that sleep' })
  assert.deepEqual(time.asked.slice(0, 3).toSorted(), [100, 20, 20])
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const timing = { kind: 'after', delayMs: 60_000 } as const
  await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' }, timing })
  const idle = told.filter((kind) => kind === 'send').length
  await database.query(`update notifications set plan_at = clock_timestamp() where brand_id = $1`, [brandId])
  await time.pass(1_000)
  await until(() => told.filter((kind) => kind === 'send').length > idle, { what: 'news for the senders' })
  const { rows } = await database.query<{ count: number }>(
    'select count(*)::integer from chunks where brand_id = $1',
    [brandId],
  )
  assert.equal(rows[0]?.count, 1)
  end.abort()
  await Promise.all([running, listening])
  assert.deepEqual(log.lines, [])
})
