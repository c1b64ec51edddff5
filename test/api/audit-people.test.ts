import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { moveCampaign } from '../../src/pipeline/campaigns/states.ts'
import { findMovedCampaigns } from '../../src/store/campaigns/work.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { port, deps } = server
const { database } = deps
const users = new UserCalls(server)
const campaigns = new CampaignCalls(server)

async function linesOf(brand: TestBrand, query: string): Promise<readonly JsonObject[]> {
  const path = `/api/v1/audit?limit=100&${query}`
  const { body, status, text } = await call(port, { path, headers: keyHeaders(brand) })
  assert.equal(status, 200, text)
  const { audit } = body
  return Array.isArray(audit) ? audit.filter(isJsonObject) : []
}

const shortOf = (line: JsonObject): string => `${String(line['actor'])} ${String(line['action'])}`

/** Two people with one identifier each, under canary names. */
async function twoPeople(): Promise<{ readonly brand: TestBrand; readonly key: string }> {
  const brand = await users.mergingBrand()
  for (const person of [{ userID: 'canary-old' }, { userID: 'canary-new', email: 'canary@x.example' }]) {
    const made = await users.post(brand, 'create', { nv: [person] })
    assert.equal(made.status, 200, made.text)
  }
  const { rows } = await database.query<{ id: number }>(
    `select id from api_keys where brand_id = $1 and kind = 'secret'`,
    [brand.brandId],
  )
  return { brand, key: `key:${rows[0]?.id}` }
}

async function idOf({ brandId }: TestBrand, userId: string): Promise<string> {
  const { rows } = await database.query<{ id: bigint }>(
    `select profile_id as id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $2`,
    [brandId, userId],
  )
  return String(rows[0]?.id)
}

test('a merge that a call brings and one that is undone have a line, by internal ids alone', async () => {
  const { brand, key } = await twoPeople()
  const [old, fresh] = [await idOf(brand, 'canary-old'), await idOf(brand, 'canary-new')]
  const person = { userID: 'canary-old', email: 'canary@x.example' }
  assert.equal((await users.post(brand, 'create', { nv: [person] })).status, 200)
  const [merged, ...others] = await linesOf(brand, 'subject_type=merge')
  assert.deepEqual(others, [])
  assert.equal(shortOf(merged ?? {}), `${key} merged`)
  const { survivor_id: survivor, absorbed_id: absorbed } = Object(merged?.['after'])
  assert.deepEqual([String(survivor), String(absorbed)].toSorted(), [old, fresh].toSorted())

  const { status } = await users.post(brand, 'unmerge', { userID: 'canary-old' })
  assert.equal(status, 200)
  const [undone, ...before] = await linesOf(brand, 'subject_type=merge')
  assert.equal(before.length, 1)
  assert.equal(shortOf(undone ?? {}), `${key} unmerged`)
  assert.equal(undone?.['subject_id'], merged?.['subject_id'])
  assert.equal(Object(undone?.['before']).undone_at, null)
  assert.notEqual(Object(undone?.['after']).undone_at, null)
  assert.ok(!JSON.stringify([merged, undone]).includes('canary'))
})

test('a merge that comes with an event is a line of the system, since several callers share its commit', async () => {
  const { brand } = await twoPeople()
  const entry = entryOf({ userID: 'canary-old', email: 'canary@x.example' })
  assert.equal((await logEntries(port, brand, [entry])).status, 200)
  const lines = await linesOf(brand, 'subject_type=merge')
  assert.deepEqual(lines.map(shortOf), ['system merged'])
})

/** Every way in which a document can name a person. */
const FILTER = {
  any: [
    { users: ['canary-1'] },
    { not: { attribute: 'email', is: 'in', value: ['canary-2@example.com'] } },
    { all: [{ attribute: 'mobile', is: 'eq', value: 'canary-3' }] },
    { attribute: 'userID', is: 'eq', value: 'canary-4' },
    { event: 'bought', where: [{ attribute: 'user_id', is: 'eq', value: 'canary-5' }] },
    { tag: 'shown' },
  ],
}

test('people whom a campaign names are hidden, before and after a change', async () => {
  const brand = await server.brand()
  const audience = { users: ['canary-6'], filter: FILTER, except: { filter: FILTER } }
  const made = await campaigns.create(brand, { audience: { filter: FILTER, except: { filter: FILTER } } })
  assert.equal(made.status, 200, made.text)
  const id = String(Object(made.body['campaign']).campaign_id)
  const changed = await campaigns.change(brand, id, { version: 1, audience: { users: audience.users } })
  assert.equal(changed.status, 200, changed.text)
  const lines = await linesOf(brand, 'subject_type=campaign')
  assert.deepEqual(
    lines.map(({ action }) => action),
    ['changed', 'created'],
  )
  const text = JSON.stringify(lines)
  assert.ok(!text.includes('canary'), text)
  assert.ok(text.includes('shown') && text.includes('"users":"[hidden]"'), text)
})

test('people whom a journey names are hidden, in its filters and in the conditions of its events', async () => {
  const brand = await server.brand()
  const where = [{ attribute: 'email', is: 'eq', value: 'canary-7@example.com' }]
  const document = {
    name: 'Shown journey',
    trigger: { event: 'signup', where },
    goal: { event: 'bought', where },
    steps: [{ id: 'who', branch: { filter: FILTER } }],
  }
  const made = await call(port, { path: '/api/v1/journeys', headers: keyHeaders(brand), body: document })
  assert.equal(made.status, 200, made.text)
  const lines = await linesOf(brand, 'subject_type=journey_version')
  assert.equal(lines.length, 1)
  const text = JSON.stringify(lines)
  assert.ok(!text.includes('canary'), text)
  assert.ok(text.includes('shown') && text.includes('[hidden]'), text)
})

test('the states through which a campaign goes by itself leave no line', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const id = await campaigns.launched(brand, { platforms: ['android'], undo_seconds: 1 })
  const before = await linesOf(brand, `subject_type=campaign&subject_id=${id}`)
  const sendAt = Date.parse(String((await campaigns.read(brand, id))['send_at']))
  await drain(database, { now: sendAt })
  await database.query('update campaigns set send_at = now() where brand_id = $1', [brandId])
  for (const ref of await findMovedCampaigns(database, { limit: 100, except: [] }))
    await moveCampaign(database, ref)
  assert.equal((await campaigns.read(brand, id))['state'], 'sent')
  assert.ok(before.length > 0)
  assert.deepEqual(await linesOf(brand, `subject_type=campaign&subject_id=${id}`), before)
})
