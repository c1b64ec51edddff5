import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { foldSeries } from '../../src/store/series/folding.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { sendTwoSteps } from '../support/journeys/two-steps.ts'
import { startServer } from '../support/processes/server.ts'
import { clickAll } from '../support/push/click-all.ts'
import { drain } from '../support/push/drain.ts'
import { askSeries, linesIn, seriesIn, totalsIn } from '../support/series/series.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(server.close)
const { port, deps, brand } = server
const { database } = deps
const campaigns = new CampaignCalls(server)

const DAY_MS = 86_400_000

/** The same questions before and after the changes are added up have the same answers. */
async function assertTotals(
  mine: TestBrand,
  questions: readonly (readonly [Readonly<Record<string, string>>, object])[],
): Promise<void> {
  for (const when of ['at once', 'added up']) {
    for (const [query, wanted] of questions) {
      const totals = totalsIn(await askSeries(port, mine, { by: 'hour', ...query }))
      assert.deepEqual(totals, wanted, `${when}: ${JSON.stringify(query)}`)
    }
    while ((await foldSeries(database, 100)) > 0);
  }
}

test('200 with messages and clicks by campaign, by journey and by step, and narrowed to one of each', async () => {
  const mine = await brand()
  await seedSubscriptions(database, { brandId: mine.brandId, userId: 'ann', platform: 'web', count: 2 })
  const first = await campaigns.launched(mine, { platforms: ['web'] })
  const second = await campaigns.launched(mine, { platforms: ['web'] })
  await campaigns.act(mine, first, 'test', { user_ids: ['ann'] })
  const journey = await sendTwoSteps(database, mine.brandId)
  await drain(database)
  await clickAll(server, mine)
  const other = String(BigInt(first) + 1_000n)
  await assertTotals(mine, [
    // A test send and the messages of the journey count for no campaign.
    [
      { metric: 'accepted', group: 'campaign' },
      { accepted: 7, [`accepted ${first}`]: 2, [`accepted ${second}`]: 2 },
    ],
    [
      { metric: 'clicked', group: 'campaign', platform: 'web' },
      { clicked: 2, [`clicked ${first}`]: 2, [`clicked ${second}`]: 2 },
    ],
    [
      { metric: 'clicked', group: 'journey' },
      { clicked: 6, [`clicked ${journey}`]: 5 },
    ],
    [
      { metric: 'accepted', group: 'step', journey_id: journey },
      { 'accepted remind': 3, 'accepted again': 2 },
    ],
    [
      { metric: 'sends,clicked', campaign_id: first },
      { sends: 2, clicked: 2 },
    ],
    [
      { metric: 'sends,clicked', journey_id: journey },
      { sends: 5, clicked: 5 },
    ],
    [
      { metric: 'sends,clicked', journey_id: journey, step: 'again' },
      { sends: 2, clicked: 2 },
    ],
    [
      { metric: 'accepted', campaign_id: second, group: 'platform' },
      { 'accepted android': 0, 'accepted ios': 0, 'accepted web': 2 },
    ],
    [
      { metric: 'sends,clicked', campaign_id: other },
      { sends: 0, clicked: 0 },
    ],
  ])
})

