import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freshDatabase } from '../support/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('a brand sees its own row and no other', async () => {
  const mine = await brand()
  const other = await brand()
  const { rows } = await database.asBrand(mine.brandId, async (tx) =>
    tx.query<{ id: number }>('select id from brands'),
  )
  assert.deepEqual(rows, [{ id: mine.brandId }])
  assert.notEqual(mine.brandId, other.brandId)
})
