import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodeJson, isJsonObject } from '../../src/domain/values/json.ts'
import { PROFILE_LIMITS } from '../../src/rules/people.ts'
import { withOwner } from '../../src/store/db.ts'
import { PERSONAL_TABLES } from '../../src/store/people/personal-tables.ts'
import { catchUp, findMiscounts } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

test('200 shows everything about a person, to the last event', async () => {
  const brand = await server.brand()
  await users.post(brand, 'create', {
    nv: [{ userID: 'a', email: 'a@x.example', tags: ['vip'], user_attributes: { n: 1 } }],
  })
  await logEntries(port, brand, [entryOf({ userID: 'a', ltv: '2.5' }), entryOf({ userID: 'a' })])
  for (const round of ['before the pipeline counted', 'after']) {
    const profile = await users.read(brand, 'a')
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
  const posted = await users.post(brand, 'userData', { userID: 'a' })
  assert.equal(posted.status, 200)
})

test('devices and events are shown as everywhere else, and what an event is worth to the last digit', async () => {
  const brand = await server.brand()
  const ltv = '123456789012345678.123456789'
  await logEntries(port, brand, [entryOf({ userID: 'a', ltv })])
  await call(port, {
    path: '/api/v1/subscriptions',
    headers: keyHeaders(brand),
    body: { platform: 'android', token: 'token-of-a', user_id: 'a' },
  })
  await catchUp(deps.database, brand.brandId)
  const profile = await users.read(brand, 'a')
  const headers = keyHeaders(brand)
  const devices = await call(port, { path: '/api/v1/subscriptions?user_id=a', headers })
  const events = await call(port, { path: '/api/v1/events?userID=a', headers })
  assert.deepEqual(profile['subscriptions'], devices.body['subscriptions'])
  assert.deepEqual(profile['recent_events'], events.body['events'])
  assert.equal(profile['ltv'], ltv)
  assert.match(encodeJson(events.body), new RegExp(`"ltv":"${ltv}"`))
  const { records } = profile
  assert.ok(isJsonObject(records))
  assert.match(encodeJson(records['profile_activity']), new RegExp(`"ltv":"${ltv}"`))
  assert.doesNotMatch(encodeJson(profile), /token-of-a|brand_id|source_profile_id/)
})

test('200 shows every row of a person with more than a page of them, each once', async () => {
  const { recordsMax } = PROFILE_LIMITS
  for (const more of [0, 1, recordsMax + 3]) {
    const brand = await server.brand()
    const count = recordsMax + more
    const good = Array.from({ length: count }, (_, at) => entryOf({ userID: 'a', event_id: `e${at}` }))
    const bad = Array.from({ length: count }, () => entryOf({ userID: 'a', event_name: 'bad.name' }))
    for (let at = 0; at < count; at += 500) {
      await logEntries(port, brand, [...good.slice(at, at + 500), ...bad.slice(at, at + 500)])
    }
    const profile = await users.read(brand, 'a')
    const { records, event_count, recent_events } = profile
    assert.ok(isJsonObject(records) && Array.isArray(recent_events))
    const { events, rejected_entries: rejected, profiles } = records
    assert.ok(Array.isArray(events) && Array.isArray(rejected) && Array.isArray(profiles))
    assert.equal(event_count, count)
    assert.equal(events.length, count)
    assert.equal(new Set(events.map(({ event_id }) => event_id)).size, count)
    assert.equal(new Set(rejected.map(({ id }) => id)).size, count)
    assert.deepEqual(
      events.slice(0, recent_events.length).map(({ event_id }) => event_id),
      recent_events.map(({ event_id }) => event_id),
    )
    assert.equal(profiles.length, 1)
  }
})

test('404 for somebody unknown, and for somebody of another brand', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  await users.post(other, 'create', { nv: [{ userID: 'a' }] })
  const { status, body } = await users.post(mine, 'userData', { userID: 'a' })
  assert.equal(status, 404)
  assert.equal(body['code'], 'profile_not_found')
})