test('200 with entries, exits by reason and steps of journeys', async () => {
  const mine = await brand()
  const api = apiOf(port, mine)
  const steps = [{ id: 'pause', wait: { days: 1 } }]
  const [shop, news] = [
    await startJourney(api, { trigger: { event: 'view' }, steps, goal: { event: 'buy' } }),
    await startJourney(api, {
      trigger: { event: 'read' },
      steps: [{ id: 'mark', set: { add_tag: 'reader' } }],
    }),
  ]
  const log = async (userID: string, event_name: string): Promise<void> => {
    assert.equal((await logEntries(port, mine, [entryOf({ userID, event_name })])).status, 200)
    await runJourneysAt(database, mine.brandId, Date.now())
  }
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'ann' }, { userID: 'ben' }] })
  for (const name of ['ann', 'ben']) await log(name, 'view')
  await log('ann', 'buy')
  await log('ann', 'read')
  await assertTotals(mine, [
    [{ metric: 'journey_entries,journey_exits' }, { journey_entries: 3, journey_exits: 2 }],
    [
      { metric: 'journey_entries', group: 'journey' },
      { [`journey_entries ${shop}`]: 2, [`journey_entries ${news}`]: 1 },
    ],
    [
      { metric: 'journey_exits', group: 'name' },
      { 'journey_exits completed': 1, 'journey_exits goal': 1 },
    ],
    [{ metric: 'journey_exits', journey_id: shop, name: 'goal' }, { journey_exits: 1 }],
    [{ metric: 'journey_exits', journey_id: news, name: 'goal' }, { journey_exits: 0 }],
    [{ metric: 'journey_steps', group: 'step', name: 'waiting' }, { 'journey_steps pause': 2 }],
    [{ metric: 'journey_steps', step: 'mark', name: 'set' }, { journey_steps: 1 }],
  ])
})

test('200 with opt-outs by topic and by platform, each counted when it is new', async () => {
  const mine = await brand()
  const api = apiOf(port, mine)
  for (const name of ['offers', 'orders']) await api('POST', '/api/v1/topics', { name, title: name })
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  await api('POST', '/api/v1/subscriptions', { platform: 'android', token: 't1', subscription_id: 'd1' })
  const person = async (topics: readonly string[]) =>
    api('PUT', '/api/v1/user/preferences', { userID: 'ann', opt_outs: topics })
  for (const topics of [['offers'], ['offers', 'orders'], [], ['offers'], ['*']])
    assert.equal((await person(topics)).status, 200)
  const device = await api('PUT', '/api/v1/subscriptions/d1/preferences', { opt_outs: ['orders'] })
  assert.equal(device.status, 200)
  await assertTotals(mine, [
    [{ metric: 'opt_outs' }, { opt_outs: 5 }],
    [
      { metric: 'opt_outs', group: 'name' },
      { 'opt_outs offers': 2, 'opt_outs orders': 2, 'opt_outs *': 1 },
    ],
    // The choice of a person has no platform.
    [
      { metric: 'opt_outs', group: 'platform' },
      { opt_outs: 4, 'opt_outs android': 1, 'opt_outs ios': 0, 'opt_outs web': 0 },
    ],
    [{ metric: 'opt_outs', name: 'orders', platform: 'android' }, { opt_outs: 1 }],
  ])
})

/** A key is looked up anew after a moment, and the zone of its brand with it. */
async function setZone(mine: TestBrand, zone: string): Promise<void> {
  const { status } = await apiOf(port, mine)('PATCH', '/api/v1/brand', { time_zone: zone })
  assert.equal(status, 200)
  await until(
    async () => seriesIn(await askSeries(port, mine, { metric: 'clicked' }))['time_zone'] === zone,
    { what: `the zone ${zone}` },
  )
}

const ZONE = 'Europe/Berlin'

/** The last day of a zone with so many hours. */
function dayOfHours(hours: number): Temporal.ZonedDateTime {
  let at: Temporal.ZonedDateTime | null = Temporal.Now.zonedDateTimeISO(ZONE).subtract({ days: 3 })
  for (; at !== null; at = at.getTimeZoneTransition('previous')) {
    const day = at.startOfDay()
    if (day.hoursInDay === hours) return day
  }
  throw new Error(`no day of ${ZONE} has ${hours} hours`)
}

