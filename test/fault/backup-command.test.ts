import assert from 'node:assert/strict'
import { copyFile, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'

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
