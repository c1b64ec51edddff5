import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { acceptContent, drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

type Asked = { readonly userId: string; readonly campaign: string }

async function explain(brand: TestBrand, { userId, campaign }: Asked): Promise<JsonObject> {
  const path = `/api/v1/explain?user_id=${userId}&campaign=${campaign}`
  const { body } = await call(server.port, { path, headers: keyHeaders(brand) })
  return isJsonObject(body['explanation']) ? body['explanation'] : body
}

async function codesFor(brand: TestBrand, asked: Asked): Promise<readonly string[]> {
  const { reasons } = await explain(brand, asked)
  assert.ok(Array.isArray(reasons))
  return reasons.map(({ code }) => String(code))
}

test('a campaign that is not launched is explained by its state', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann' })
  const campaign = await campaigns.made(mine)
  assert.deepEqual(await codesFor(mine, { userId: 'ann', campaign }), ['campaign_not_launched'])
  const other = await server.brand()
  await seedSubscriptions(database, { brandId: other.brandId, userId: 'ann' })
  const foreign = await explain(other, { userId: 'ann', campaign })
  assert.equal(foreign['code'], 'campaign_not_found')
})

test('variants, the holdout and the control group are told with what was seen', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await database.query('update brands set control_percent = 20 where id = $1', [brandId])
  const people = Array.from({ length: 60 }, (_, at) => `u${at}`)
  for (const userId of people) await seedSubscriptions(database, { brandId, userId })
  const campaign = await campaigns.launched(mine, {
    platforms: ['android'],
    holdout_percent: 40,
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: 'Try them' } },
    ],
  })
  await drain(database, { judge: acceptContent })
  const told = new Map<string, string>()
  for (const userId of people) {
    const { reasons, is_reached: isReached } = await explain(mine, { userId, campaign })
    assert.ok(Array.isArray(reasons))
    for (const { code, message } of reasons) told.set(code, message)
    assert.equal(isReached, reasons[0].code === 'accepted')
  }
  assert.deepEqual(
    [...told.keys()].toSorted((a, b) => a.localeCompare(b)),
    ['accepted', 'held_out', 'in_control_group', 'variant_chosen'],
  )
  assert.match(told.get('held_out') ?? '', /40 percent/)
  assert.match(told.get('in_control_group') ?? '', /20 percent/)
  assert.match(told.get('variant_chosen') ?? '', /variant [AB]/)
})

test('a list, another campaign, a filter and the device that was used last are told', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  for (const userId of ['ann', 'bob']) await seedSubscriptions(database, { brandId, userId })
  await seedSubscriptions(database, { brandId, userId: 'ann', platform: 'web' })
  await database.query(
    `update subscriptions set registered_at = now() + interval '1 minute' where brand_id = $1 and platform = 'web'`,
    [brandId],
  )
  const first = await campaigns.launched(mine, { audience: { users: ['ann'] }, platforms: ['android'] })
  await drain(database)
  assert.deepEqual(await codesFor(mine, { userId: 'bob', campaign: first }), ['not_listed'])

  const except = { campaign_id: Number(first) }
  const second = await campaigns.launched(mine, {
    audience: { everyone: true, except },
    platforms: ['android'],
  })
  await drain(database)
  assert.deepEqual(await codesFor(mine, { userId: 'ann', campaign: second }), ['got_other_campaign'])
  assert.deepEqual(await codesFor(mine, { userId: 'bob', campaign: second }), ['accepted'])

  const latest = { platforms: ['android'], reach: 'latest_device' }
  const third = await campaigns.launched(mine, latest)
  await drain(database)
  assert.deepEqual(await codesFor(mine, { userId: 'ann', campaign: third }), ['other_device'])

  const both = await campaigns.launched(mine, { platforms: ['android', 'web'], reach: 'latest_device' })
  await drain(database)
  await database.query(
    `update subscriptions set registered_at = now() + interval '1 hour' where brand_id = $1 and platform = 'android'`,
    [brandId],
  )
  const { reasons } = await explain(mine, { userId: 'ann', campaign: both })
  assert.match(
    JSON.stringify(reasons),
    /"other_device"[^}]*web/,
    'the choice of the campaign, not that of today',
  )

  const filter = { attribute: 'city', is: 'eq', value: 'Ulm' }
  const fourth = await campaigns.launched(mine, { audience: { filter }, platforms: ['android'] })
  await drain(database)
  assert.deepEqual(await codesFor(mine, { userId: 'bob', campaign: fourth }), ['not_in_filter'])
})

/** `HH:MM` by the clock of UTC, so many hours from now. */
function clockIn(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
}

async function tellAll(brand: TestBrand, asked: Asked): Promise<string> {
  const { reasons } = await explain(brand, asked)
  assert.ok(Array.isArray(reasons))
  return reasons.map(({ code, message }) => `${code}: ${message}`).join('\n')
}

/** Tokyo has no summer time. */
const TOKYO_HOURS = 9

test('the cap and the quiet hours are told as they were, also when they have changed since', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const set = async (settings: string) =>
    database.query(`update brands set ${settings} where id = $1`, [brandId])
  const launched = async () => campaigns.launched(mine, { platforms: ['android'] })
  await seedSubscriptions(database, { brandId, userId: 'ann', timeZone: 'Etc/UTC' })
  const [from, until] = [clockIn(-2), clockIn(2)]
  const quiet = (inside: string) => `quiet_hours = '${JSON.stringify({ from, until, inside })}'`

  await set('frequency_cap = 1')
  await launched()
  const capped = await launched()
  await drain(database)
  await set(`frequency_cap = null, ${quiet('drop')}`)
  const dropped = await launched()
  await drain(database)
  await set(quiet('later'))
  const later = await launched()
  await drain(database)
  // Quiet hours of another zone, far from the present time there.
  const [nightFrom, nightUntil] = [clockIn(TOKYO_HOURS + 12), clockIn(TOKYO_HOURS + 13)]
  const night = JSON.stringify({ from: nightFrom, until: nightUntil, inside: 'later' })
  await set(`frequency_cap = 9, quiet_hours = '${night}'`)
  await database.query(`update subscriptions set time_zone = 'Asia/Tokyo' where brand_id = $1`, [brandId])

  const about = async (campaign: string) => tellAll(mine, { userId: 'ann', campaign })
  assert.match(await about(capped), /^frequency_capped: .*: 1 on \d{4}-\d\d-\d\d\.$/)
  assert.match(
    await about(dropped),
    new RegExp(`^quiet_dropped: .* at 20.*from ${from} to ${until} in Etc/UTC`),
  )
  assert.match(await about(later), new RegExp(`^quiet_later: .*from ${from} to ${until} in Etc/UTC`))
  await drain(database, { now: Date.now() + 3 * 3_600_000 })
  assert.match(
    await about(later),
    new RegExp(`^accepted: .*\nquiet_waited: .*from ${from} to ${until} in Etc/UTC`),
  )
  await database.query('update deliveries set seen = null where brand_id = $1', [brandId])
  assert.match(await about(capped), /: 9, as of today\.$/)
  assert.match(
    await about(dropped),
    new RegExp(`from ${nightFrom} to ${nightUntil} in Asia/Tokyo, as of today\\.$`),
  )
})
