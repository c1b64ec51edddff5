import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { StartError } from '../../src/runtime/errors.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { Database, withOwner } from '../../src/store/db.ts'
import { latestVersion, migrate } from '../../src/store/migrate.ts'
import { emptyDatabase, freshDatabase, PATIENT } from '../support/database/database.ts'

/** A database owned by a user without any special rights, as a hosting company gives it. */
const { url: adminUrl, drop } = await emptyDatabase()
const user = `test_user_${randomBytes(8).toString('hex')}`
const ordinary = new URL(adminUrl)
ordinary.username = user
ordinary.password = 'pass'
const url = ordinary.href

await withOwner(adminUrl, async (admin) => {
  await admin.query(`create role ${user} login password 'pass'`)
  await admin.query(`alter database ${ordinary.pathname.slice(1)} owner to ${user}`)
})
const other = await freshDatabase() // by now the roles exist on this server
after(async () => {
  await drop()
  await withOwner(other.url, async (admin) => admin.query(`drop role ${user}`))
  await other.drop()
})

test('a user who may not step into the roles is told what an administrator has to run', async () => {
  await assert.rejects(migrate(url), (error) => {
    assert.ok(error instanceof StartError)
    assert.match(
      error.message,
      /create role beckon_app nologin;.* grant beckon_app, beckon_engine, beckon_team to <user>/,
    )
    return true
  })
})

test('an ordinary owner migrates and serves, and sees no row itself', async () => {
  await withOwner(adminUrl, async (admin) =>
    admin.query(`grant beckon_app, beckon_engine, beckon_team to ${user} with set true, inherit false`),
  )
  assert.equal(await migrate(url), latestVersion())
  const database = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'ordinary' })
  const brand = await ensureBrand(database, { externalId: 'shop', name: 'Shop', now: 0 })
  const seen = await database.asBrand(brand.id, async (tx) => tx.query('select id from brands'))
  await database.close()
  assert.deepEqual(seen.rows, [{ id: brand.id }])
  assert.equal((await withOwner(url, async (owner) => owner.query('select id from brands'))).count, 0)
})
