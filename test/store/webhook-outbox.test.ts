import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { enqueueWebhooks, type WebhookEvent } from '../../src/store/webhooks/outbox.ts'
import { claimWebhooks } from '../../src/store/webhooks/queue.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { addEndpoint, outboxOf } from '../support/webhooks/webhooks.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const ENTERED: WebhookEvent = {
  type: 'journey.entered',
  at: Date.UTC(2026, 10, 15),
  profileId: 7n,
  data: { journey_id: 2n ** 60n },
}

test('an event is written once for each endpoint that asked, and for no other', async () => {
  const [{ brandId }, other] = [await brand(), await brand()]
  const first = await addEndpoint(database, brandId, ['journey.entered'])
  const second = await addEndpoint(database, brandId, ['journey.goal', 'journey.entered'])
  await addEndpoint(database, brandId, ['journey.goal'])
  await addEndpoint(database, other.brandId, ['journey.entered'])
  const count = await database.asBrand(brandId, async (tx) =>
    enqueueWebhooks(tx, brandId, [ENTERED, ENTERED]),
  )
  assert.equal(count, 4)
  const rows = await outboxOf(database, brandId)
  assert.deepEqual(
    rows.map(({ endpointId }) => endpointId).toSorted(),
    [first, first, second, second].toSorted(),
  )
  assert.deepEqual(rows[0]?.data, { journey_id: 2n ** 60n })
  assert.deepEqual(await outboxOf(database, other.brandId), [])
})

test('an endpoint that is named is told although it did not ask', async () => {
  const { brandId } = await brand()
  const named = await addEndpoint(database, brandId, ['journey.goal'])
  await addEndpoint(database, brandId, ['journey.called'])
  const event = { ...ENTERED, type: 'journey.called', endpointId: named } as const
  await database.asBrand(brandId, async (tx) => enqueueWebhooks(tx, brandId, [event]))
  assert.deepEqual(
    (await outboxOf(database, brandId)).map(({ endpointId, type }) => [endpointId, type]),
    [[named, 'journey.called']],
  )
})

test('what is rolled back is not told', async () => {
  const { brandId } = await brand()
  await addEndpoint(database, brandId, ['journey.entered'])
  const failing = database.asBrand(brandId, async (tx) => {
    await enqueueWebhooks(tx, brandId, [ENTERED])
    throw new Error('the fact did not happen')
  })
  await assert.rejects(failing, /did not happen/)
  assert.deepEqual(await outboxOf(database, brandId), [])
})

test('a claim that was planned on an empty outbox reads a few rows for each message of a full one', async () => {
  const { brandId } = await brand()
  await addEndpoint(database, brandId, ['journey.entered'])
  const claim = { workerId: 'w', calls: 100, leaseMs: 60_000, health: 'well' } as const
  await database.asEngine(async (tx) => {
    await tx.query('delete from webhook_messages')
    for (let turn = 0; turn < 10; turn += 1) await claimWebhooks(tx, claim)
    const events = Array.from({ length: 2_000 }, () => ENTERED)
    await enqueueWebhooks(tx, brandId, events)
    const readBefore = await rowsRead(tx, 'webhook_messages')
    const { length } = await claimWebhooks(tx, claim)
    const read = (await rowsRead(tx, 'webhook_messages')) - readBefore
    assert.ok(length > 0)
    assert.ok(read < 20 * length, `${read} rows were read for ${length} messages`)
  })
})
