import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LIMITS } from '../../src/rules/limits.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { GoalCalls, type GoalCampaign, HOUR_MS, NOW } from '../support/campaigns/goals.ts'
import type { TestBrand } from '../support/database/database.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)
const goals = new GoalCalls(server)
const users = new UserCalls(server)

const VARIANTS = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 1, content: { message: 'Try them' } },
]

async function list(brand: TestBrand, campaign: GoalCampaign, query = '') {
  const path = `/api/v1/campaigns/${campaign.id}/people${query}`
  return call(server.port, { path, headers: keyHeaders(brand) })
}

async function names(brand: TestBrand, campaign: GoalCampaign, query = ''): Promise<readonly string[]> {
  const { status, body } = await list(brand, campaign, query)
  assert.equal(status, 200, JSON.stringify(body))
  return Array.from(Object(body['people']), (one) =>
    String(Object(one).user_id ?? Object(one).subscription_id),
  ).toSorted()
}

/** Ada and Bea get A and B, Cid is held out, Dan is in the control group, and two devices have no person. */
async function seed(): Promise<{ readonly brand: TestBrand; readonly campaign: GoalCampaign }> {
  const brand = await server.brand()
  for (const name of ['ada', 'bea', 'cid', 'dan']) await goals.addPerson(brand, name)
  for (const name of ['far', 'lone']) await goals.addDevice(brand, name)
  const campaign = await goals.seed({ brand })
  await database.query(
    `update campaigns set document = document || jsonb_build_object('variants', $3::jsonb) where brand_id = $1 and id = $2`,
    [brand.brandId, campaign.id, JSON.stringify(VARIANTS)],
  )
  const groups = { ada: 0, bea: 1, cid: -1, dan: -2, far: 0, lone: 1 }
  for (const [userId, group] of Object.entries(groups)) {
    await goals.deliver(brand, campaign, { userId, group, at: NOW - 5 * HOUR_MS, isPacked: userId === 'far' })
  }
  await database.query(`update campaign_people set clicked_at = $2 where brand_id = $1 and trial_group = 1`, [
    brand.brandId,
    new Date(NOW - 4 * HOUR_MS),
  ])
  for (const userId of ['ada', 'ada', 'cid']) await goals.buy(brand, userId, NOW - 3 * HOUR_MS)
  await goals.count(brand)
  return { brand, campaign }
}

test('200 with the people behind each figure of the results', async () => {
  const { brand, campaign } = await seed()
  const cases = {
    '': ['ada', 'bea', 'cid', 'dan', 'far', 'lone'],
    '?group=sent': ['ada', 'bea', 'far', 'lone'],
    '?group=held_out': ['cid'],
    '?group=control': ['dan'],
    '?variant=A': ['ada', 'far'],
    '?variant=B': ['bea', 'lone'],
    '?did=clicked': ['bea', 'lone'],
    '?did=clicked&variant=A': [],
    '?did=reached': ['ada', 'cid'],
    '?did=reached&group=held_out': ['cid'],
    '?did=reached&variant=A': ['ada'],
    '?did=converted': ['ada'],
    '?did=converted&variant=A': ['ada'],
    '?did=converted&variant=B': [],
    '?did=converted&group=held_out': [],
    '?variant=A&group=held_out': [],
  }
  for (const [query, wanted] of Object.entries(cases)) {
    assert.deepEqual(await names(brand, campaign, query), wanted, query)
  }
  const results = Object((await campaigns.results(brand, String(campaign.id))).body['results'])
  assert.equal(results.attributed.people, cases['?did=converted'].length)
  assert.equal(results.people, cases['?group=sent'].length)
  assert.equal(results.held_out, cases['?group=held_out'].length)
  assert.equal(results.in_control, cases['?group=control'].length)
  assert.equal(results.variants[1].people, cases['?variant=B'].length)
})

test('200 with the group, the variant, the click and the goal events of a person', async () => {
  const { brand, campaign } = await seed()
  const { body } = await list(brand, campaign, '?did=converted')
  const both = { events: 2, ltv: '20' }
  const planned_at = new Date(NOW - 5 * HOUR_MS).toISOString()
  const ada = {
    user_id: 'ada',
    subscription_id: null,
    group: 'sent',
    variant: 'A',
    planned_at,
    clicked_at: null,
  }
  assert.deepEqual(body['people'], [{ ...ada, reached: both, converted: both }])
  const held = Object(Object((await list(brand, campaign, '?group=held_out')).body['people'])[0])
  assert.deepEqual(
    [held.group, held.variant, held.reached, held.converted],
    ['held_out', null, { events: 1, ltv: '10' }, null],
  )
  const [lone] = Object((await list(brand, campaign, '?did=clicked&limit=1')).body['people'])
  assert.deepEqual([lone.user_id, lone.subscription_id, lone.variant], [null, 'lone', 'B'])
})

test('200 page by page, nobody twice and nobody left out, in every order of the list', async () => {
  const { brand, campaign } = await seed()
  for (const query of ['', '&group=sent', '&did=clicked', '&did=reached', '&did=converted']) {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await list(brand, campaign, `?limit=1${query}${cursor}`)
      const people = Array.from(Object(body['people']), Object)
      assert.ok(people.length <= 1)
      seen.push(...people.map(({ user_id: user, subscription_id: device }) => String(user ?? device)))
      const next = body['next_cursor']
      cursor = typeof next === 'string' ? `&cursor=${next}` : ''
    } while (cursor !== '')
    assert.deepEqual(seen.toSorted(), await names(brand, campaign, query.replace('&', '?')), query)
  }
})

test('400 for a variant that is not there, a group or a deed that is none, a cursor, and a page too long', async () => {
  const { brand, campaign } = await seed()
  for (const query of [
    '?variant=C',
    '?group=all',
    '?did=slept',
    '?cursor=AAAA',
    `?limit=${LIMITS.pageSizeMax + 1}`,
  ]) {
    assert.equal((await list(brand, campaign, query)).status, 400, query)
  }
})

test('404 for a campaign of another brand, and for one that does not exist', async () => {
  const { brand, campaign } = await seed()
  assert.equal((await list(await server.brand(), campaign)).status, 404)
  assert.equal((await list(brand, { ...campaign, id: 9_000_000_000n })).status, 404)
})

test('an erased person leaves the list', async () => {
  const { brand, campaign } = await seed()
  const erased = await users.post(brand, 'delete', { nv: [{ userID: 'ada' }] })
  assert.equal(erased.status, 200, erased.text)
  for (const query of ['', '?did=reached', '?did=converted']) {
    assert.ok(!(await names(brand, campaign, query)).includes('ada'), query)
  }
})
