import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

/** Ada has three devices, Bea two and Cid one; two devices have no person, and one of Cid's is gone. */
async function seed(): Promise<TestBrand> {
  const brand = await server.brand()
  const { brandId } = brand
  await seedSubscriptions(database, { brandId, userId: 'ada', tags: ['tea'] })
  await seedSubscriptions(database, { brandId, userId: 'bea', platform: 'web' })
  await seedSubscriptions(database, { brandId, userId: 'ada', platform: 'web', tags: ['tea'] })
  await seedSubscriptions(database, { brandId, userId: 'cid', state: 'gone' })
  await seedSubscriptions(database, { brandId, count: 2, tags: ['tea'] })
  await seedSubscriptions(database, { brandId, userId: 'bea', tags: ['tea'] })
  await seedSubscriptions(database, { brandId, userId: 'ada', platform: 'ios' })
  await seedSubscriptions(database, { brandId, userId: 'cid', platform: 'ios' })
  await database.query(
    `update subscriptions set environment = 'production' where brand_id = $1 and platform = 'ios'`,
    [brandId],
  )
  return brand
}

function people(rows: readonly JsonObject[]): readonly string[] {
  return rows.map(({ user_id: user, subscription_id: device }) => String(user ?? device))
}

/** Every number of the dry run of a campaign has as many rows, and each row once. */
async function assertListed(brand: TestBrand, fields: JsonObject): Promise<JsonObject> {
  const id = await campaigns.made(brand, fields)
  const { body, text } = await campaigns.act(brand, id, 'dry_run')
  const rows = async (query: string) => campaigns.rows(brand, `/${id}/audience`, query)
  const words = JSON.stringify(fields)
  const devices = await rows('')
  assert.equal(devices.length, body['devices'], text)
  assert.equal(new Set(devices.map(({ subscription_id: device }) => device)).size, devices.length, words)
  const persons = people(await rows('&per=person'))
  assert.equal(persons.length, body['people'], words)
  assert.deepEqual(new Set(persons), new Set(people(devices)), words)
  for (const platform of PLATFORM_NAMES) {
    const counted = Object(Object(body['platforms'])[platform] ?? { people: 0, devices: 0 })
    const listed = await rows(`&platform=${platform}`)
    const byPerson = await rows(`&platform=${platform}&per=person`)
    assert.deepEqual(
      [byPerson.length, listed.length],
      [counted.people, counted.devices],
      `${words} ${platform}`,
    )
  }
  return body
}

test('200 with as many devices and people as the dry run counts, on each platform, page by page', async () => {
  const brand = await seed()
  const sent = await campaigns.launched(brand, { audience: { users: ['bea'] }, platforms: ['web'] })
  await drain(database)
  for (const fields of [
    {},
    { platforms: ['android', 'ios'] },
    { audience: { tag: 'tea' } },
    { audience: { users: ['ada', 'cid', 'nobody'] } },
    { audience: { filter: { not: { users: ['ada'] } } } },
    { audience: { everyone: true, except: { campaign_id: Number(sent) } } },
    { reach: 'latest_device' },
    { audience: { tag: 'nobody has it' } },
  ]) {
    await assertListed(brand, fields)
  }
  const whole = await assertListed(brand, {})
  assert.deepEqual([whole['people'], whole['devices']], [5, 8])
})

test('200 with the people whom opt-outs and the cap leave out, as the dry run counts them', async () => {
  const brand = await seed()
  const { brandId } = brand
  await database.query('update brands set has_opt_outs = true, frequency_cap = 1 where id = $1', [brandId])
  const profileOf = `(select profile_id from profile_identities where brand_id = $1 and value = $2)`
  await database.query(
    `update profiles set opt_outs = '{"*": "2026-05-01T10:00:00.000Z"}' where brand_id = $1 and id = ${profileOf}`,
    [brandId, 'ada'],
  )
  for (const userId of ['ada', 'bea']) {
    await database.query(
      `insert into frequency_days (brand_id, profile_id, day, notification_ids)
       select $1, ${profileOf}, day::date, array[gen_random_uuid()]
       from generate_series(now() - interval '1 day', now() + interval '1 day', interval '1 day') as day`,
      [brandId, userId],
    )
  }
  const body = await assertListed(brand, {})
  assert.deepEqual(body['left_out'], { opted_out: 1, over_cap: 1, cap: 1 })
  const id = await campaigns.made(brand, {})
  const listed = async (kind: string) =>
    people(await campaigns.rows(brand, `/${id}/audience`, `&left_out=${kind}`))
  assert.deepEqual(await listed('opted_out'), ['ada'])
  assert.deepEqual(await listed('over_cap'), ['bea'])
  const free = await campaigns.made(brand, { topic: 'transactional' })
  assert.deepEqual(await campaigns.rows(brand, `/${free}/audience`, '&left_out=opted_out'), [])
})

test('400 for a platform, a kind or a cursor that is none, and 404 for a campaign that is not there', async () => {
  const brand = await seed()
  const id = await campaigns.made(brand, {})
  for (const query of ['platform=fax', 'per=house', 'left_out=asleep', 'cursor=AAAA']) {
    assert.equal((await campaigns.get(brand, `/${id}/audience?${query}`)).status, 400, query)
  }
  const other = await server.brand()
  assert.equal((await campaigns.get(other, `/${id}/audience`)).status, 404)
})
