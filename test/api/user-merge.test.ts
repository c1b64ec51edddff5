import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { catchUp, findMiscounts } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const users = new UserCalls(server)

test('with merging off an email identifies nobody', async () => {
  const brand = await server.brand()
  await users.post(brand, 'create', {
    nv: [
      { userID: 'a', email: 'same@x.example' },
      { userID: 'b', email: 'same@x.example' },
    ],
  })
  const { status } = await logEntries(port, brand, [entryOf({ userID: undefined, email: 'same@x.example' })])
  assert.equal(status, 403)
  assert.equal((await users.read(brand, 'b'))['userID'], 'b')
})

test('with merging on, a userID and an email of two people make them one, and it can be undone', async () => {
  const brand = await users.mergingBrand()
  await users.post(brand, 'create', {
    nv: [{ userID: 'old', tags: ['a'], user_attributes: { city: 'Ulm', x: 1 } }],
  })
  await users.post(brand, 'create', {
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
    const one = await users.read(brand, 'new')
    assert.deepEqual(one['user_ids'], ['new', 'old'])
    assert.deepEqual(one['user_attributes'], { city: 'Bonn', x: 1, y: 2 })
    assert.deepEqual(one['tags'], ['a', 'b'])
    assert.equal(one['ltv'], '15')
    assert.equal(one['event_count'], 4)
    await catchUp(deps.database, brand.brandId)
    assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  }
  await users.post(brand, 'create', { nv: [{ userID: 'old', user_attributes: { z: 3 } }] })
  const undone = await users.post(brand, 'unmerge', { userID: 'new' })
  assert.equal(undone.status, 200)
  await catchUp(deps.database, brand.brandId)
  const [old, fresh] = [await users.read(brand, 'old'), await users.read(brand, 'new')]
  assert.deepEqual(old['user_attributes'], { city: 'Ulm', x: 1, z: 3 })
  assert.deepEqual(fresh['user_attributes'], { city: 'Bonn', y: 2 })
  assert.deepEqual([old['tags'], fresh['tags']], [['a'], ['b']])
  assert.deepEqual([old['ltv'], fresh['ltv']], ['9', '6'])
  assert.deepEqual([old['event_count'], fresh['event_count']], [2, 2])
  assert.deepEqual(await findMiscounts(deps.database, brand.brandId), [])
  assert.equal((await users.post(brand, 'unmerge', { userID: 'new' })).status, 404)
  const nothing = await users.post(brand, 'unmerge', {})
  assert.deepEqual([nothing.status, nothing.body['code']], [400, 'identifier_missing'])
})

test('people who turn out to be one from many sides at once become one', async () => {
  const brand = await users.mergingBrand()
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
  assert.equal((await users.read(brand, 'u3'))['event_count'], 24)
})

test('somebody who was merged into somebody who was merged is whole before the pipeline gets there', async () => {
  const brand = await users.mergingBrand()
  for (const userID of ['a', 'b', 'c']) {
    await users.post(brand, 'create', { nv: [{ userID, email: `${userID}@x.example` }] })
    await logEntries(port, brand, [entryOf({ userID })])
  }
  // The older survives, so c goes to b before b goes to a.
  await logEntries(port, brand, [entryOf({ userID: 'b', email: 'c@x.example' })])
  await logEntries(port, brand, [entryOf({ userID: 'a', email: 'b@x.example' })])
  for (const _ of ['before the pipeline', 'after']) {
    const one = await users.read(brand, 'c')
    assert.deepEqual(one['user_ids'], ['a', 'b', 'c'])
    assert.deepEqual([one['event_count'], one['ltv']], [5, '50'])
    assert.ok(Array.isArray(one['recent_events']) && one['recent_events'].length === 5)
    const listed = await call(port, { path: '/api/v1/events?userID=c', headers: keyHeaders(brand) })
    assert.equal(listed.body['processed'], 5)
    await catchUp(deps.database, brand.brandId)
  }
})

test('404 for the largest merge_id there can be, 400 for one beyond it', async () => {
  const brand = await server.brand()
  const largest = await users.post(brand, 'unmerge', { merge_id: Number.MAX_SAFE_INTEGER })
  assert.equal(largest.status, 404)
  for (const given of ['1e19', '10000000000000000000', '9007199254740992', '0', '-1', '1.5']) {
    const beyond = await call(port, {
      path: '/api/v1/user/unmerge',
      headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
      body: `{"merge_id":${given}}`,
    })
    assert.equal(beyond.status, 400, given)
  }
})

test('events from after a merge stay with the survivor when it is undone, whichever name they were logged under', async () => {
  const brand = await users.mergingBrand()
  const email = 'n@x.example'
  await users.post(brand, 'create', { nv: [{ userID: 'old' }] })
  await users.post(brand, 'create', { nv: [{ userID: 'new' }] })
  await logEntries(port, brand, [entryOf({ userID: 'new', ltv: '1' })])
  for (const userID of ['old', 'new']) await users.post(brand, 'create', { nv: [{ userID, email }] })
  await catchUp(deps.database, brand.brandId)
  await logEntries(port, brand, [entryOf({ userID: 'new', ltv: '5' })])
  await catchUp(deps.database, brand.brandId)
  assert.equal((await users.post(brand, 'unmerge', { userID: 'old' })).status, 200)
  await catchUp(deps.database, brand.brandId)
  assert.deepEqual(
    [(await users.read(brand, 'old'))['ltv'], (await users.read(brand, 'new'))['ltv']],
    ['5', '1'],
  )
})
