import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { firstIdAt } from '../../src/domain/events/week.ts'
import { sumHotRows } from '../../src/store/event-files/hot-rows.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

test('a range of rows has its first id, and ends before its last', async () => {
  const { brandId } = await brand()
  const firstId = firstIdAt(Date.UTC(2026, 10, 4, 12))
  const endId = firstId + 5n
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select id, 1, now(), $1, false, 'edge', 2.50, '{}' from unnest($2::bigint[]) as id`,
    [brandId, [firstId - 1n, firstId, endId - 1n, endId]],
  )
  assert.deepEqual(await sumHotRows(database, { brandId, firstId, endId }), {
    count: '2',
    ltv: '5',
    profiles: '2',
    ids: String(firstId + endId - 1n),
  })
})
