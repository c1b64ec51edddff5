import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { ROUTES } from '../../src/http/routes.ts'
import { runHousekeeping } from '../../src/pipeline/housekeeping.ts'
import { BRAND_DELETION } from '../../src/rules/brand.ts'
import { SIGN_IN } from '../../src/rules/sign-in.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { listAudit } from '../../src/store/brand/audit.ts'
import { loadKeptBrand } from '../../src/store/brand/brands.ts'
import { purgeBrands } from '../../src/store/brand/purge.ts'
import type { TestBrand } from '../support/database/database.ts'
import { apiOf, field, listIn, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { memoryLog } from '../support/memory-log.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { push } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { addMember, type Page } from '../support/team/members.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000
const GRACE_MS = BRAND_DELETION.graceDays * DAY_MS
const PATH = '/api/v1/brands'

let aheadMs = 0
const clock = { now: () => Date.now() + aheadMs }
const server = await startServer({ clock })
const { port, deps } = server
const { database } = deps
const stop = new AbortController()
const listening = database.listenForKeysGone(() => server.server.forgetKeys(), stop.signal)
after(async () => {
  stop.abort()
  await listening
  await server.close()
})

/** Two administrators, and a brand with an owner who is none. Signing in costs much, so the tests share them. */
const home = await server.brand()
const shop = await server.brand()
const [one, two, owner] = await Promise.all([
  addMember(server, { brand: home, role: 'analyst' }),
  addMember(server, { brand: home, role: 'analyst' }),
  addMember(server, { brand: shop, role: 'owner' }),
])
await database.team.query('update members set is_administrator = true where id = any($1)', [[one.id, two.id]])
// Sessions last a week, and the clock of these tests goes further.
await database.team.query(`update member_sessions set expires_at = now() + interval '1 year'`)
const { page: admin, id } = one

async function remove(by: Page, brandId: string): Promise<Answer> {
  return by.call({ method: 'DELETE', path: `${PATH}/${brandId}` })
}

const brandIn = ({ body }: Answer): unknown => body['brand']

/** The lines of the instance about a brand, the oldest first. */
async function linesOf(brandId: number): Promise<readonly string[]> {
  const all = { actor: null, action: null, subjectType: 'brand', from: null, to: null, before: null } as const
  const { rows } = await database.asBrand(0, async (tx) =>
    listAudit(tx, { ...all, brandId: 0, subjectId: String(brandId), limit: 100 }),
  )
  return rows.map(({ actor, action }) => `${actor} ${action}`).toReversed()
}

async function idOf(externalId: string): Promise<number> {
  return (await loadKeptBrand(database, externalId))?.id ?? 0
}

test('an administrator makes a brand, owns it, makes its first key, and the key works', async () => {
  const brandId = `made.${randomUUID()}`
  const made = await admin.post(PATH, { brand_id: brandId, time_zone: 'europe/berlin' })
  assert.equal(made.status, 200, made.text)
  const shown = brandIn(made)
  assert.deepEqual(
    ['brand_id', 'name', 'state', 'role', 'time_zone', 'members'].map((name) => field(shown, name)),
    [brandId, brandId, 'live', 'owner', 'Europe/Berlin', 1],
  )
  assert.deepEqual(await linesOf(await idOf(brandId)), [`member:${id} created`])
  const { body: me } = await admin.call({ path: '/api/v1/me' })
  const mine = listIn(field(me['member'], 'brands')).map(
    (brand) => `${String(field(brand, 'brand_id'))} ${String(field(brand, 'role'))}`,
  )
  assert.ok(mine.includes(`${brandId} owner`), mine.join())

  const headers = { 'x-brand-id': brandId }
  const draft = { method: 'POST', path: '/api/v1/brand/keys', headers, body: { kind: 'secret' } }
  const { body } = await admin.call(draft)
  const secretKey = String(field(body['key'], 'api_key'))
  const answer = await call(port, {
    path: '/api/v1/brand',
    headers: { authorization: `Bearer ${secretKey}` },
  })
  assert.equal(answer.status, 200)
})

test('400 and 409 for an id that cannot be one, or is taken, also by a brand that is being deleted', async () => {
  for (const brand_id of ['', 'a b', 'deleted:1', 'x'.repeat(101)]) {
    assert.equal((await admin.post(PATH, { brand_id })).status, 400, brand_id)
  }
  assert.equal((await admin.post(PATH, { brand_id: 'a', time_zone: 'Mars/Olympus' })).status, 400)
  assert.equal((await admin.post(PATH, { brand_id: 'a', name: ' ' })).status, 400)
  const { externalId } = await server.brand()
  assert.equal((await admin.post(PATH, { brand_id: externalId })).body['code'], 'brand_exists')
  await remove(admin, externalId)
  assert.equal((await admin.post(PATH, { brand_id: externalId })).body['code'], 'brand_exists')
})

test('of two administrators who make one brand at once, one gets it; two who delete it agree on the time', async () => {
  const brandId = `twice.${randomUUID()}`
  const pages = [one.page, two.page]
  const made = await Promise.all(pages.map(async (own) => own.post(PATH, { brand_id: brandId })))
  assert.deepEqual(made.map(({ status }) => String(status)).toSorted(), ['200', '409'])
  const { rows } = await database.team.query('select role from memberships where brand_id = $1', [
    await idOf(brandId),
  ])
  assert.deepEqual(rows, [{ role: 'owner' }])
  const removed = await Promise.all(pages.map(async (own) => remove(own, brandId)))
  assert.deepEqual(
    removed.map(({ status }) => status),
    [200, 200],
  )
  const again = await remove(one.page, brandId)
  const ends = removed.concat(again).map((answer) => field(brandIn(answer), 'restorable_until'))
  assert.deepEqual([...new Set(ends)], ends.slice(0, 1))
  const restored = await Promise.all(pages.map(async (own) => own.post(`${PATH}/${brandId}/restore`)))
  assert.deepEqual(
    restored.map((answer) => field(brandIn(answer), 'state')),
    ['live', 'live'],
  )
  const lines = await linesOf(await idOf(brandId))
  assert.deepEqual(
    lines.map((line) => line.split(' ')[1]),
    ['created', 'deleted', 'restored'],
  )
})

test('an administrator lists and changes every brand; a member lists those with a role', async () => {
  const idsOf = async (reader: Page): Promise<readonly string[]> => {
    const found: string[] = []
    for (let cursor: unknown = null; ; ) {
      const path = `${PATH}?limit=2${typeof cursor === 'string' ? `&cursor=${cursor}` : ''}`
      const { body } = await reader.call({ path })
      found.push(...listIn(body['brands']).map((shown) => String(field(shown, 'brand_id'))))
      cursor = body['next_cursor']
      if (cursor === null) return found
    }
  }
  assert.deepEqual(await idsOf(owner.page), [shop.externalId])
  const all = await idsOf(admin)
  assert.ok(all.includes(shop.externalId))
  assert.deepEqual(all, [...new Set(all)].toSorted())

  const path = `${PATH}/${shop.externalId}`
  const renamed = await admin.call({ method: 'PATCH', path, body: { name: 'Acme', default_sound: 'ping' } })
  assert.deepEqual(
    [field(brandIn(renamed), 'name'), field(brandIn(renamed), 'default_sound')],
    ['Acme', 'ping'],
  )
  assert.equal((await admin.call({ method: 'PATCH', path, body: { time_zone: 'Mars' } })).status, 400)
  const ghost = { method: 'PATCH', path: `${PATH}/ghost`, body: { name: 'Ghost' } }
  assert.equal((await admin.call(ghost)).body['code'], 'brand_not_found')
  const { body } = await call(port, { path: '/api/v1/audit?subject_type=brand', headers: keyHeaders(shop) })
  assert.equal(field(listIn(body['audit'])[0], 'actor'), `member:${id}`)
})

test('403 for an owner who administers nothing, 401 for a key', async () => {
  const path = `${PATH}/${shop.externalId}`
  const calls = [
    { method: 'POST', path: PATH, body: { brand_id: 'mine' } },
    { method: 'PATCH', path, body: { name: 'Mine' } },
    { method: 'DELETE', path },
    { method: 'POST', path: `${path}/restore` },
    { method: 'GET', path: '/api/v1/instance/audit' },
    { method: 'GET', path: '/api/v1/instance/audit/export' },
  ]
  const rows = ROUTES.filter(({ isForAdministrators }) => isForAdministrators === true)
  assert.deepEqual(
    calls.map((request) => `${request.method} ${request.path.replace(shop.externalId, '{brand_id}')}`),
    rows.map((row) => `${row.method} ${row.path}`),
  )
  for (const request of calls) {
    assert.equal((await owner.page.call(request)).body['code'], 'administrator_only', request.method)
    const withKey = await call(port, { ...request, headers: keyHeaders(shop) })
    assert.equal(withKey.body['code'], 'not_signed_in', request.method)
  }
  assert.equal((await call(port, { path: PATH, headers: keyHeaders(shop) })).status, 401)
})

test('deleting needs a recent proof; an unknown brand is 404', async () => {
  const { externalId } = await server.brand()
  assert.equal((await remove(admin, 'ghost')).body['code'], 'brand_not_found')
  aheadMs = SIGN_IN.confirmedMinutes * 60_000
  assert.equal((await remove(admin, externalId)).body['code'], 'proof_needed')
  aheadMs = 0
  assert.equal((await admin.post(`${PATH}/ghost/restore`)).body['code'], 'brand_not_found')
})

async function statusOf(brand: TestBrand): Promise<number> {
  return (await call(port, { path: '/api/v1/brand', headers: keyHeaders(brand) })).status
}

async function stopBrand(brand: TestBrand): Promise<void> {
  assert.equal(await statusOf(brand), 200)
  assert.equal((await remove(admin, brand.externalId)).status, 200)
  await until(async () => (await statusOf(brand)) === 403, { what: 'the keys to be refused' })
}

async function restore(brand: TestBrand): Promise<void> {
  const answer = await admin.post(`${PATH}/${brand.externalId}/restore`)
  assert.equal(answer.status, 200, answer.text)
  await until(async () => (await statusOf(brand)) === 200, { what: 'the keys to work again' })
}

const START = { name: 'Welcome', trigger: { event: 'signup' }, steps: [] } as const

test('a brand in deletion refuses all its callers and sends nothing; restored, it goes on with all it had', async () => {
  const brand = shop
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 3 })
  const api = apiOf(port, brand)
  const document = {
    ...START,
    steps: [
      { id: 'wait', wait: { minutes: 10 } },
      { id: 'hello', send: { to: 'anywhere', title: 'Hello', message: 'Ann' } },
    ],
  }
  await startJourney(api, document)
  const event = { event_name: 'signup', attributes: {} }
  const told = await api('POST', '/api/event', { nv: [{ userID: 'ann', ...event }] })
  assert.equal(told.status, 200, told.text)
  await runJourneysAt(database, brandId, clock.now())
  // One is on its way, one goes to everybody, one comes in an hour, and the step of the journey comes before it.
  await push(port, brand, { body: { user_id: 'ann' } })
  await push(port, brand, { mode: 'all' })
  await push(port, brand, { body: { user_id: 'ann', time: 3_600 } })

  await stopBrand(brand)
  const refused = await push(port, brand, { body: { user_id: 'ann' } })
  assert.equal(refused.body['code'], 'brand_deleting')
  assert.match(String(refused.body['message']), /can restore it until 20/)
  const browser = await call(port, { method: 'POST', path: `/api/v1/visitors?key=${brand.publishableKey}` })
  assert.deepEqual([browser.status, browser.body['code']], [403, 'brand_deleting'])
  assert.equal((await owner.page.call({ path: '/api/v1/brand' })).body['code'], 'brand_deleting')
  const wrong = { ...keyHeaders(brand), 'x-api-key': 'bk_secret_of_nobody' }
  assert.equal((await call(port, { path: '/api/v1/brand', headers: wrong })).status, 401)
  const later = clock.now() + 2 * 3_600_000
  await runJourneysAt(database, brandId, later)
  assert.deepEqual(await drain(database, { now: later }), [])
  const { body } = await owner.page.call({ path: PATH })
  assert.deepEqual(
    listIn(body['brands']).map((shown) => field(shown, 'state')),
    ['deleting'],
  )
  assert.equal(
    (await admin.call({ method: 'PATCH', path: `${PATH}/${brand.externalId}`, body: {} })).status,
    403,
  )

  await restore(brand)
  assert.equal((await owner.page.call({ path: '/api/v1/brand' })).status, 200)
  await runJourneysAt(database, brandId, later)
  assert.equal((await drain(database, { now: later })).length, 4 * 3)
  await push(port, brand, { body: { user_id: 'ann' } })
  assert.equal((await drain(database, { now: later })).length, 3)
  assert.deepEqual((await linesOf(brandId)).slice(1), [`member:${id} deleted`, `member:${id} restored`])
})

