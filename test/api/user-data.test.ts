import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodeJson, isJsonObject, type JsonObject } from '../../src/domain/json.ts'
import { saveBrandSettings } from '../../src/store/brands.ts'
import { withOwner } from '../../src/store/db.ts'
import { PERSONAL_TABLES } from '../../src/store/personal-tables.ts'
import { catchUp, findMiscounts } from '../support/counting.ts'
import type { TestBrand } from '../support/database.ts'
import { entryOf, logEntries } from '../support/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

async function post(brand: TestBrand, name: string, body: object): Promise<Answer> {
  return call(port, { path: `/api/v1/user/${name}`, headers: keyHeaders(brand), body })
}

async function userData(brand: TestBrand, userID: string): Promise<JsonObject> {
  const path = `/api/v1/user/userData?userID=${encodeURIComponent(userID)}`
  const { body } = await call(port, { path, headers: keyHeaders(brand) })
  return isJsonObject(body['profile']) ? body['profile'] : {}
}

async function mergingBrand(): Promise<TestBrand> {
  const brand = await server.brand()
  const settings = {
    name: 'm',
    timeZone: 'UTC',
    profileMerging: true,
    allowedOrigins: [],
    identityVerification: false,
    frequencyCap: null,
  }
  await saveBrandSettings(deps.database, brand.brandId, settings)
  return brand
}

test('200 shows everything about a person, to the last event', async () => {
  const brand = await server.brand()
  await post(brand, 'create', {
    nv: [{ userID: 'a', email: 'a@x.example', tags: ['vip'], user_attributes: { n: 1 } }],
  })
  await logEntries(port, brand, [entryOf({ userID: 'a', ltv: '2.5' }), entryOf({ userID: 'a' })])
  for (const round of ['before the pipeline counted', 'after']) {
    const profile = await userData(brand, 'a')
    const { userID, email, user_attributes, tags, ltv, event_count, identities } = profile
    assert.deepEqual(
      { userID, email, user_attributes, tags, ltv, event_count, identities },
      {
        userID: 'a',
        email: 'a@x.example',
        user_attributes: { n: 1 },
        tags: ['vip'],
        ltv: '12.5',
        event_count: 2,
        identities: [{ kind: 'user_id', value: 'a' }],
      },
      round,
    )
    assert.ok(Array.isArray(profile['recent_events']) && profile['recent_events'].length === 2)
    await catchUp(deps.database, brand.brandId)
  }
  const posted = await post(brand, 'userData', { userID: 'a' })
  assert.equal(posted.status, 200)
})

test('404 for somebody unknown, and for somebody of another brand', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  await post(other, 'create', { nv: [{ userID: 'a' }] })
  const { status, body } = await post(mine, 'userData', { userID: 'a' })
  assert.equal(status, 404)
  assert.equal(body['code'], 'profile_not_found')
})

test('every table that mentions a person is in the export', async () => {
  const database = deps.database
  const { rows } = await database.query<{ name: string }>(
    `select distinct relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and attnum > 0 and not attisdropped
       and attname ~ '(^|_)(profile|survivor|absorbed|subscription|user)_ids?$|^(identifiers|email|mobile)$'
     order by name`,
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(PERSONAL_TABLES).toSorted(),
  )
})

test('a person erased leaves no trace in any table', async () => {
  const brand = await server.brand()
  const secret = 'zz-very-private-person'
  const mail = 'zz-private@x.example'
  await post(brand, 'create', { nv: [{ userID: secret, email: mail, user_attributes: { note: secret } }] })
  await logEntries(port, brand, [
    entryOf({ userID: secret, event_id: `${secret}-1`, attributes: { note: secret } }),
    entryOf({ userID: secret, event_name: 'bad.name' }),
    entryOf({ userID: 'stays' }),
  ])
  await call(port, {
    path: '/api/v1/subscriptions',
    headers: keyHeaders(brand),
    body: { platform: 'android', token: `token-of-${secret}`, user_id: secret },
  })
  await catchUp(deps.database, brand.brandId)
  assert.ok((await findTraces(secret)).length > 5)
  const { status, body } = await post(brand, 'delete', { nv: [{ userID: secret }] })
  assert.equal(status, 200)
  assert.deepEqual(body, { message: 'success', processed: 1, status_code: '200' })
  assert.equal((await post(brand, 'userData', { userID: secret })).status, 404)
  await catchUp(deps.database, brand.brandId)
  assert.deepEqual(await findTraces('zz-'), [])
  assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  assert.equal((await userData(brand, 'stays'))['event_count'], 1)
})

