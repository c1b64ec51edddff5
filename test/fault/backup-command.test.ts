import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { withOwner } from '../../src/store/db.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'

type Place = { readonly dataDir: string; readonly environment: { readonly BECKON_DATA_DIR: string } }

async function freshPlace(context: TestContext): Promise<Place> {
  const dataDir = join(await freshFolder(context), 'data')
  return { dataDir, environment: { BECKON_DATA_DIR: dataDir } }
}

/** Starting a Beckon is slow, so the cases share one, which has a demo brand and is stopped before they begin. */
test('beckon backup and beckon restore', async (context) => {
  const origin = await freshPlace(context)
  const file = join(await freshFolder(context), 'one.backup')

  await context.test('a backup is made while Beckon runs, and leaves it running', async (inner) => {
    const beckon = await startBeckon(inner, origin.environment)
    const backup = await runBeckon(['backup', file], origin.environment)
    assert.equal(backup.code, 0, backup.stderr)
    assert.match(backup.stderr, /brands {2}1 row {2}\d+ kB/)
    assert.notEqual(await findPostgres(origin.dataDir), null)

    const busy = await runBeckon(['restore', file, '--force'], origin.environment)
    assert.equal(busy.code, 1)
    assert.match(busy.stderr, new RegExp(`in use by another Beckon \\(process ${beckon.pid}\\)`))
    assert.notEqual(await findPostgres(origin.dataDir), null)
  })

  await context.test('a stopped Beckon can be backed up too, and is stopped after', async () => {
    const backup = await runBeckon(['backup', `${file}.second`], origin.environment)
    assert.equal(backup.code, 0, backup.stderr)
    assert.equal(await findPostgres(origin.dataDir), null)
  })

  await context.test('a restored folder starts with the same brands and the same secret', async (inner) => {
    const copy = await freshPlace(inner)
    const restore = await runBeckon(['restore', file], copy.environment)
    assert.equal(restore.code, 0, restore.stderr)
    assert.match(restore.stdout, /^Restored \d+ rows/)
    assert.equal(await findPostgres(copy.dataDir), null)
    assert.deepEqual(
      await readFile(join(copy.dataDir, 'secret')),
      await readFile(join(origin.dataDir, 'secret')),
    )

    await startBeckon(inner, copy.environment)
    const { stdout } = await runBeckon(['brand', 'list'], copy.environment)
    assert.match(stdout, /demo/)
  })

  await context.test(
    'a backup of the embedded server is restored into a database of one’s own',
    async (inner) => {
      const { url, drop } = await emptyDatabase()
      endWith(inner, drop)
      const user = `test_${randomBytes(8).toString('hex')}`
      const own = Object.assign(new URL(url), { username: user, password: user }).href
      await withOwner(url, async (admin) => {
        await admin.query(`create role ${user} login createrole password '${user}'`)
        await admin.query(`grant create on schema public to ${user}`)
      })
      endWith(inner, async () => {
        await withOwner(url, async (admin) => admin.query(`drop owned by ${user}; drop role ${user}`))
      })
      const environment = { ...(await freshPlace(inner)).environment, DATABASE_URL: url }
      const empty = await emptyDatabase()
      endWith(inner, empty.drop)
      const moved = { ...environment, DATABASE_URL: empty.url }
      const restore = await runBeckon(['restore', file], moved)
      assert.equal(restore.code, 0, restore.stderr)
      assert.match(restore.stdout, /^Restored \d+ rows.* into the database of DATABASE_URL\.$/m)
      assert.deepEqual(
        await readFile(join(moved.BECKON_DATA_DIR, 'secret')),
        await readFile(join(origin.dataDir, 'secret')),
      )
      await startBeckon(inner, moved)
      assert.match((await runBeckon(['brand', 'list'], moved)).stdout, /demo/)
      const again = await runBeckon(['restore', file], moved)
      assert.equal(again.code, 1)
      assert.match(again.stderr, /^The database of DATABASE_URL has brands in it/m)

      // Beckon's roles belong to the server, so by now they are there: what is missing is the right to the rest.
      const weak = await runBeckon(['restore', file], { ...environment, DATABASE_URL: own })
      assert.equal(weak.code, 1, weak.stderr)
      assert.match(
        weak.stderr,
        /Let an administrator run: (?:grant set on parameter session_replication_role|create role)/,
      )
    },
  )

  await context.test('a cut-off backup is refused before the folder is even made', async (inner) => {
    const folder = await freshFolder(inner)
    const cut = join(await freshFolder(inner), 'cut.backup')
    await copyFile(file, cut)
    await truncate(cut, 500)
    const restore = await runBeckon(['restore', cut], { BECKON_DATA_DIR: join(folder, 'data') })
    assert.equal(restore.code, 1)
    assert.match(restore.stderr, /cut\.backup is damaged/)
    assert.deepEqual(await readdir(folder), [])
  })

  await context.test('a folder with brands in it is refused, or moved aside with --force', async () => {
    const refused = await runBeckon(['restore', file], origin.environment)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /is not empty: .*--force/)

    const forced = await runBeckon(['restore', file, '--force'], origin.environment)
    assert.equal(forced.code, 0, forced.stderr)
    const [aside = ''] = (await readdir(origin.dataDir)).filter((name) => name.startsWith('before-restore-'))
    assert.match(forced.stdout, new RegExp(`is now in ${join(origin.dataDir, aside)}`))
    const moved = await readdir(join(origin.dataDir, aside))
    assert.deepEqual(moved.toSorted(), ['postgres', 'postgres-password', 'postgres.log', 'secret'])
  })
})