/** Runs the housekeeping until it has deleted a brand for good. */
async function keepHouse({ brandId }: TestBrand): Promise<void> {
  const end = new AbortController()
  const log = memoryLog()
  const context = { signal: end.signal, log, meters: loopMeters(new Metrics('test')) }
  const config = { notificationRetentionDays: 90, auditRetentionDays: 365 }
  const running = runHousekeeping({ database, clock, sealer: deps.sealer, log, config }, context)
  const isDeleted = 'select from brands where id = $1 and restorable_until is null'
  await until(async () => (await database.query(isDeleted, [brandId])).count === 1, {
    what: 'the housekeeping',
  })
  end.abort()
  await running
}

test('at the end of the grace period the brand is deleted for good, and not a moment before', async () => {
  const [brand, saved] = [await server.brand(), await server.brand()]
  await database.team.query(
    `insert into memberships (brand_id, member_id, role, created_at, accepted_at)
     values ($1, $2, 'owner', now(), now())`,
    [brand.brandId, two.id],
  )
  await seedSubscriptions(database, { brandId: brand.brandId, userId: 'ann' })
  await stopBrand(brand)
  await stopBrand(saved)
  const early = await server.brand()
  await database.query('update brands set deleted_at = $2, restorable_until = $2 where id = $1', [
    early.brandId,
    new Date(),
  ])
  aheadMs = GRACE_MS - 3_600_000
  await keepHouse(early)
  assert.equal(await idOf(brand.externalId), brand.brandId)
  await restore(saved)

  aheadMs = GRACE_MS
  assert.equal((await admin.post(`${PATH}/${brand.externalId}/restore`)).status, 404)
  await keepHouse(brand)
  await until(async () => (await statusOf(brand)) === 401, { what: 'the keys to be gone' })
  assert.equal(await loadKeptBrand(database, brand.externalId), null)
  assert.equal((await admin.post(`${PATH}/${brand.externalId}/restore`)).status, 404)
  const left = await database.team.query('select from memberships where brand_id = $1', [brand.brandId])
  assert.equal(left.count, 0)
  assert.deepEqual((await linesOf(brand.brandId)).slice(-1), ['system removed'])
  const isThere = async () =>
    (await database.query('select from brands where id = $1', [brand.brandId])).count === 1
  while (await isThere()) await purgeBrands(database, { rowsMax: 1_000, quietMs: 0 })
  assert.equal(
    (await database.query('select from subscriptions where brand_id = $1', [brand.brandId])).count,
    0,
  )
  assert.equal(await statusOf(saved), 200)
  assert.equal((await admin.post(PATH, { brand_id: brand.externalId })).status, 200)
})
