import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listMessages, type Redrive, redriveMessages } from '../../src/store/webhooks/log.ts'
import { enqueueWebhooks } from '../../src/store/webhooks/outbox.ts'
import { freshDatabase } from '../support/database/database.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NOON = Date.UTC(2026, 10, 15, 12)

/** Messages that failed at these times; the rest of a row as `changes` says it. */
async function place(
  times: readonly number[],
  changes = `state = 'failed', attempt = 3, settled_at = now()`,
) {
  const { brandId } = await brand()
  const id = await addEndpoint(database, brandId, ['journey.entered'])
  const event = { type: 'journey.entered', at: NOON, profileId: 7n, data: {} } as const
  await database.asBrand(brandId, async (tx) => {
    await enqueueWebhooks(
      tx,
      brandId,
      times.map(() => event),
    )
  })
  await database.query(
    `with numbered as (
       select id, row_number() over (order by id) as place from webhook_messages where brand_id = $1
     )
     update webhook_messages as m set ${changes}, created_at = given.at
     from numbered join unnest($2::timestamptz[]) with ordinality as given (at, place) using (place)
     where m.brand_id = $1 and m.id = numbered.id`,
    [brandId, times.map((at) => new Date(at))],
  )
  const redrive = async (what: Redrive['what'], rowsMax = 100) =>
    database.asBrand(brandId, async (tx) => redriveMessages(tx, { brandId, id, what, rowsMax }))
  const waiting = async () => {
    const asked = { brandId, id, state: 'waiting', beforeId: null, limit: 100 } as const
    const { rows } = await database.asBrand(brandId, async (tx) => listMessages(tx, asked))
    return rows.map(({ createdAt }) => createdAt).toSorted((one, other) => one - other)
  }
  return { redrive, waiting }
}

const SPAN = { fromAt: NOON, toAt: NOON + 1_000, isDeliveredToo: false }

test('a span begins at its first instant and ends before its last', async () => {
  const { redrive, waiting } = await place([NOON - 1, NOON, NOON + 999, NOON + 1_000])
  assert.equal(await redrive(SPAN), 2)
  assert.deepEqual(await waiting(), [NOON, NOON + 999])
})

test('delivered messages are sent again only if that is asked for', async () => {
  const { redrive, waiting } = await place([NOON], `state = 'delivered', settled_at = now()`)
  assert.equal(await redrive(SPAN), 0)
  assert.equal(await redrive({ ...SPAN, isDeliveredToo: true }), 1)
  assert.deepEqual(await waiting(), [NOON])
})

test('a message is sent again while it waits for another attempt, but not before its first', async () => {
  const tried = await place([NOON], `attempt = 1, ready_at = now() + interval '1 hour'`)
  assert.equal(await tried.redrive(SPAN), 1)
  const fresh = await place([NOON], 'attempt = 0')
  assert.equal(await fresh.redrive(SPAN), 0)
})

test('a round has at most as many messages as it may', async () => {
  const { redrive } = await place([NOON, NOON, NOON])
  assert.deepEqual([await redrive(SPAN, 2), await redrive(SPAN, 2), await redrive(SPAN, 2)], [2, 1, 0])
})
