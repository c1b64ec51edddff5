import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a planner with nothing to do sleeps, and releases what becomes due', async (context) => {
  const end = new AbortController()
  const [time, log] = [new FakeTime(), memoryLog()]
  const host = { signal: end.signal, log, meters: loopMeters(new Metrics('test')), time }
  const running = runPlanner({ database }, host)
  context.after(async () => {
    end.abort()
    await running
    await drop()
  })
  // The waits of the three loops: `release` and `plan` look more often than `expire`.
  await until(() => time.asked.length >= 3, { what: 'three loops that sleep' })
  assert.deepEqual(
    time.asked.toSorted((one, other) => one - other),
    [20, 20, 100],
  )
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const timing = { kind: 'after', delayMs: 60_000 } as const
  await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' }, timing })
  await database.query('update notifications set plan_at = clock_timestamp() where brand_id = $1', [brandId])
  const countChunks = async () => {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::integer from chunks where brand_id = $1',
      [brandId],
    )
    return rows[0]?.count
  }
  await until(
    async () => {
      await time.pass(1_000)
      return (await countChunks()) === 1
    },
    { what: 'the chunk of a notification that is due' },
  )
  assert.deepEqual(log.lines, [])
})
