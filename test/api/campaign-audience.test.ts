import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { CAMPAIGN_LIMITS } from '../../src/rules/campaigns.ts'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

/** The numbers of a dry run, and the devices that the launched campaign reaches. */
async function reached(brand: TestBrand, fields: JsonObject) {
  const id = await campaigns.made(brand, fields)
  const { body } = await campaigns.act(brand, id, 'dry_run')
  await campaigns.act(brand, id, 'launch')
  const drained = await drain(database)
  const ids = drained.map(({ recipient }) => recipient.id).toSorted((a, b) => Number(a - b))
  assert.equal(body['devices'], ids.length)
  const read = await campaigns.read(brand, id)
  assert.deepEqual([read['people'], read['devices']], [body['people'], ids.length])
  return { id, ids, people: body['people'] }
}

async function segmentOf(brandId: number, filter: object): Promise<number> {
  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, 'x', $2, now(), now())
     returning id`,
    [brandId, JSON.stringify(filter)],
  )
  return Number(rows[0]?.id)
}

test('an audience is what all of its keys narrow together, without who is left out', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const [ann] = await seedSubscriptions(database, { brandId, userId: 'ann', tags: ['tea', 'new'] })
  const [bob] = await seedSubscriptions(database, { brandId, userId: 'bob', tags: ['tea'], platform: 'web' })
  const [cid] = await seedSubscriptions(database, { brandId, userId: 'cid', tags: ['tea'] })
  const [none] = await seedSubscriptions(database, { brandId })
  const tea = await segmentOf(brandId, { tag: 'tea' })
  const fresh = await segmentOf(brandId, { tag: 'new' })
  const cases = [
    [{ everyone: true }, [ann, bob, cid, none]],
    [{ segment_id: tea }, [ann, bob, cid]],
    [{ segment_id: tea, except: { segment_id: fresh } }, [bob, cid]],
    [{ filter: { users: ['cid', 'bob'] }, except: { filter: { tag: 'new' } } }, [bob, cid]],
    [{ tag: 'tea', except: { segment_id: fresh, filter: { users: ['cid'] } } }, [bob]],
    [{ users: ['ann', 'cid', 'nobody'] }, [ann, cid]],
    [{ users: ['ann', 'cid'], tag: 'new' }, [ann]],
    [{ everyone: true, except: { segment_id: tea } }, [none]],
  ] as const
  for (const [audience, ids] of cases) {
    assert.deepEqual((await reached(mine, { audience })).ids, ids, JSON.stringify(audience))
  }
})

test('a person who got another campaign on any device is left out on all of them', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', tags: ['first'] })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  const [bob] = await seedSubscriptions(database, { brandId, userId: 'bob', platform: 'web' })
  await seedSubscriptions(database, { brandId, tags: ['first'] })
  const [lonely] = await seedSubscriptions(database, { brandId })
  const { id } = await reached(mine, { audience: { tag: 'first' } })
  const next = await reached(mine, { audience: { everyone: true, except: { campaign_id: Number(id) } } })
  assert.deepEqual([next.ids, next.people], [[bob, lonely], 2])
})

test('latest_device reaches the device that a person used last, over all platforms', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const [old] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  const [latest] = await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'ios' })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web', state: 'unsubscribed' })
  const [first] = await seedSubscriptions(database, { brandId, userId: 'bob', platform: 'web' })
  const [second] = await seedSubscriptions(database, { brandId, userId: 'bob' })
  const [alone] = await seedSubscriptions(database, { brandId })
  await database.query(
    `update subscriptions set registered_at = now() - interval '1 day' where brand_id = $1 and id = any($2)`,
    [brandId, [old, second]],
  )
  const every = await reached(mine, {})
  assert.deepEqual([every.ids.length, every.people], [5, 3])
  const last = await reached(mine, { reach: 'latest_device' })
  assert.deepEqual([last.ids, last.people], [[latest, first, alone], 3])
  const onPhones = await reached(mine, { reach: 'latest_device', platforms: ['android', 'ios'] })
  assert.deepEqual(onPhones.ids, [latest, alone])
  const listed = await reached(mine, { reach: 'latest_device', audience: { users: ['bob'] } })
  assert.deepEqual(listed.ids, [first])
})

test('a list of 100 000 people reaches those who have a device, and a reply does not repeat it', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const ids: bigint[] = []
  for (const at of [0, 49_999, 99_999]) {
    ids.push(...(await seedSubscriptions(database, { brandId, userId: `person-${at}` })))
  }
  await seedSubscriptions(database, { brandId, userId: 'somebody else' })
  const users = Array.from({ length: CAMPAIGN_LIMITS.usersMax }, (_, at) => `person-${at}`)
  const made = await campaigns.create(mine, { audience: { users } })
  assert.equal(made.status, 200, made.text.slice(0, 300))
  assert.deepEqual(campaignIn(made)['audience'], { users: { listed: CAMPAIGN_LIMITS.usersMax } })
  assert.match(made.text, /99997 of the listed people are unknown/)
  const id = String(campaignIn(made)['campaign_id'])
  const launched = campaignIn(await campaigns.act(mine, id, 'launch'))
  assert.deepEqual([launched['people'], launched['devices']], [3, 3])
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    ids,
  )
  const one = await campaigns.create(mine, { audience: { users: [...users, 'one more'] } })
  assert.equal(one.status, 400)
})

test('a scheduled campaign whose list is changed reaches the new list', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  const [bob] = await seedSubscriptions(database, { brandId, userId: 'bob' })
  const fields = { platforms: ['android'], undo_seconds: 60, audience: { users: ['ann'] } }
  const id = await campaigns.launched(mine, fields)
  const changed = campaignIn(await campaigns.change(mine, id, { version: 1, audience: { users: ['bob'] } }))
  assert.deepEqual([changed['state'], changed['people']], ['scheduled', 1])
  const drained = await drain(database, { now: Date.now() + 61_000 })
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    [bob],
  )
})

test('an erased person leaves the list, and a list of which nobody is left reaches nobody', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId })
  const id = await campaigns.made(mine, { audience: { users: ['zoe'] } })
  await database.query('delete from campaign_users where brand_id = $1', [brandId])
  const launched = campaignIn(await campaigns.act(mine, id, 'launch'))
  assert.deepEqual([launched['people'], launched['devices']], [0, 0])
  assert.deepEqual(await drain(database), [])
})
