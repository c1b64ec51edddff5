import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PROFILE_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { KNOWN_PROFILE_ATTRIBUTES, PROFILE_LIMITS } from '../../src/rules/people.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

async function create(brand: TestBrand, nv: unknown): Promise<Answer> {
  return call(port, { path: '/api/v1/user/create', headers: keyHeaders(brand), body: { nv } })
}

async function createWithEvent(brand: TestBrand, nv: unknown): Promise<Answer> {
  return call(port, { path: '/api/v1/user_event/create', headers: keyHeaders(brand), body: { nv } })
}

type Profile = {
  readonly userId: string
  readonly email: string | null
  readonly mobile: string | null
  readonly attributes: object
  readonly mistyped: object | null
  readonly tags: readonly string[]
}

async function loadProfiles({ brandId }: TestBrand): Promise<readonly Profile[]> {
  const { rows } = await deps.database.query<Profile>(
    `select value as "userId", email, mobile, attributes, mistyped, tags
     from profiles join profile_identities i on i.brand_id = profiles.brand_id and i.profile_id = profiles.id
     where profiles.brand_id = $1 and kind = 'user_id' order by value`,
    [brandId],
  )
  return rows
}

test('200 makes profiles, and changes those that are there key by key', async () => {
  const brand = await server.brand()
  const first = await create(brand, [
    { userID: 'a', email: 'A@x.example', mobile: '+4915112345678', user_attributes: { city: 'Ulm', age: 5 } },
    { userID: 'b' },
  ])
  assert.equal(first.status, 200)
  assert.deepEqual(first.body, { message: 'success', processed: 2, status_code: '200' })
  await create(brand, [{ userID: 'a', user_attributes: { city: null, name: 'Ann', age: 6 } }])
  assert.deepEqual(await loadProfiles(brand), [
    {
      userId: 'a',
      email: 'a@x.example',
      mobile: '+4915112345678',
      attributes: { age: 6, name: 'Ann' },
      mistyped: null,
      tags: [],
    },
    { userId: 'b', email: null, mobile: null, attributes: {}, mistyped: null, tags: [] },
  ])
})

test('email and mobile may stand among the attributes, and null takes them away', async () => {
  const brand = await server.brand()
  await create(brand, [{ userID: 'a', user_attributes: { email: 'a@x.example', mobile: '+4915112345678' } }])
  const [before] = await loadProfiles(brand)
  assert.equal(before?.email, 'a@x.example')
  assert.deepEqual(before?.attributes, {})
  await create(brand, [{ userID: 'a', email: null }])
  const [later] = await loadProfiles(brand)
  assert.equal(later?.email, null)
  assert.equal(later?.mobile, '+4915112345678')
})

test('entries for one person take effect in their order', async () => {
  const brand = await server.brand()
  const steps = [1, 2, 3].map((step) => ({ userID: 'a', user_attributes: { step, [`s${step}`]: true } }))
  await create(brand, steps)
  const [profile] = await loadProfiles(brand)
  assert.deepEqual(profile?.attributes, { step: 3, s1: true, s2: true, s3: true })
})

test('tags are set, added and removed', async () => {
  const brand = await server.brand()
  await create(brand, [{ userID: 'a', tags: ['vip', 'new'] }])
  await create(brand, [{ userID: 'a', tags: { add: ['old'], remove: ['new'] } }])
  const [profile] = await loadProfiles(brand)
  assert.deepEqual(profile?.tags, ['vip', 'old'])
})

test('a value of another type is stored as mistyped and reported', async () => {
  const brand = await server.brand()
  await create(brand, [{ userID: 'a', user_attributes: { age: 5 } }])
  const { body } = await create(brand, [{ userID: 'a', user_attributes: { age: 'six' } }])
  const { warnings } = body
  assert.ok(Array.isArray(warnings))
  const [{ index, field, code, locked_type }] = warnings
  assert.deepEqual(
    { index, field, code, locked_type },
    { index: 0, field: 'user_attributes.age', code: 'type_locked', locked_type: 'Number' },
  )
  const [profile] = await loadProfiles(brand)
  assert.deepEqual(profile?.attributes, { age: 5 })
  assert.deepEqual(profile?.mistyped, { age: 'six' })
})

test('100 profiles in a call, and not 101', async () => {
  const brand = await server.brand()
  const nv = Array.from({ length: PROFILE_LIMITS.entriesMax + 1 }, (_, at) => ({ userID: `u${at}` }))
  assert.equal((await create(brand, nv)).status, 400)
  assert.equal((await create(brand, nv.slice(1))).body['processed'], PROFILE_LIMITS.entriesMax)
})

