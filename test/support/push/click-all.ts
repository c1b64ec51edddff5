import assert from 'node:assert/strict'
import type { TestBrand } from '../database/database.ts'
import { call, type RunningServer } from '../processes/server.ts'

/** Reports a click on every message of a brand, as its devices would. */
export async function clickAll({ port, deps }: RunningServer, { brandId }: TestBrand): Promise<void> {
  const { rows } = await deps.database.query<{ notificationId: string; subscriptionId: bigint }>(
    `select notification_id as "notificationId", subscription_id as "subscriptionId" from all_deliveries where brand_id = $1`,
    [brandId],
  )
  const receipts = rows.map((row) => ({
    receipt: deps.receipts.sign({ brandId, ...row }, Date.now()),
    kind: 'clicked',
  }))
  assert.equal((await call(port, { path: '/api/v1/receipts', body: { receipts } })).status, 200)
}
