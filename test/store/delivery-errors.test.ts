import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { LIVE_LIMITS } from '../../src/rules/live.ts'
import { loadDeliveryErrors } from '../../src/store/live/progress.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const { errorRowsMax, errorReasonsMax } = LIVE_LIMITS

/** The errors of a notification with so many failed deliveries, for so many reasons. */
async function errorsOf(deliveries: number, reasons: number) {
  const { brandId } = await brand()
  const id = randomUUID()
  await database.query(
    `insert into deliveries (brand_id, notification_id, subscription_id, state, reason, attempt, at)
     select $1, $2, n, 'failed', 'reason ' || n % $4, 1, now() from generate_series(1, $3::integer) as n`,
    [brandId, id, deliveries, reasons],
  )
  const { rows, isCapped } = await database.asBrand(brandId, async (tx) =>
    loadDeliveryErrors(tx, { brandId, ids: [id] }),
  )
  return { reasons: rows.length, deliveries: rows.reduce((sum, { count }) => sum + count, 0), isCapped }
}

test('a look at errors tells when it has not counted all deliveries, or does not show all reasons', async () => {
  assert.deepEqual(await errorsOf(errorReasonsMax, errorReasonsMax), {
    reasons: errorReasonsMax,
    deliveries: errorReasonsMax,
    isCapped: false,
  })
  const more = errorReasonsMax + 1
  assert.deepEqual(await errorsOf(more, more), {
    reasons: errorReasonsMax,
    deliveries: errorReasonsMax,
    isCapped: true,
  })
  assert.deepEqual(await errorsOf(errorRowsMax - 1, 1), {
    reasons: 1,
    deliveries: errorRowsMax - 1,
    isCapped: false,
  })
  assert.deepEqual(await errorsOf(errorRowsMax + 5, 1), {
    reasons: 1,
    deliveries: errorRowsMax,
    isCapped: true,
  })
})
