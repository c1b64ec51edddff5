import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { BEST_HOUR_LIMITS } from '../../src/rules/best-hours.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain, planDue } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)
const users = new UserCalls(server)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const BEST_HOUR = { best_hour: { within_hours: 24 } }

/** The present hour, and three hours of the day, in UTC, that come after it. */
const HOUR_START = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
const [SOON, LATER, LAST] = [2, 5, 20].map((ahead) => new Date(HOUR_START + ahead * HOUR_MS).getUTCHours())

/** Lets somebody do something at an hour of these many days. */
async function beActive(
  brand: TestBrand,
  userID: string,
  habit: { hour?: number | undefined; days: number },
) {
  const today = new Date().toISOString().slice(0, 10)
  const entries = Array.from({ length: habit.days }, (_, ago) =>
    entryOf({
      userID,
      event_time: new Date(
        Date.parse(today) - (ago + 1) * DAY_MS + (habit.hour ?? 0) * HOUR_MS + 600_000,
      ).toISOString(),
    }),
  )
  const { status } = await logEntries(server.port, brand, entries)
  assert.equal(status, 200)
  await catchUp(database, brand.brandId)
}

/** When the devices of each person are due, by the chunks of all notifications. */
async function dueHours(brandId: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.query<{ who: string; hours: readonly string[] }>(
    `select coalesce(i.value, 'nobody') as who, array_agg(distinct to_char(c.ready_at at time zone 'UTC', 'HH24:MI')) as hours
     from chunks as c cross join unnest(c.subscription_ids) as listed (id)
     join subscriptions as s on s.brand_id = c.brand_id and s.id = listed.id
     left join profile_identities as i on i.brand_id = s.brand_id and i.profile_id = s.profile_id and i.kind = 'user_id'
     where c.brand_id = $1 group by 1`,
    [brandId],
  )
  return new Map(rows.map(({ who, hours }) => [who, hours]))
}

function clock(hour: number | undefined): string {
  return `${String(hour).padStart(2, '0')}:00`
}

test('400 for a best hour beside a schedule or a winner, and for hours beyond its bounds', async () => {
  const mine = await server.brand()
  const refused: readonly (readonly [JsonObject, string, string])[] = [
    [{ schedule_date: '2027-01-01', schedule_time: '09:00' }, 'field_conflict', 'best_hour'],
    [{ schedule_time: '09:00' }, 'field_conflict', 'best_hour'],
    [{ time_zone: 'UTC' }, 'field_conflict', 'best_hour'],
    [
      { best_hour: { within_hours: BEST_HOUR_LIMITS.withinHoursMin - 1 } },
      'campaign_invalid',
      'best_hour.within_hours',
    ],
    [
      { best_hour: { within_hours: BEST_HOUR_LIMITS.withinHoursMax + 1 } },
      'campaign_invalid',
      'best_hour.within_hours',
    ],
    [{ best_hour: { within_hours: 2.5 } }, 'campaign_invalid', 'best_hour.within_hours'],
    [{ best_hour: {} }, 'campaign_invalid', 'best_hour.within_hours'],
    [
      {
        variants: [
          { name: 'A', weight: 1 },
          { name: 'B', weight: 1 },
        ],
        winner: { by: 'click', test_percent: 20, after_hours: 1, otherwise: 'A' },
      },
      'field_conflict',
      'best_hour',
    ],
  ]
  for (const [fields, code, field] of refused) {
    const answer = await campaigns.create(mine, { ...BEST_HOUR, ...fields })
    assert.equal(answer.status, 400, answer.text)
    const { errors } = answer.body
    assert.ok(Array.isArray(errors))
    assert.ok(
      errors.some((one) => isJsonObject(one) && one['code'] === code && one['field'] === field),
      answer.text,
    )
  }
  for (const hours of [BEST_HOUR_LIMITS.withinHoursMin, BEST_HOUR_LIMITS.withinHoursMax]) {
    const answer = await campaigns.create(mine, { best_hour: { within_hours: hours } })
    assert.equal(answer.status, 200, answer.text)
  }
})

