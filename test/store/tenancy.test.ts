import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { fillTenantTables, insertInto, loadTenantTables } from '../support/database/tenant-rows.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const [mine, other] = [await brand(), await brand()]
const tables = await withOwner(url, loadTenantTables)
/** Privileges and policies say no; `brands` also keeps its own id from being written. */
const REFUSED = ['42501', '428C9']
/** The setting was never made, or it ended with its transaction and is now the empty string. */
const NO_BRAND = ['42704', '22P02']

await fillTenantTables(url, [mine.brandId, other.brandId])

function isOneOf(codes: readonly string[]): (error: unknown) => boolean {
  return (error) => error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

async function asMine<Value>(work: (tx: Db) => Promise<Value>): Promise<Value> {
  return database.asBrand(mine.brandId, work)
}

test('there are tenant tables to test', () => {
  assert.ok(tables.length >= 6)
})

for (const table of tables) {
  const { name, brandColumn, canSelect, canDelete, updatable } = table

  test(`${name}: a brand reads its own rows and none of another's`, async () => {
    const read = asMine(async (tx) =>
      tx.query<{ brand: number }>(`select distinct ${brandColumn} as brand from ${name}`),
    )
    if (!canSelect) return assert.rejects(read, isOneOf(REFUSED))
    assert.deepEqual((await read).rows, [{ brand: mine.brandId }])
  })

  test(`${name}: a brand cannot insert a row for another`, async () => {
    const insert = asMine(async (tx) => tx.query(insertInto(table, other.brandId)))
    await assert.rejects(insert, isOneOf(REFUSED))
  })

  test(`${name}: a brand cannot change, take or give away rows of another`, async () => {
    const others = `where ${brandColumn} = ${other.brandId}`
    for (const column of updatable) {
      const change = await asMine(async (tx) =>
        tx.query(`update ${name} set ${column} = ${column} ${others}`),
      )
      assert.equal(change.count, 0, column)
    }
    const give = asMine(async (tx) => tx.query(`update ${name} set ${brandColumn} = ${other.brandId}`))
    await assert.rejects(give, isOneOf(REFUSED))
  })

  test(`${name}: a brand cannot delete rows of another`, async () => {
    const remove = asMine(async (tx) =>
      tx.query(`delete from ${name} where ${brandColumn} = ${other.brandId}`),
    )
    if (!canDelete) return assert.rejects(remove, isOneOf(REFUSED))
    assert.equal((await remove).count, 0)
  })

  test(`${name}: the engine sees every brand`, async () => {
    const { rows } = await database.query<{ brand: number }>(
      `select distinct ${brandColumn} as brand from ${name} where ${brandColumn} in ($1, $2) order by brand`,
      [mine.brandId, other.brandId],
    )
    assert.deepEqual(
      rows.map((row) => row.brand),
      [mine.brandId, other.brandId],
    )
  })
}

for (const { name, brandColumn } of tables.filter(({ canSelect }) => canSelect))
  test(`${name}: without a brand there is an error, not a row`, async () => {
    await withOwner(url, async (session) => {
      await session.query('set role beckon_app')
      await assert.rejects(session.query(`select ${brandColumn} from ${name}`), isOneOf(NO_BRAND))
      await session.query(`begin; set local beckon.brand_id = ${mine.brandId}; commit`)
      await assert.rejects(session.query(`select ${brandColumn} from ${name}`), isOneOf(NO_BRAND))
    })
  })
