import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { moveCampaign } from '../../src/pipeline/campaigns/states.ts'
import { CAMPAIGN_LIMITS } from '../../src/rules/campaigns.ts'
import { findMovedCampaigns } from '../../src/store/campaigns/work.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { drain, type Judge } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

/** One pass of the loop that moves campaigns. */
async function move(): Promise<void> {
  const found = await findMovedCampaigns(database, { limit: 100, except: [] })
  for (const ref of found) await moveCampaign(database, ref)
}

const refuseSomePages: Judge = ({ id }, { platform }) =>
  platform === 'web' && id % 2n === 0n ? { state: 'failed', reason: 'refused' } : {}

test('a campaign goes from scheduled over sending to sent, and counts the people whom it reached', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  await seedSubscriptions(database, { brandId, userId: 'bob', platform: 'web' })
  const id = await campaigns.launched(mine, { platforms: ['android', 'web'], undo_seconds: 1 })
  await move()
  assert.equal((await campaigns.read(mine, id))['state'], 'scheduled')
  const sendAt = Date.parse(String((await campaigns.read(mine, id))['send_at']))
  await drain(database, { now: sendAt, judge: refuseSomePages })
  await database.query(`update campaigns set send_at = now() where brand_id = $1`, [brandId])
  await move()
  const read = await campaigns.read(mine, id)
  assert.equal(read['state'], 'sent')
  assert.ok(typeof read['finished_at'] === 'string')
  const { rows } = await database.query<{ people: number }>(
    `select count(distinct s.profile_id)::integer as people from deliveries as d join subscriptions as s
       on s.brand_id = d.brand_id and s.id = d.subscription_id where d.brand_id = $1 and d.state = 'accepted'`,
    [brandId],
  )
  assert.deepEqual([read['people'], read['people_reached'], read['devices']], [2, rows[0]?.people, 4])
})

test('a campaign fails when all of its notifications do, and is cancelled when all of them are', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId })
  const failed = await campaigns.launched(mine, { platforms: ['android'] })
  await database.query(
    `update notifications set state = 'failed', plan_at = null, pending = 0, audience = 0 where brand_id = $1`,
    [brandId],
  )
  const cancelled = await campaigns.launched(mine, { platforms: ['android'] })
  const { notifications } = await campaigns.read(mine, cancelled)
  const parts: readonly unknown[] = Array.isArray(notifications) ? notifications : []
  for (const part of parts) {
    assert.ok(typeof part === 'object' && part !== null && 'id' in part)
    const path = `/api/v1/notifications/${String(part.id)}/cancel`
    assert.equal((await call(server.port, { method: 'POST', path, headers: keyHeaders(mine) })).status, 200)
  }
  await move()
  assert.equal((await campaigns.read(mine, failed))['state'], 'failed')
  assert.equal((await campaigns.read(mine, cancelled))['state'], 'cancelled')
  assert.deepEqual(await findMovedCampaigns(database, { limit: 100, except: [] }), [])
})

test('200 for a test send to chosen people: on their devices only, and the campaign counts nothing', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const [phone] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  const [page] = await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'ios' })
  await seedSubscriptions(database, { brandId, userId: 'bob' })
  await seedSubscriptions(database, { brandId, userId: 'cid', platform: 'ios' })
  const id = await campaigns.made(mine, { platforms: ['android', 'web'], audience: { tag: 'nobody' } })
  const answer = await campaigns.act(mine, id, 'test', { user_ids: ['ann', 'cid', 'ann'] })
  assert.deepEqual([answer.status, answer.body['processed']], [200, 2])
  assert.match(answer.text, /cid has no live device/)
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id).toSorted((a, b) => Number(a - b)),
    [phone, page],
  )
  const read = await campaigns.read(mine, id)
  assert.deepEqual([read['state'], read['accepted'], read['notifications']], ['draft', 0, []])
  const audience = { everyone: true, except: { campaign_id: Number(id) } }
  const next = await campaigns.made(mine, { platforms: ['web'], audience })
  assert.equal((await campaigns.act(mine, next, 'dry_run')).body['devices'], 1)
})

test('200 for a test send to single devices: not to the others of their people', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const [phone] = await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  const [page] = await seedSubscriptions(database, { brandId, platform: 'web' })
  const ids = await database.query<{ id: string }>(
    'select subscription_id as id from subscriptions where brand_id = $1 and id = any($2)',
    [brandId, [phone, page]],
  )
  const id = await campaigns.made(mine, { audience: { tag: 'nobody' } })
  const chosen = ids.rows.map((row) => row.id)
  const answer = await campaigns.act(mine, id, 'test', { subscription_ids: [...chosen, ...chosen] })
  assert.deepEqual([answer.status, answer.body['processed']], [200, 2])
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id).toSorted((a, b) => Number(a - b)),
    [phone, page],
  )
  const unknown = await campaigns.act(mine, id, 'test', { subscription_ids: [...chosen, 'nothing'] })
  assert.deepEqual([unknown.status, codesIn(unknown)], [404, ['subscription_not_found']])
  const nobody = await campaigns.act(mine, id, 'test', {})
  assert.deepEqual([nobody.status, codesIn(nobody)], [400, ['field_missing']])
})

test('400 for a test send to too many, 404 for one to somebody unknown or of another brand', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  await seedSubscriptions(database, { brandId: other.brandId, userId: 'ann' })
  const id = await campaigns.made(mine)
  const many = Array.from({ length: CAMPAIGN_LIMITS.testUsersMax + 1 }, (_, at) => `u${at}`)
  assert.equal((await campaigns.act(mine, id, 'test', { user_ids: many })).status, 400)
  const unknown = await campaigns.act(mine, id, 'test', { user_ids: ['ann'] })
  assert.deepEqual([unknown.status, codesIn(unknown)], [404, ['profile_not_found']])
  assert.equal((await campaigns.act(other, id, 'test', { user_ids: ['ann'] })).status, 404)
})

test('a test send leaves at once in quiet hours and beyond the cap, and takes nothing of the cap', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', timeZone: 'Etc/UTC' })
  const path = '/api/v1/topics'
  await call(server.port, { path, headers: keyHeaders(mine), body: { name: 'offers', title: 'Offers' } })
  const quiet = JSON.stringify({ from: clockIn(-2), until: clockIn(2), inside: 'drop' })
  await database.query('update brands set frequency_cap = 1, quiet_hours = $2 where id = $1', [
    brandId,
    quiet,
  ])
  for (const topic of [null, 'offers']) {
    const id = await campaigns.made(mine, { platforms: ['android'], ...(topic === null ? {} : { topic }) })
    for (let round = 0; round < 2; round += 1) {
      const answer = await campaigns.act(mine, id, 'test', { user_ids: ['ann'] })
      assert.equal(answer.status, 200, answer.text)
      assert.equal((await drain(database)).length, 1, `${topic} ${round}`)
    }
  }
  await database.query('update brands set quiet_hours = null where id = $1', [brandId])
  await campaigns.launched(mine, { platforms: ['android'] })
  assert.equal((await drain(database)).length, 1, 'the campaign itself is the first message of the day')
})

/** The time of day in UTC, so many hours from now. */
function clockIn(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
}
