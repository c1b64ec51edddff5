import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { assertDocumented } from '../support/reference/documented.ts'
import { saveManyDevices } from '../support/subscriptions/many-devices.ts'

/** A slow database: every look at the clock finds it a second later. */
let now = Date.now()
const server = await startServer({ clock: { now: () => (now += 1_000) } })
after(server.close)

const MANY = 8_000

const preview = async (brand: TestBrand, body: object): Promise<Answer> =>
  call(server.port, { path: '/api/v1/segments/preview', headers: keyHeaders(brand), body })

test('200 estimates what is large and takes long, and says how far it may be off', async () => {
  const brand = await server.brand()
  await saveManyDevices(server.url, { brandId: brand.brandId, count: MANY })
  const { status, body } = await preview(brand, { filter: { tag: 'vip' } })
  const [count, margin] = [Number(body['count']), Number(body['margin'])]
  assert.equal(status, 200)
  assert.ok(margin > 400 && margin < 700, String(margin))
  // Wider than what is told, because once in 20 times that does not hold; this once in a million.
  assert.ok(Math.abs(count - MANY) < 2.5 * margin, String(count))
  const { android, ios } = Object(body['platforms'])
  assert.equal(android + ios, count)
  assert.ok(android > ios)
  assert.equal(Array.from(Object(body['sample'])).length, 10)
})

test('200 counts everybody when that is asked for, however long it takes', async () => {
  const brand = await server.brand()
  await saveManyDevices(server.url, { brandId: brand.brandId, count: MANY })
  const { body } = await preview(brand, { filter: { tag: 'vip' }, exact: true })
  assert.deepEqual([body['count'], body['margin']], [MANY, 0])
})

test('200 counts everybody when too few are found to tell', async () => {
  const brand = await server.brand()
  await saveManyDevices(server.url, { brandId: brand.brandId, count: 300 })
  const { body } = await preview(brand, { filter: { tag: 'vip' } })
  assert.deepEqual([body['count'], body['margin']], [300, 0])
  assert.deepEqual(body['platforms'], { android: 200, ios: 100 })
})

test('400 when `exact` is not a boolean; a segment that is saved has no use for it', async () => {
  const brand = await server.brand()
  const refused = await preview(brand, { filter: { tag: 'vip' }, exact: 'yes' })
  assert.equal(refused.status, 400)
  const saved = await call(server.port, {
    path: '/api/v1/segments',
    headers: keyHeaders(brand),
    body: { name: 'n', filter: { tag: 'vip' }, exact: true },
  })
  assert.equal(saved.status, 200)
  assert.match(saved.text, /"code":"unknown_field"/)
})

test('200 lists all devices that a filter finds, page by page and by platform; none of another brand', async () => {
  const brand = await server.brand()
  const other = await server.brand()
  await saveManyDevices(server.url, { brandId: brand.brandId, count: 30 })
  await saveManyDevices(server.url, { brandId: other.brandId, count: 5 })
  const members = async (search: string, body: object = { filter: { tag: 'vip' } }) => {
    const path = `/api/v1/segments/preview/members${search}`
    const answer = await call(server.port, { path, headers: keyHeaders(brand), body })
    const rows: readonly unknown[] = Array.from(Object(answer.body['subscriptions'] ?? []))
    return { ...answer, ids: rows.map((row) => String(Object(row)['subscription_id'])) }
  }
  const first = await members('?limit=20')
  assert.equal(first.ids.length, 20)
  const second = await members(`?limit=20&cursor=${String(first.body['next_cursor'])}`)
  assert.equal(new Set([...first.ids, ...second.ids]).size, 30)
  assert.equal(second.body['next_cursor'], null)
  assert.equal((await members('?platform=ios&limit=20')).ids.length, 10)
  const documented = { method: 'POST', path: '/api/v1/segments/preview/members' } as const
  assertDocumented(documented, await members('?platform=android'))
  assert.deepEqual((await members('', { filter: { not: { tag: 'vip' } } })).ids, [])
  for (const body of [{}, { filter: {} }, { filter: { segment: 7 } }])
    assert.equal((await members('', body)).status, 400, JSON.stringify(body))
  assert.equal((await members('?cursor=x')).status, 400)
})