test('each person gets it at their hour on all devices, and somebody without events at the brand’s', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  for (const platform of ['android', 'ios', 'web'] as const)
    await seedSubscriptions(database, { brandId, platform, userId: 'ann', count: 2 })
  await seedSubscriptions(database, { brandId, platform: 'ios', userId: 'ben' })
  await seedSubscriptions(database, { brandId, platform: 'web', userId: 'cleo', timeZone: '-03:30' })
  await seedSubscriptions(database, { brandId, platform: 'web' })
  await beActive(mine, 'ann', { hour: SOON, days: 3 })
  await beActive(mine, 'ann', { hour: LAST, days: 2 })
  await beActive(mine, 'hans', { hour: LATER, days: 9 })

  const id = await campaigns.made(mine, BEST_HOUR)
  const dry = await campaigns.act(mine, id, 'dry_run')
  const { best_hour: told } = dry.body
  assert.ok(isJsonObject(told), dry.text)
  assert.equal(told['brand_hour'], LATER)
  assert.equal(told['people_at_brand_hour'], 3)
  assert.equal(told['devices_counted'], 9)
  assert.deepEqual(
    told['hours'],
    [
      { hour: SOON, people: 1, devices: 6 },
      { hour: LATER, people: 3, devices: 3 },
    ].toSorted((a, b) => Number(a.hour) - Number(b.hour)),
  )

  await campaigns.act(mine, id, 'launch')
  await planDue(database)
  const due = await dueHours(brandId)
  assert.deepEqual(due.get('ann'), [clock(SOON)])
  assert.deepEqual(due.get('ben'), [clock(LATER)])
  assert.deepEqual(due.get('nobody'), [clock(LATER)])
  const there = new Date(Date.parse(`2026-01-02T${clock(LATER)}:00Z`) + 3.5 * HOUR_MS)
  assert.deepEqual(due.get('cleo'), [there.toISOString().slice(11, 16)])

  const campaign = await campaigns.read(mine, id)
  assert.equal(campaign['devices'], 9)
  assert.equal(campaign['pending'], 9)
  assert.deepEqual(campaign['best_hour'], BEST_HOUR.best_hour)
  const launchedAt = Date.parse(String(campaign['launched_at']))
  const all = await drain(database, { now: launchedAt + DAY_MS })
  assert.equal(new Set(all.map(({ recipient }) => recipient.id)).size, 9)
  assert.equal(all.length, 9)
  assert.equal((await campaigns.read(mine, id))['accepted'], 9)
})

test('nothing leaves before its hour, and nobody gets it twice', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await seedSubscriptions(database, { brandId, userId: 'ben' })
  await beActive(mine, 'ann', { hour: SOON, days: 2 })
  await beActive(mine, 'ben', { hour: LATER, days: 2 })
  await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  const sentAt = async (now: number) => (await drain(database, { now })).length
  assert.equal(await sentAt(Date.now() + 1_000), 0)
  assert.equal(await sentAt(HOUR_START + 2 * HOUR_MS - 1), 0)
  assert.equal(await sentAt(HOUR_START + 2 * HOUR_MS), 1)
  assert.equal(await sentAt(HOUR_START + 5 * HOUR_MS), 1)
  assert.equal(await sentAt(HOUR_START + 25 * HOUR_MS), 0)
})

test('a campaign is cancelled between two hours', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await seedSubscriptions(database, { brandId, userId: 'ben' })
  await beActive(mine, 'ann', { hour: SOON, days: 2 })
  await beActive(mine, 'ben', { hour: LATER, days: 2 })
  const id = await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  assert.equal((await drain(database, { now: HOUR_START + 2 * HOUR_MS })).length, 1)
  assert.equal((await campaigns.act(mine, id, 'cancel')).status, 200)
  assert.equal((await drain(database, { now: HOUR_START + 24 * HOUR_MS })).length, 0)
  const campaign = await campaigns.read(mine, id)
  assert.deepEqual([campaign['accepted'], campaign['cancelled'], campaign['pending']], [1, 1, 0])
})

