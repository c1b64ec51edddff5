import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { withDatabaseAlone } from '../../src/cli/own-database.ts'
import { Database } from '../../src/store/db.ts'
import { freshDatabase, type TestBrand } from '../support/database/database.ts'
import { askFiles } from '../support/events/exported.ts'
import { openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
after(async () => {
  await frozen.close()
  await drop()
})

const SETTINGS = {
  DATABASE_URL: url,
  BECKON_EVENT_FILES_DIR: frozen.folder,
  BECKON_EVENT_FILES_SHARED: 'on',
  BECKON_EVENT_ROWS_DAYS: '30',
  BECKON_SANDBOX: 'off',
  BECKON_SECRET: 'a secret of a test that is long enough',
}

const ATTRIBUTES = '{"sku": "A-1", "total": 2.25}'
const [DROPPED, KEPT] = [25, 5]

/** A brand with people whose old events are in files only, and with newer ones that are rows. */
async function brandWithDropped(): Promise<TestBrand> {
  const one = await brand()
  const { brandId } = one
  await frozen.store(
    brandId,
    Array.from({ length: DROPPED }, (_, place) => rawEvent(place, { attributes: ATTRIBUTES })),
  )
  await database.query(
    `with made as (
       insert into profiles (brand_id, id, created_at, updated_at)
       select $1, id, now(), now() from generate_series(1, 7) as id returning id, created_at
     )
     insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select $1, 'user_id', 'u' || id, id, created_at from made`,
    [brandId],
  )
  await frozen.round()
  await frozen.drop()
  const { count } = await database.query('select from events where brand_id = $1', [brandId])
  assert.equal(count, 0)
  const receivedAt = Date.now()
  await frozen.store(
    brandId,
    Array.from({ length: KEPT }, (_, place) => rawEvent(place, { receivedAt, attributes: ATTRIBUTES })),
  )
  return one
}

test('beckon export --parquet writes events that are rows, and those that are in files only', async (t) => {
  const folder = join(await freshFolder(t), 'exported')
  const environment = { ...SETTINGS, BECKON_DATA_DIR: await freshFolder(t) }
  const [one] = [await brandWithDropped(), await brandWithDropped()]
  const ended = await runBeckon(['export', folder, '--brand', one.externalId, '--parquet'], environment)
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stdout, new RegExp(`^Exported ${DROPPED + KEPT} events to `))
  const found = await askFiles(
    `select count(*)::integer as events, count(distinct id)::integer as ids, sum("number.total")::varchar as total,
       count("string.sku")::integer as skus, count(distinct user_id)::integer as people
     from read_parquet('${folder}/week=*/*.parquet', union_by_name = true)
     join '${folder}/people.parquet' using (profile_id)`,
  )
  const events = DROPPED + KEPT
  assert.deepEqual(found, [
    { events, ids: events, total: (events * 2.25).toFixed(2), skus: events, people: 7 },
  ])
})

/** The embedded server, while no Beckon runs. */
async function withEmbedded(
  dataDir: string,
  work: (at: { readonly url: string; readonly database: Database }) => Promise<void>,
): Promise<void> {
  await withDatabaseAlone(dataDir, async (own) => {
    const embedded = new Database({ url: own, connectionsMax: 5, name: 'beckon test', author: 'system' })
    try {
      await work({ url: own, database: embedded })
    } finally {
      await embedded.close()
    }
  })
}

test('beckon backup has the events that are in files only, and beckon restore makes rows of them', async (t) => {
  const [dataDir, copyDir] = [await freshFolder(t), await freshFolder(t)]
  const files = await openFiles()
  const environment = {
    BECKON_DATA_DIR: dataDir,
    BECKON_EVENT_FILES_DIR: files.folder,
    BECKON_EVENT_ROWS_DAYS: '30',
  }
  // The first start makes the database and a brand.
  const beckon = await startBeckon(t, environment)
  beckon.send('SIGTERM')
  await beckon.ended
  let stored: readonly string[] = []
  await withEmbedded(dataDir, async (at) => {
    const own = await openFrozen(at, files)
    const events = Array.from({ length: DROPPED }, (_, place) => rawEvent(place, { attributes: ATTRIBUTES }))
    stored = (await own.store(1, events)).map(String)
    await own.round()
    await own.drop()
    assert.equal((await at.database.query('select from events')).count, 0)
    await files.eventFiles.duckdb.close()
  })
  const file = join(copyDir, 'dropped.backup')
  const backup = await runBeckon(['backup', file], environment)
  assert.equal(backup.code, 0, backup.stderr)

  const restored = { BECKON_DATA_DIR: join(copyDir, 'data') }
  const restore = await runBeckon(['restore', file], restored)
  assert.equal(restore.code, 0, restore.stderr)
  await withEmbedded(restored.BECKON_DATA_DIR, async ({ database: copy }) => {
    const { rows } = await copy.query<{ id: bigint; attributes: object }>(
      'select id, attributes from events where brand_id = 1 order by id',
    )
    assert.deepEqual(
      rows.map(({ id }) => String(id)),
      stored,
    )
    for (const { attributes } of rows) assert.deepEqual(attributes, JSON.parse(ATTRIBUTES))
    assert.equal((await copy.query('select from event_files')).count, 0, 'weeks are frozen anew')
  })
  await rm(files.folder, { recursive: true })
})