test('200 with days of 23 and 25 hours as long as they are, by day and by hour', async () => {
  const mine = await brand()
  await setZone(mine, ZONE)
  for (const hours of [23, 25]) {
    const day = dayOfHours(hours)
    const [startsAt, endsAt] = [day, day.add({ days: 1 })].map((edge) => edge.epochMilliseconds)
    assert.ok(startsAt !== undefined && endsAt !== undefined)
    const moments = [startsAt - 60_000, startsAt, startsAt + 2.5 * 3_600_000, endsAt - 60_000, endsAt]
    const name = `of ${hours} hours`
    const entries = moments.map((at) => entryOf({ event_name: name, event_time: new Date(at).toISOString() }))
    assert.equal((await logEntries(port, mine, entries)).status, 200)
    await catchUp(database, mine.brandId)
    const [before, own, next] = [-1, 0, 1].map((days) => day.add({ days }).toPlainDate().toString())
    assert.ok(before !== undefined && own !== undefined && next !== undefined)
    const days = { from: before, to: next }
    const byDay = await askSeries(port, mine, { metric: 'events', name, ...days })
    assert.deepEqual(linesIn(byDay)[0]?.counts, [1, 3, 1])
    const byHour = await askSeries(port, mine, { metric: 'events', name, by: 'hour', from: own, to: own })
    const wanted = Array.from({ length: hours }, (_, place) => ([0, 2, hours - 1].includes(place) ? 1 : 0))
    assert.deepEqual(linesIn(byHour)[0]?.counts, wanted)
    assert.equal(new Set(Array.from(Object(seriesIn(byHour)['starts']))).size, hours)
    const people = linesIn(await askSeries(port, mine, { metric: 'people_active', ...days }))[0]
    assert.deepEqual([people?.counts, people?.is_estimated], [[1, 1, 1], false])
    const week = { by: 'week', from: own, to: own }
    const byWeek = linesIn(await askSeries(port, mine, { metric: 'people_active', ...week }))[0]
    assert.deepEqual([byWeek?.counts, byWeek?.is_estimated], [[1], false])
    const elsewhere = await askSeries(port, mine, { metric: 'events', name, ...days, time_zone: 'UTC' })
    assert.equal(linesIn(elsewhere)[0]?.total, 5)
  }
})

test('people are estimated where the zone of the brand was another one when they were counted', async () => {
  const mine = await brand()
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const log = async (userID: string, ago: number, hour: number): Promise<void> => {
    const event_time = new Date(today - ago * DAY_MS + hour * 3_600_000).toISOString()
    assert.equal((await logEntries(port, mine, [entryOf({ userID, event_time })])).status, 200)
    await catchUp(database, mine.brandId)
  }
  const dayOf = (ago: number): string => new Date(today - ago * DAY_MS).toISOString().slice(0, 10)
  const ask = async (first: number, last: number, by = 'day'): Promise<readonly unknown[]> => {
    const query = { metric: 'people_active', by, from: dayOf(first), to: dayOf(last) }
    const [line] = linesIn(await askSeries(port, mine, query))
    return [line?.counts, line?.is_estimated]
  }
  await log('ann', 40, 20)
  await log('ann', 30, 20)
  assert.deepEqual(await ask(41, 39), [[0, 1, 0], false])

  await setZone(mine, 'Asia/Tokyo')
  assert.deepEqual(await ask(40, 40), [[1], true])
  // At 20:00 in London it is the next day in Tokyo, which was counted as a day of London.
  assert.deepEqual(await ask(39, 39), [[0], true])
  assert.equal((await ask(40, 40, 'week'))[1], true)
  await log('ben', 10, 20)
  assert.deepEqual(await ask(10, 8), [[0, 1, 0], false])
  await log('ben', 31, 20)
  assert.deepEqual(await ask(30, 30), [[2], true])
  assert.deepEqual(await ask(10, 8), [[0, 1, 0], false])

  await setZone(mine, 'UTC')
  assert.deepEqual(await ask(41, 39), [[0, 1, 0], false])
  assert.deepEqual(await ask(30, 30), [[2], true])
  assert.equal((await ask(9, 9))[1], true)
})