/** Tables in which the text stands anywhere, as in a dump. */
async function findTraces(text: string): Promise<readonly string[]> {
  return withOwner(server.url, async (owner) => {
    const { rows } = await owner.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
    )
    const found: string[] = []
    for (const { name } of rows) {
      const { rows: hits } = await owner.query(
        `select from ${name} as t where t::text like '%' || $1 || '%' limit 1`,
        [text],
      )
      if (hits.length > 0) found.push(name)
    }
    return found
  })
}

test('a later event for an erased name makes a new person', async () => {
  const brand = await server.brand()
  await post(brand, 'create', { nv: [{ userID: 'a', user_attributes: { old: true } }] })
  await logEntries(port, brand, [entryOf({ userID: 'a' })])
  await post(brand, 'delete', { nv: [{ userID: 'a' }, { userID: 'nobody' }] })
  await logEntries(port, brand, [entryOf({ userID: 'a' })])
  await catchUp(deps.database, brand.brandId)
  const profile = await userData(brand, 'a')
  assert.deepEqual(profile['user_attributes'], {})
  assert.equal(profile['event_count'], 1)
})

test('404 when nobody of those to be erased is known; partial when some are', async () => {
  const brand = await server.brand()
  assert.equal((await post(brand, 'delete', { nv: [{ userID: 'x' }] })).status, 404)
  await post(brand, 'create', { nv: [{ userID: 'a' }] })
  const { status, body } = await post(brand, 'delete', { nv: [{ userID: 'x' }, { userID: 'a' }, {}] })
  assert.equal(status, 200)
  assert.equal(body['message'], 'partial')
  assert.equal(body['processed'], 1)
  const { unprocessed } = body
  assert.ok(Array.isArray(unprocessed))
  assert.deepEqual(
    unprocessed.map(({ index, code }) => [index, code]),
    [
      [0, 'profile_not_found'],
      [2, 'field_missing'],
    ],
  )
})

function bought(userID: string, event_time: string): object {
  return entryOf({ userID, event_name: 'buy', event_time })
}

test('profiles that did an event in a stretch of time, page by page, and how many', async () => {
  const brand = await server.brand()
  await logEntries(port, brand, [
    bought('a', '2026-03-01 00:00:00'),
    bought('a', '2026-03-02 12:00:00'),
    bought('b', '2026-03-02 23:59:59'),
    bought('c', '2026-03-03 00:00:00'),
    entryOf({ userID: 'd', event_name: 'other', event_time: '2026-03-01 00:00:00' }),
  ])
  const query = { event_name: 'buy', from: '2026-03-01', to: '2026-03-02' }
  assert.equal((await post(brand, 'count', query)).body['count'], 2)
  const users: unknown[] = []
  let cursor: unknown
  do {
    const { body } = await post(brand, 'profile', { ...query, batch_size: 1, ...(cursor ? { cursor } : {}) })
    const { profiles } = body
    assert.ok(Array.isArray(profiles))
    users.push(...profiles.map(({ userID }) => userID))
    cursor = body['next_cursor']
  } while (cursor !== null)
  assert.deepEqual(users, ['a', 'b'])
  assert.equal((await post(brand, 'count', { ...query, from: 'yesterday' })).status, 400)
  assert.equal((await post(brand, 'profile', { ...query, batch_size: 1001 })).status, 400)
})