test('every table that mentions a person is in the export', async () => {
  const database = deps.database
  // The email of a member, who signs in to Beckon, is that of no person of a brand.
  const { rows } = await database.query<{ name: string }>(
    `select distinct relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and attnum > 0 and not attisdropped and relname <> 'members'
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
  await users.post(brand, 'create', {
    nv: [{ userID: secret, email: mail, user_attributes: { note: secret } }],
  })
  await logEntries(port, brand, [
    entryOf({ userID: secret, event_id: `${secret}-1`, attributes: { note: secret } }),
    entryOf({ userID: secret, event_name: 'bad.name' }),
    entryOf({ userID: '', email: ' ZZ-Private@X.example ' }),
    entryOf({ userID: 'stays' }),
  ])
  await call(port, {
    path: '/api/v1/subscriptions',
    headers: keyHeaders(brand),
    body: { platform: 'android', token: `token-of-${secret}`, user_id: secret },
  })
  await catchUp(deps.database, brand.brandId)
  assert.ok((await findTraces(secret)).length > 5)
  const { status, body } = await users.post(brand, 'delete', { nv: [{ userID: secret }] })
  assert.equal(status, 200)
  assert.deepEqual(body, { message: 'success', processed: 1, status_code: '200' })
  assert.equal((await users.post(brand, 'userData', { userID: secret })).status, 404)
  await catchUp(deps.database, brand.brandId)
  for (const trace of ['zz-', 'ZZ-']) assert.deepEqual(await findTraces(trace), [])
  assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  assert.equal((await users.read(brand, 'stays'))['event_count'], 1)
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
  await users.post(brand, 'create', { nv: [{ userID: 'a', user_attributes: { old: true } }] })
  await logEntries(port, brand, [entryOf({ userID: 'a' })])
  await users.post(brand, 'delete', { nv: [{ userID: 'a' }, { userID: 'nobody' }] })
  await logEntries(port, brand, [entryOf({ userID: 'a' })])
  await catchUp(deps.database, brand.brandId)
  const profile = await users.read(brand, 'a')
  assert.deepEqual(profile['user_attributes'], {})
  assert.equal(profile['event_count'], 1)
})

test('404 when nobody of those to be erased is known; partial when some are', async () => {
  const brand = await server.brand()
  assert.equal((await users.post(brand, 'delete', { nv: [{ userID: 'x' }] })).status, 404)
  await users.post(brand, 'create', { nv: [{ userID: 'a' }] })
  const { status, body } = await users.post(brand, 'delete', { nv: [{ userID: 'x' }, { userID: 'a' }, {}] })
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

test('400 for 101 people to erase, and nobody is', async () => {
  const brand = await server.brand()
  await users.post(brand, 'create', { nv: [{ userID: 'u0' }] })
  const nv = Array.from({ length: PROFILE_LIMITS.entriesMax + 1 }, (_, at) => ({ userID: `u${at}` }))
  assert.equal((await users.post(brand, 'delete', { nv })).status, 400)
  assert.equal((await users.post(brand, 'delete', { nv: nv.slice(0, -1) })).body['processed'], 1)
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
  assert.equal((await users.post(brand, 'count', query)).body['count'], 2)
  const found: unknown[] = []
  let cursor: unknown
  do {
    const { body } = await users.post(brand, 'profile', {
      ...query,
      batch_size: 1,
      ...(cursor ? { cursor } : {}),
    })
    const { profiles } = body
    assert.ok(Array.isArray(profiles))
    found.push(...profiles.map(({ userID }) => userID))
    cursor = body['next_cursor']
  } while (cursor !== null)
  assert.deepEqual(found, ['a', 'b'])
  assert.equal((await users.post(brand, 'count', { ...query, from: 'yesterday' })).status, 400)
  assert.equal((await users.post(brand, 'profile', { ...query, batch_size: 1001 })).status, 400)
})

test('a mistyped value is not among the recent events', async () => {
  const brand = await server.brand()
  const entries = [1, 'one'].map((total) => entryOf({ userID: 'a', attributes: { total } }))
  await logEntries(port, brand, entries)
  const { recent_events, records } = await users.read(brand, 'a')
  assert.doesNotMatch(encodeJson(recent_events), /one|mistyped/)
  assert.match(encodeJson(records), /"mistyped":\{"total":"one"\}/)
})
