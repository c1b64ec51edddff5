import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BRAKE_REASON } from '../../src/rules/push.ts'
import { drawBudgets } from '../../src/store/push/brake.ts'
import { pauseChannel } from '../../src/store/push/channels.ts'
import { retireSubscriptions } from '../../src/store/subscriptions/retire.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)

const PATH = '/api/v1/brand/channels/ios'

/** A brand with retired devices whose channel the brake has paused. */
async function brakedBrand() {
  const brand = await server.brand()
  const { database } = server.deps
  const { brandId } = brand
  const ids = await seedSubscriptions(database, { brandId, platform: 'ios', count: 12 })
  const now = Date.now()
  const dead = ids
    .slice(0, 9)
    .map((id) => ({ id, reason: 'BadDeviceToken', registeredAt: now + 60_000, goneAt: null }))
  await retireSubscriptions(database, brandId, dead)
  const ref = { brandId, platform: 'ios', version: 0 } as const
  const answers = ids.map((_, place) => ({ at: now + place, isAccepted: false }))
  const draw = async () => {
    const [mayRetire = []] = await drawBudgets(database, { ...ref, now }, [
      { kind: 'setting', host: '', answers },
    ])
    return mayRetire.filter(Boolean).length
  }
  await draw()
  await pauseChannel(database, { ...ref, reason: BRAKE_REASON, pauseMs: 60_000 })
  const states = async () => {
    const { rows } = await database.query<{ state: string; count: number }>(
      'select state, count(*)::integer as count from subscriptions where brand_id = $1 group by state order by state',
      [brandId],
    )
    return rows
  }
  const headers = keyHeaders(brand)
  const tell = async (body: object) => call(server.port, { path: `${PATH}/brake`, headers, body })
  const health = async () => (await call(server.port, { path: PATH, headers })).body['channel']
  return { brand, ids, tell, states, draw, health }
}

test('200: restore makes the retired devices live, ends the pause and fills the budget', async () => {
  const { tell, states, draw, health } = await brakedBrand()
  assert.deepEqual(await states(), [
    { state: 'gone', count: 9 },
    { state: 'live', count: 3 },
  ])
  const reply = await tell({ action: 'restore' })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body['restored'], 9)
  assert.deepEqual(await states(), [{ state: 'live', count: 12 }])
  assert.partialDeepStrictEqual(await health(), { health: { state: 'ok' } })
  assert.equal(await draw(), 9)
})

test('200: restore leaves alone devices that were retired before, that unsubscribed, or that are of another brand', async () => {
  const { brand, ids, tell, states } = await brakedBrand()
  const other = await brakedBrand()
  const { database } = server.deps
  await database.query(
    `update subscriptions set state_since = state_since - interval '25 hours' where brand_id = $1 and id = any($2)`,
    [brand.brandId, ids.slice(0, 2)],
  )
  await database.query(`update subscriptions set state = 'unsubscribed' where brand_id = $1 and id = $2`, [
    brand.brandId,
    ids[2],
  ])
  assert.equal((await tell({ action: 'restore' })).body['restored'], 6)
  assert.equal((await tell({ action: 'restore', hours: 26 })).body['restored'], 2)
  assert.deepEqual(await states(), [
    { state: 'live', count: 11 },
    { state: 'unsubscribed', count: 1 },
  ])
  assert.partialDeepStrictEqual(await other.states(), [{ state: 'gone', count: 9 }])
})

test('200: retire switches the brake off and restores nobody', async () => {
  const { tell, states, draw, health } = await brakedBrand()
  const reply = await tell({ action: 'retire' })
  assert.deepEqual([reply.status, reply.body['restored']], [200, 0])
  assert.partialDeepStrictEqual(await states(), [{ state: 'gone', count: 9 }])
  assert.partialDeepStrictEqual(await health(), { health: { state: 'ok' } })
  assert.equal(await draw(), 12)
})

test('200: a pause for another reason stays', async () => {
  const { brand, tell, health } = await brakedBrand()
  await pauseChannel(server.deps.database, {
    brandId: brand.brandId,
    platform: 'ios',
    version: 0,
    reason: 'InvalidProviderToken',
    pauseMs: 60_000,
  })
  assert.equal((await tell({ action: 'restore' })).status, 200)
  assert.partialDeepStrictEqual(await health(), {
    health: { state: 'paused', reason: 'InvalidProviderToken' },
  })
})

test('400: an unknown action, and hours out of range', async () => {
  const { tell } = await brakedBrand()
  assert.equal((await tell({})).status, 400)
  assert.equal((await tell({ action: 'undo' })).status, 400)
  assert.equal((await tell({ action: 'restore', hours: 0 })).status, 400)
})
