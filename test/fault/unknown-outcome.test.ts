import assert from 'node:assert/strict'
import { test } from 'node:test'
import { POOL_LIMITS } from '../../src/providers/pool-limits.ts'
import { endWith } from '../support/processes/beckon.ts'
import { startBadProvider } from '../support/push/bad-provider.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

/** Shorter than in life, and long enough that the provider reads each message on a busy machine. */
const ANSWER_MS = 1_000

test('a message that a provider never answers is sent four times, and then says that nobody knows', async (context) => {
  const apple = await startBadProvider('hang')
  const engine = await startEngine({ apns: apple, poolLimits: { answerMs: ANSWER_MS } })
  endWith(context, async () => {
    await apple.close()
    await engine.close()
  })
  const { database } = engine
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: 1 })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  engine.startWorker()
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  const found = await engine.untilOver({ brandId, id })
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 1, failed: 1 }))
  assert.equal(apple.taken, 4)
  const { rows } = await database.query(
    'select state, reason, attempt from deliveries where brand_id = $1 and notification_id = $2',
    [brandId, id],
  )
  assert.deepEqual(rows, [{ state: 'failed', reason: 'outcome_unknown', attempt: 4 }])
})

test('a provider has half a minute for an answer', () => {
  assert.equal(POOL_LIMITS.answerMs, 30_000)
})