test('with merging off an email identifies nobody', async () => {
  const brand = await server.brand()
  await post(brand, 'create', {
    nv: [
      { userID: 'a', email: 'same@x.example' },
      { userID: 'b', email: 'same@x.example' },
    ],
  })
  const { status } = await logEntries(port, brand, [entryOf({ userID: undefined, email: 'same@x.example' })])
  assert.equal(status, 403)
  assert.equal((await userData(brand, 'b'))['userID'], 'b')
})

test('with merging on, a userID and an email of two people make them one, and it can be undone', async () => {
  const brand = await mergingBrand()
  await post(brand, 'create', {
    nv: [{ userID: 'old', tags: ['a'], user_attributes: { city: 'Ulm', x: 1 } }],
  })
  await post(brand, 'create', {
    nv: [{ userID: 'new', email: 'n@x.example', tags: ['b'], user_attributes: { city: 'Bonn', y: 2 } }],
  })
  await logEntries(port, brand, [
    entryOf({ userID: 'old', ltv: '1' }),
    entryOf({ userID: 'new', ltv: '2' }),
    entryOf({ userID: undefined, email: 'n@x.example', ltv: '4' }),
  ])
  const { status } = await logEntries(port, brand, [
    entryOf({ userID: 'old', email: 'n@x.example', ltv: '8' }),
  ])
  assert.equal(status, 200)
  for (const _ of ['before the pipeline', 'after']) {
    const one = await userData(brand, 'new')
    assert.deepEqual(one['user_ids'], ['new', 'old'])
    assert.deepEqual(one['user_attributes'], { city: 'Bonn', x: 1, y: 2 })
    assert.deepEqual(one['tags'], ['a', 'b'])
    assert.equal(one['ltv'], '15')
    assert.equal(one['event_count'], 4)
    await catchUp(deps.database, brand.brandId)
    assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  }
  await post(brand, 'create', { nv: [{ userID: 'old', user_attributes: { z: 3 } }] })
  const undone = await post(brand, 'unmerge', { userID: 'new' })
  assert.equal(undone.status, 200)
  await catchUp(deps.database, brand.brandId)
  const [old, fresh] = [await userData(brand, 'old'), await userData(brand, 'new')]
  assert.deepEqual(old['user_attributes'], { city: 'Ulm', x: 1, z: 3 })
  assert.deepEqual(fresh['user_attributes'], { city: 'Bonn', y: 2 })
  assert.deepEqual([old['tags'], fresh['tags']], [['a'], ['b']])
  assert.deepEqual([old['ltv'], fresh['ltv']], ['9', '6'])
  assert.deepEqual([old['event_count'], fresh['event_count']], [2, 2])
  assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  assert.equal((await post(brand, 'unmerge', { userID: 'new' })).status, 404)
  const nothing = await post(brand, 'unmerge', {})
  assert.deepEqual([nothing.status, nothing.body['code']], [400, 'field_missing'])
})

test('people who turn out to be one from many sides at once become one', async () => {
  const brand = await mergingBrand()
  const names = Array.from({ length: 12 }, (_, at) => `m${at}@x.example`)
  await Promise.all(
    names.map(async (email, at) =>
      logEntries(port, brand, [
        entryOf({ userID: `u${at}`, email }),
        entryOf({ userID: `u${at}`, email: names[(at + 1) % names.length] }),
      ]),
    ),
  )
  await catchUp(deps.database, brand.brandId)
  const { rows } = await deps.database.query<{ profiles: bigint }>(
    'select count(*) as profiles from profiles where brand_id = $1',
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ profiles: 1n }])
  assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  assert.equal((await userData(brand, 'u3'))['event_count'], 24)
})

test('what a type lock set aside is not among the recent events', async () => {
  const brand = await server.brand()
  const entries = [1, 'one'].map((total) => entryOf({ userID: 'a', attributes: { total } }))
  await logEntries(port, brand, entries)
  const { recent_events, records } = await userData(brand, 'a')
  assert.doesNotMatch(encodeJson(recent_events), /one|set_aside/)
  assert.match(encodeJson(records), /"set_aside":\{"total":"one"\}/)
})
