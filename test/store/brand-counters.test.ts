import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Db } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'

const fresh = await freshDatabase()
after(fresh.drop)

/** The statements that make one row each, with the id that the caller chose or null. */
const INSERTS = {
  segments: `insert into segments (brand_id, id, name, filter, created_at, updated_at)
    values ($1, $2, 'x', '{}', now(), now()) returning id`,
  journeys: `insert into journeys (brand_id, id, name, created_at, updated_at)
    values ($1, $2, 'x', now(), now()) returning id`,
  profile_merges: `insert into profile_merges (brand_id, id, survivor_id, absorbed_id, merged_at, before)
    values ($1, $2, 1, 2, now(), '{}') returning id`,
} as const

async function insert(db: Db, sql: string, brandId: number, id: bigint | null = null): Promise<bigint> {
  const { rows } = await db.query<{ id: bigint }>(sql, [brandId, id])
  return rows[0]?.id ?? -1n
}

for (const [table, sql] of Object.entries(INSERTS))
  test(`ids of ${table} count within their brand, also when many are made at once`, async () => {
    const [one, two] = [await fresh.brand(), await fresh.brand()]
    const make = async (brandId: number): Promise<bigint> =>
      fresh.database.asBrand(brandId, async (tx) => insert(tx, sql, brandId))
    assert.equal(await make(one.brandId), 1n)
    const ids = await Promise.all(Array.from({ length: 20 }, async () => make(two.brandId)))
    assert.deepEqual(
      ids.toSorted((a, b) => Number(a - b)),
      Array.from({ length: 20 }, (_, at) => BigInt(at + 1)),
    )
    assert.equal(await make(one.brandId), 2n)
  })

test('a segment gets the next number that no caller has chosen', async () => {
  const { brandId } = await fresh.brand()
  const db = fresh.database
  for (const chosen of [2n, 3n, 5n, 2n ** 63n - 1n]) await insert(db, INSERTS.segments, brandId, chosen)
  const made: bigint[] = []
  for (let count = 0; count < 4; count += 1) made.push(await insert(db, INSERTS.segments, brandId))
  assert.deepEqual(made, [1n, 4n, 6n, 7n])
})