test('explain tells the hour of a person, and why, with the counts', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann', timeZone: 'UTC' })
  await seedSubscriptions(database, { brandId, userId: 'ben', timeZone: 'UTC' })
  const nobody = await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  const reasons = async (userId: string, campaign: string) => {
    const path = `/api/v1/explain?user_id=${userId}&campaign=${campaign}`
    const { body } = await call(server.port, { path, headers: keyHeaders(mine) })
    const { explanation } = body
    const given = isJsonObject(explanation) ? explanation['reasons'] : []
    return new Map(
      (Array.isArray(given) ? given.filter(isJsonObject) : []).map(({ code, message }) => [
        code,
        String(message),
      ]),
    )
  }
  assert.ok((await reasons('ann', nobody)).has('best_hour_none'))
  await beActive(mine, 'ann', { hour: SOON, days: 4 })
  const campaign = await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  await planDue(database)
  const own = (await reasons('ann', campaign)).get('best_hour_own') ?? ''
  assert.match(own, new RegExp(`is ${SOON}:00 in UTC.* on 4 days. The message was planned for 20`))
  const brand = (await reasons('ben', campaign)).get('best_hour_brand') ?? ''
  assert.match(brand, new RegExp(`The hour of the brand is ${SOON}:00, with 4 events`))
  const planned = own.split('planned for ').at(1)
  await beActive(mine, 'ann', { hour: LATER, days: 9 })
  const since = (await reasons('ann', campaign)).get('best_hour_own') ?? ''
  assert.match(since, new RegExp(`By what is known today.* is ${LATER}:00`))
  assert.equal(since.split('planned for ').at(1), planned, 'what a person does later changes nothing')
  await drain(database, { now: Date.now() + DAY_MS })
  const told = await reasons('ann', campaign)
  assert.ok(told.has('accepted') && told.has('best_hour_own'))
})

test('variants, holdout, quiet hours and a pace go with it', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  const people = Array.from({ length: 40 }, (_, at) => `u${at}`)
  for (const userId of people) await seedSubscriptions(database, { brandId, userId })
  await beActive(mine, 'u1', { hour: LATER, days: 3 })
  const quiet = { from: clock(LATER), until: clock(((LATER ?? 0) + 1) % 24) }
  await database.query('update brands set quiet_hours = $2 where id = $1', [
    brandId,
    JSON.stringify({ from: quiet.from, until: quiet.until, inside: 'later' }),
  ])
  const id = await campaigns.launched(mine, {
    ...BEST_HOUR,
    platforms: ['android'],
    holdout_percent: 30,
    per_second: 2,
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { message: 'Other' } },
    ],
  })
  const now = Date.now() + 1_000
  await planDue(database, now)
  assert.ok(![...(await dueHours(brandId)).values()].flat().includes(quiet.from))
  const { rows } = await database.query<{ chunks: number; spread: number }>(
    `select count(*)::integer as chunks, extract(epoch from max(ready_at) - min(ready_at))::integer as spread
     from chunks where brand_id = $1`,
    [brandId],
  )
  assert.ok((rows[0]?.chunks ?? 0) > 1 && (rows[0]?.spread ?? 0) >= 10, JSON.stringify(rows))
  const sent = await drain(database, { now: now + DAY_MS })
  const campaign = await campaigns.read(mine, id)
  assert.equal(campaign['accepted'], sent.length)
  assert.ok(sent.length < people.length && sent.length > 10)
  const groups = await database.query('select from campaign_members where brand_id = $1', [brandId])
  assert.equal(groups.count, people.length)
})

test('two people who merge between planning and sending get it once on each device', async () => {
  const mine = await users.mergingBrand()
  const { brandId } = mine
  await users.post(mine, 'create', { nv: [{ userID: 'old' }] })
  await users.post(mine, 'create', { nv: [{ userID: 'new', email: 'n@x.example' }] })
  await seedSubscriptions(database, { brandId, userId: 'old' })
  await seedSubscriptions(database, { brandId, userId: 'new' })
  await beActive(mine, 'old', { hour: SOON, days: 2 })
  await beActive(mine, 'new', { hour: LATER, days: 2 })
  await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  await planDue(database)
  await users.post(mine, 'create', { nv: [{ userID: 'old', email: 'n@x.example' }] })
  await catchUp(database, brandId)
  const sent = await drain(database, { now: Date.now() + DAY_MS })
  assert.equal(new Set(sent.map(({ recipient }) => recipient.id)).size, 2)
  assert.equal(sent.length, 2)
})

test('somebody who is erased between planning and sending gets nothing, and the counts add up', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await seedSubscriptions(database, { brandId, userId: 'ben' })
  await beActive(mine, 'ann', { hour: SOON, days: 2 })
  const id = await campaigns.launched(mine, { ...BEST_HOUR, platforms: ['android'] })
  await planDue(database)
  await users.post(mine, 'delete', { nv: [{ userID: 'ann' }] })
  await catchUp(database, brandId)
  assert.equal((await drain(database, { now: Date.now() + DAY_MS })).length, 1)
  const campaign = await campaigns.read(mine, id)
  assert.deepEqual([campaign['devices'], campaign['accepted'], campaign['pending']], [1, 1, 0])
})
