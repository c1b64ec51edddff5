import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { moveCampaign } from '../../src/pipeline/campaigns/states.ts'
import { findMovedCampaigns } from '../../src/store/campaigns/work.ts'
import { withOwner } from '../../src/store/db.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { RECEIPTS } from '../support/push/engine.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer({ deps: { receipts: RECEIPTS } })
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

/** A campaign that is sent: ada has it on two platforms, bea's phone failed, and one device has no person. */
async function sent() {
  const brand = await server.brand()
  const { brandId } = brand
  const [ada] = await seedSubscriptions(database, { brandId, userId: 'ada' })
  await seedSubscriptions(database, { brandId, userId: 'ada', platform: 'web' })
  const [bea] = await seedSubscriptions(database, { brandId, userId: 'bea' })
  const [lone] = await seedSubscriptions(database, { brandId, platform: 'web' })
  const id = await campaigns.launched(brand, {})
  await drain(database, {
    judge: ({ id: device }) => (device === bea ? { state: 'failed', reason: 'UNREGISTERED' } : {}),
  })
  for (const moved of await findMovedCampaigns(database, { limit: 10, except: [] }))
    await moveCampaign(database, moved)
  return { brand, id, ada, lone }
}

async function click(brand: TestBrand, id: string, device: bigint | undefined): Promise<void> {
  const { rows } = await database.query<{ id: string }>(
    `select n.id from notifications as n join subscriptions as s on s.brand_id = n.brand_id and s.platform = n.platform
     where n.brand_id = $1 and n.campaign_id = $2 and s.id = $3`,
    [brand.brandId, id, device],
  )
  const ref = { brandId: brand.brandId, notificationId: rows[0]?.id ?? '', subscriptionId: device ?? 0n }
  const receipt = RECEIPTS.sign(ref, Date.now())
  const body = { receipts: [{ receipt, kind: 'clicked' }] }
  const answer = await call(server.port, { path: '/api/v1/receipts', body })
  assert.equal(answer.status, 200, answer.text)
}

test('200 with the rows behind each count of a campaign, over all platforms, page by page', async () => {
  const { brand, id, ada, lone } = await sent()
  await click(brand, id, ada)
  await click(brand, id, lone)
  const campaign = await campaigns.read(brand, id)
  const rows = async (query: string) => campaigns.rows(brand, `/${id}/deliveries`, query)
  assert.equal((await rows('')).length, campaign['devices'])
  assert.equal((await rows('&state=accepted')).length, campaign['accepted'])
  assert.equal((await rows('&state=failed&reason=UNREGISTERED')).length, campaign['failed'])
  assert.deepEqual([campaign['accepted'], campaign['failed'], campaign['people_reached']], [3, 1, 2])
  const people = await rows('&per=person')
  assert.equal(people.length, campaign['people_reached'])
  assert.deepEqual(new Set(people.map(({ user_id: user }) => user)), new Set(['ada', null]))
  const clicked = await rows('&receipt=clicked')
  assert.equal(clicked.length, campaign['clicked'])
  assert.deepEqual(
    clicked.map(({ platform, user_id: user }) => [platform, user]),
    [
      ['android', 'ada'],
      ['web', null],
    ],
  )
})

test('200 with the devices that clicked in a span: the bars of the series have as many', async () => {
  const { brand, id, ada, lone } = await sent()
  await click(brand, id, ada)
  await click(brand, id, lone)
  await withOwner(server.url, async (owner) =>
    owner.query(
      `update receipts set at = at - interval '2 hours' where brand_id = $1 and subscription_id = $2`,
      [brand.brandId, ada],
    ),
  )
  const [first, second] = await campaigns.rows(brand, `/${id}/deliveries`, '&receipt=clicked')
  const early = String(first?.['reported_at'])
  const late = String(second?.['reported_at'])
  assert.ok(early < late, `${early} ${late}`)
  const users = async (query: string) =>
    (await campaigns.rows(brand, `/${id}/deliveries`, `&receipt=clicked${query}`)).map(
      ({ user_id: user }) => user,
    )
  assert.deepEqual(await users(`&from=${early}`), ['ada', null])
  assert.deepEqual(await users(`&from=${early}&to=${late}`), ['ada'])
  assert.deepEqual(await users(`&from=${late}`), [null])
  assert.deepEqual(await users(`&to=${early}`), [])
  const notification = String(second?.['notification'])
  const path = `/api/v1/notifications/${notification}/deliveries?receipt=clicked`
  const headers = keyHeaders(brand)
  for (const [query, devices] of [
    ['', 1],
    [`&from=${late}`, 1],
    [`&to=${late}`, 0],
  ] as const) {
    const { body } = await call(server.port, { path: `${path}${query}`, headers })
    assert.equal(Array.from(Object(body['deliveries'])).length, devices, query)
  }
})

test('400 for a time without a receipt, for people with another filter, and for a cursor that is none', async () => {
  const { brand, id } = await sent()
  const now = new Date().toISOString()
  const cases = [
    [`from=${now}`, 'field_missing'],
    ['receipt=clicked&to=soon', 'field_invalid'],
    ['per=person&state=failed', 'field_conflict'],
    ['cursor=AAAA', 'field_invalid'],
  ] as const
  for (const [query, code] of cases) {
    const { status, body } = await campaigns.get(brand, `/${id}/deliveries?${query}`)
    assert.deepEqual([status, body['code']], [400, code], query)
  }
  const other = await server.brand()
  assert.equal((await campaigns.get(other, `/${id}/deliveries`)).status, 404)
})
