import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { EndpointFate, MessageFate } from '../../src/domain/webhooks/verdict.ts'
import { WEBHOOK_RULES } from '../../src/rules/webhooks.ts'
import { enqueueWebhooks } from '../../src/store/webhooks/outbox.ts'
import { purgeDelivered } from '../../src/store/webhooks/purge.ts'
import { claimWebhooks, settleCall } from '../../src/store/webhooks/queue.ts'
import { freshDatabase } from '../support/database/database.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NOON = Date.UTC(2026, 10, 15, 12)
const DAY_MS = 86_400_000
const FAILED: MessageFate = { state: 'failed', readyAt: null }

/** An endpoint with claimed messages, and the way to settle the next of them. */
async function claimedCalls(count: number) {
  const { brandId } = await brand()
  const endpointId = await addEndpoint(database, brandId, ['journey.entered'])
  const event = { type: 'journey.entered', at: NOON, profileId: 7n, data: {} } as const
  await database.asBrand(brandId, async (tx) =>
    enqueueWebhooks(
      tx,
      brandId,
      Array.from({ length: count }, () => event),
    ),
  )
  const messages = [
    ...(await claimWebhooks(database, { workerId: 'w', calls: count, leaseMs: 60_000, health: 'well' })),
  ]
  return async (now: number, endpoint: EndpointFate, fate = FAILED) => {
    const message = messages.shift()
    assert.ok(message !== undefined)
    const fates = [{ message, fate }]
    await settleCall(database, { brandId, endpointId, fates, endpoint, attempt: {}, now })
    const { rows } = await database.query<{ reason: string | null; pausedUntil: number | null }>(
      `select disabled_reason as reason, paused_until as "pausedUntil" from webhook_endpoints
       where brand_id = $1 and id = $2`,
      [brandId, endpointId],
    )
    return rows[0]
  }
}

test('an endpoint is disabled when it has failed for as long as it may, and not a millisecond before', async () => {
  const settle = await claimedCalls(3)
  const failing = { kind: 'failing', pausedUntil: null } as const
  const last = NOON + WEBHOOK_RULES.failingMsMax
  assert.deepEqual(await settle(NOON, failing), { reason: null, pausedUntil: null })
  assert.equal((await settle(last - 1, failing))?.reason, null)
  assert.equal((await settle(last, failing))?.reason, 'failing')
})

test('an endpoint rests until the moment that it asked for', async () => {
  const settle = await claimedCalls(2)
  const pausedUntil = NOON + 90_000
  assert.deepEqual(await settle(NOON, { kind: 'failing', pausedUntil }), { reason: null, pausedUntil })
  // A shorter rest that is asked for later does not end the first one.
  const shorter = { kind: 'failing', pausedUntil: NOON + 1 } as const
  assert.deepEqual(await settle(NOON, shorter), { reason: null, pausedUntil })
})

test('a delivered message stays in the log for its days, and goes in the millisecond after', async () => {
  const settle = await claimedCalls(1)
  await settle(NOON, { kind: 'well' }, { state: 'delivered', readyAt: null })
  const end = NOON + WEBHOOK_RULES.deliveredDays * DAY_MS
  assert.equal(await purgeDelivered(database, { now: end, rowsMax: 10 }), 0)
  assert.equal(await purgeDelivered(database, { now: end + 1, rowsMax: 10 }), 1)
})
