import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Metrics } from '../../src/runtime/metrics.ts'
import { saveBrandSettings } from '../../src/store/brand/brands.ts'
import { Database } from '../../src/store/db.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const SETTINGS = {
  name: 'Renamed',
  timeZone: 'UTC',
  profileMerging: false,
  allowedOrigins: [],
  identityVerification: false,
  frequencyCap: null,
  defaultSound: null,
  language: null,
  controlPercent: 0,
  quietHours: null,
  approvalAbove: null,
}

async function nameOf(brandId: number): Promise<string | undefined> {
  const { rows } = await database.query<{ name: string }>('select name from brands where id = $1', [brandId])
  return rows[0]?.name
}

test('one connection that serves two brands in turn shows each only its own', async (context) => {
  const narrow = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'narrow' })
  context.after(async () => narrow.close())
  for (const { brandId } of [await brand(), await brand()]) {
    const { rows } = await narrow.asBrand(brandId, async (tx) => tx.query('select id from brands'))
    assert.deepEqual(rows, [{ id: brandId }])
  }
})

test('a pool tells how many connections it has in use, how many callers wait, and how long commits take', async (context) => {
  const metrics = new Metrics('test')
  const narrow = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'narrow', metrics })
  context.after(async () => narrow.close())
  const { brandId } = await brand()
  let waiting: Promise<unknown> = Promise.resolve()
  const busy = await narrow.asBrand(brandId, async () => {
    waiting = narrow.asBrand(brandId, async () => undefined)
    return metrics.render()
  })
  await waiting
  assert.match(busy, /^beckon_database_connections\{pool="requests",state="in_use",.*\} 1$/m)
  assert.match(busy, /^beckon_database_connections\{pool="engine",state="in_use",.*\} 0$/m)
  assert.match(busy, /^beckon_database_waiting\{pool="requests",.*\} 1$/m)
  assert.match(busy, /^beckon_database_connections_max\{pool="requests",.*\} 1$/m)
  const calm = await metrics.render()
  assert.match(calm, /^beckon_database_waiting\{pool="requests",.*\} 0$/m)
  assert.match(calm, /^beckon_database_commit_seconds_count\{.*pool="requests".*\} 2$/m)
})

test('a transaction whose work throws leaves nothing, and its connection is usable again', async (context) => {
  const narrow = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'narrow' })
  context.after(async () => narrow.close())
  const { brandId, externalId } = await brand()
  const broken = narrow.asSystem(brandId, async (tx) => {
    await saveBrandSettings(tx, brandId, SETTINGS)
    throw new Error('broke')
  })
  await assert.rejects(broken, /broke/)
  assert.equal(await nameOf(brandId), externalId)
  await narrow.asSystem(brandId, async (tx) => saveBrandSettings(tx, brandId, SETTINGS))
  assert.equal(await nameOf(brandId), 'Renamed')
})

test('work that swallows a failed statement is never reported as committed', async () => {
  const { brandId, externalId } = await brand()
  const swallowed = database.asBrand(brandId, async (tx) => {
    await saveBrandSettings(tx, brandId, SETTINGS)
    await tx.query('select 1 / 0').catch(() => undefined)
  })
  await assert.rejects(swallowed, /rolled back/)
  assert.equal(await nameOf(brandId), externalId)
})

test('instants are milliseconds, int8 is exact, and JSON keeps its integers', async () => {
  const { rows } = await database.query(
    `select $1::timestamptz as instant, 9223372036854775807 as big, '{"id":9223372036854775807}'::jsonb as json`,
    [new Date(1_767_225_600_123)],
  )
  const big = 9_223_372_036_854_775_807n
  assert.deepEqual(rows, [{ instant: 1_767_225_600_123, big, json: { id: big } }])
})

test('an instant comes back as it was written, from the year 1 on', async () => {
  for (const text of ['0001-01-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z', '2026-11-15T05:30:00.123Z']) {
    const { rows } = await database.query<{ at: number }>('select $1::timestamptz as at', [text])
    assert.equal(new Date(rows[0]?.at ?? 0).toISOString(), text)
  }
})