const { stringCharsMax, nameCharsMax } = PROFILE_ATTRIBUTES
const BAD = [
  { user_attributes: { a: 'x'.repeat(stringCharsMax + 1) } },
  { user_attributes: { ['n'.repeat(nameCharsMax + 1)]: 1 } },
  { user_attributes: { gender: 'm' } },
  { user_attributes: { birth_date: '1990-02-30' } },
  { user_attributes: { birth_date: '1990-02-01 00:00:00' } },
  { user_attributes: { email_opt_in: 1 } },
  { user_attributes: { sms_opt_in: 'yes' } },
  { user_attributes: { list: [1] } },
  { user_attributes: 'x' },
  { email: 'nobody' },
  { mobile: '12345' },
  { tags: 'vip' },
  { userID: 'x'.repeat(PROFILE_LIMITS.userIdCharsMax + 1) },
  { userID: undefined },
]

test('each bad entry is refused by itself', async () => {
  const brand = await server.brand()
  const { status, body } = await create(brand, [
    { userID: 'good' },
    ...BAD.map((bad) => ({ userID: 'a', ...bad })),
  ])
  assert.equal(status, 200)
  assert.equal(body['message'], 'partial')
  assert.equal(body['processed'], 1)
  const { unprocessed } = body
  assert.ok(Array.isArray(unprocessed))
  assert.equal(unprocessed.length, BAD.length)
  assert.deepEqual(
    (await loadProfiles(brand)).map(({ userId }) => userId),
    ['good'],
  )
})

test('every value the known attributes may have is taken', async () => {
  const brand = await server.brand()
  for (const [name, rule] of Object.entries(KNOWN_PROFILE_ATTRIBUTES)) {
    for (const value of rule.form === 'choice' ? rule.oneOf : ['2000-02-29']) {
      const { body } = await create(brand, [{ userID: 'a', user_attributes: { [name]: value } }])
      assert.equal(body['message'], 'success', `${name} ${value}`)
    }
  }
  const long = 'x'.repeat(stringCharsMax)
  const { body } = await create(brand, [
    { userID: 'a', user_attributes: { ['n'.repeat(nameCharsMax)]: long } },
  ])
  assert.equal(body['message'], 'success')
})

test('403 Parameter missing for an empty call', async () => {
  const brand = await server.brand()
  for (const nv of [[], undefined, {}, [{}]]) {
    const { status, body } = await create(brand, nv)
    assert.equal(status, 403)
    assert.equal(body['message'], 'Parameter missing')
  }
})

test('after user/create the next event finds the person and is not before them', async () => {
  const brand = await server.brand()
  await create(brand, [{ userID: 'a' }])
  await logEntries(port, brand, [entryOf({ userID: 'a' })])
  const [event] = await loadEvents(deps.database, brand)
  assert.equal(event?.isBeforeCreation, false)
})

test('user_event/create makes the profile, then the event, never before it', async () => {
  const brand = await server.brand()
  const { status, body } = await createWithEvent(brand, {
    userID: 'a',
    user_params: { city: 'Ulm', email: 'a@x.example' },
    event_name: 'signup',
    attributes: { plan: 'free' },
    event_time: '2020-01-01 00:00:00',
  })
  assert.equal(status, 200)
  assert.deepEqual(body, { message: 'success', processed: 1, status_code: '200' })
  const [profile] = await loadProfiles(brand)
  assert.deepEqual(profile?.attributes, { city: 'Ulm' })
  assert.equal(profile?.email, 'a@x.example')
  const [event] = await loadEvents(deps.database, brand)
  assert.equal(event?.isBeforeCreation, false)
  assert.equal(event?.at, event?.profileCreatedAt)
  assert.deepEqual(event?.attributes, { plan: 'free' })
})

test('user_event/create takes a list, and refuses what lacks an event', async () => {
  const brand = await server.brand()
  const good = { userID: 'a', event_name: 'e', attributes: {} }
  const { body } = await createWithEvent(brand, [
    good,
    { userID: 'b', user_params: {} },
    { ...good, userID: 'c' },
  ])
  assert.equal(body['processed'], 2)
  assert.deepEqual(
    (await loadProfiles(brand)).map(({ userId }) => userId),
    ['a', 'c'],
  )
  const tooMany = Array.from({ length: PROFILE_LIMITS.entriesMax + 1 }, () => good)
  assert.equal((await createWithEvent(brand, tooMany)).status, 400)
})
