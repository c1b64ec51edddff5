import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freshDatabase } from '../support/database/database.ts'
import { openFrozen, rawEvent } from '../support/events/frozen.ts'
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
  BECKON_SANDBOX: 'off',
  BECKON_SECRET: 'a secret of a test that is long enough',
}
const DROPPING = { BECKON_EVENT_ROWS_DAYS: '30', BECKON_EVENT_FILES_SHARED: 'on' }

test('a started Beckon answers from files what has no rows, and does not start without the setting', async (t) => {
  const dataDir = await freshFolder(t)
  const { brandId, secretKey } = await brand()
  const events = Array.from({ length: 25 }, (_, place) => rawEvent(place, { attributes: '{"sku": "A"}' }))
  await frozen.store(brandId, events)
  await database.query(
    `insert into profiles (brand_id, id, created_at, updated_at) select $1, id, now(), now() from generate_series(1, 7) as id`,
    [brandId],
  )
  await database.query(
    `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
     select $1, 'user_id', 'u' || id, id, now() from generate_series(1, 7) as id`,
    [brandId],
  )
  await frozen.round()
  await frozen.drop()
  const { count } = await database.query('select from events where brand_id = $1', [brandId])
  assert.equal(count, 0)
  const environment = { ...SETTINGS, BECKON_DATA_DIR: dataDir, PORT: '0' }
  const refused = await runBeckon(['start'], environment)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /in event files only: set BECKON_EVENT_ROWS_DAYS/)
  const unsafe = await runBeckon(['start'], { ...environment, BECKON_EVENT_ROWS_DAYS: '30' })
  assert.match(unsafe.stderr, /BECKON_EVENT_FILES_SHARED=on/)

  const beckon = await startBeckon(t, { ...environment, ...DROPPING })
  const ask = async (path: string): Promise<string> => {
    const reply = await fetch(`${beckon.url}${path}`, { headers: { authorization: `Bearer ${secretKey}` } })
    const text = await reply.text()
    assert.equal(reply.status, 200, text)
    return text
  }
  const listed = await ask('/api/v1/events?limit=100')
  assert.equal(listed.match(/"event_name"/g)?.length, 25)
  const own = await ask('/api/v1/events?userID=u1&limit=100')
  assert.equal(own.match(/"event_name"/g)?.length, 4)
  const exported = await ask('/api/v1/events/export')
  assert.equal(exported.trim().split('\n').length, 25)
  const doctor = await runBeckon(['doctor'], { ...environment, ...DROPPING })
  assert.match(doctor.stdout, /have the only copy of their events/)
})
