import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { isJsonObject } from '../../src/domain/values/json.ts'
import { SERIES_LIMITS, SERIES_METRICS } from '../../src/rules/series.ts'
import { foldSeries, hasChanges } from '../../src/store/series/folding.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { askSeries, linesIn, seriesIn, totalsIn } from '../support/series/series.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
after(server.close)
const { port, deps, brand } = server
const { database } = deps
const users = new UserCalls(server)

const DAY_MS = 86_400_000

test('200 with sends, failures by reason and receipts, by platform, at once and after they were added up', async () => {
  const mine = await brand()
  const { brandId } = mine
  const [first = 0n] = await seedSubscriptions(database, { brandId, count: 3 })
  await seedSubscriptions(database, { brandId, platform: 'web', count: 2 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await acceptNotification(database, { brandId, platform: 'web', target: { kind: 'all' } })
  await drain(database, {
    judge: ({ id: recipient }) => (recipient === first ? { state: 'failed', reason: 'BadDeviceToken' } : {}),
  })
  const receipt = deps.receipts.sign({ brandId, notificationId: id, subscriptionId: first }, Date.now())
  const receipts = ['received', 'clicked'].map((kind) => ({ receipt, kind }))
  await call(port, { path: '/api/v1/receipts', body: { receipts } })
  const ask = async (query: object) => totalsIn(await askSeries(port, mine, { by: 'hour', ...query }))
  const look = async () => [
    await ask({ metric: 'sends,accepted,failed,received,clicked,dismissed' }),
    await ask({ metric: 'accepted', group: 'platform' }),
    await ask({ metric: 'failed', group: 'name' }),
    await ask({ metric: 'clicked', platform: 'web' }),
  ]
  const wanted = [
    { sends: 5, accepted: 4, failed: 1, received: 1, clicked: 1, dismissed: 0 },
    { 'accepted android': 2, 'accepted ios': 0, 'accepted web': 2 },
    { 'failed BadDeviceToken': 1 },
    { clicked: 0 },
  ]
  assert.deepEqual(await look(), wanted)
  assert.equal(await hasChanges(database.queue), true)
  while ((await foldSeries(database, 100)) > 0);
  assert.deepEqual(await look(), wanted)
  assert.equal(await hasChanges(database.queue), false)
})

test('200 with the receipts of a single notification, by its id', async () => {
  const mine = await brand()
  const { brandId } = mine
  const [first = 0n] = await seedSubscriptions(database, { brandId, count: 2 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  const other = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await drain(database, {})
  for (const notificationId of [id, other]) {
    const receipt = deps.receipts.sign({ brandId, notificationId, subscriptionId: first }, Date.now())
    await call(port, { path: '/api/v1/receipts', body: { receipts: [{ receipt, kind: 'clicked' }] } })
  }
  const query = { by: 'minute', metric: 'clicked,received,goals', notification_id: id }
  assert.deepEqual(totalsIn(await askSeries(port, mine, query)), { clicked: 1, received: 0, goals: 0 })
  const strangers = totalsIn(await askSeries(port, await brand(), query))
  assert.deepEqual(strangers, { clicked: 0, received: 0, goals: 0 })
})

test('200 with events by name at the time they happened, in the zone that is asked for', async () => {
  const mine = await brand()
  const day = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS)
  const late = new Date(day.getTime() + 18.5 * 3_600_000)
  await logEntries(port, mine, [
    entryOf({ event_time: late.toISOString() }),
    entryOf({ event_time: late.toISOString(), event_name: 'signup' }),
    entryOf({ event_time: new Date(late.getTime() + 3_600_000).toISOString(), userID: 'u2' }),
  ])
  await catchUp(database, mine.brandId)
  const [from, to] = [day, new Date(day.getTime() + DAY_MS)].map((date) => date.toISOString().slice(0, 10))
  const ask = async (query: object) =>
    linesIn(await askSeries(port, mine, { metric: 'events', from: from ?? '', to: to ?? '', ...query }))
  assert.deepEqual((await ask({}))[0]?.counts, [3, 0])
  // 18:30 in London is 00:15 of the next day in Kathmandu.
  assert.deepEqual((await ask({ time_zone: 'Asia/Kathmandu' }))[0]?.counts, [0, 3])
  assert.deepEqual((await ask({ time_zone: '+05:15' }))[0]?.counts, [2, 1])
  assert.deepEqual(
    (await ask({ group: 'name' })).map(({ part, counts }) => [part, counts]),
    [
      ['order placed', [2, 0]],
      ['signup', [1, 0]],
    ],
  )
  const people = linesIn(
    await askSeries(port, mine, { metric: 'people_active', from: from ?? '', to: to ?? '' }),
  )
  assert.deepEqual([people[0]?.counts, people[0]?.is_estimated], [[2, 0], false])
  const elsewhere = await askSeries(port, mine, {
    metric: 'people_active',
    from: from ?? '',
    to: to ?? '',
    time_zone: 'Asia/Tokyo',
  })
  assert.equal(linesIn(elsewhere)[0]?.is_estimated, true)
  const hours = linesIn(
    await askSeries(port, mine, { metric: 'people_active', by: 'hour', from: from ?? '', to: from ?? '' }),
  )[0]
  assert.deepEqual([hours?.counts.slice(18, 20), hours?.is_estimated], [[1, 1], true])
})

test('200 with each person once a day, however their events came: together, again, late, or of a time long ago', async () => {
  const mine = await brand()
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const noon = (ago: number, minutes = 0): string =>
    new Date(today - ago * DAY_MS + DAY_MS / 2 + minutes * 60_000).toISOString()
  const rounds: readonly (readonly [string, string])[][] = [
    [
      ['u1', noon(2)],
      ['u2', noon(2)],
      ['u2', noon(2, 40)],
    ],
    [['u1', noon(2, 1)]],
    [
      ['u1', noon(100)],
      ['u2', noon(2, 20)],
      ['u3', noon(2)],
    ],
    [
      ['u1', noon(100, 3)],
      ['u1', noon(1)],
    ],
  ]
  for (const round of rounds) {
    const entries = round.map(([userID, event_time]) => entryOf({ userID, event_time }))
    assert.equal((await logEntries(port, mine, entries)).status, 200)
    await catchUp(database, mine.brandId)
  }
  const range = { from: noon(100).slice(0, 10), to: noon(1).slice(0, 10) }
  const [line] = linesIn(await askSeries(port, mine, { metric: 'people_active', ...range }))
  assert.deepEqual(line?.counts.slice(0, 2), [1, 0])
  assert.deepEqual(line?.counts.slice(-3), [0, 3, 1])
  const hourly = { metric: 'people_active', by: 'hour', from: noon(2), to: noon(2, 50) }
  assert.equal(linesIn(await askSeries(port, mine, hourly))[0]?.counts[0], 3)
})

test('200 with the live subscriptions at the end of each span, and people made, merged and erased', async () => {
  const mine = await users.mergingBrand()
  const { brandId } = mine
  await users.post(mine, 'create', { nv: [{ userID: 'ann' }, { userID: 'ben', email: 'b@x.example' }] })
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  const [gone = 0n] = await seedSubscriptions(database, { brandId, platform: 'web', userId: 'ben' })
  await database.query(`update subscriptions set state = 'unsubscribed' where brand_id = $1 and id = $2`, [
    brandId,
    gone,
  ])
  const ask = async (query: object) => linesIn(await askSeries(port, mine, { by: 'hour', ...query }))
  const levels = async () =>
    (await ask({ metric: 'subscriptions', group: 'platform' })).map(({ part, counts }) => [
      part,
      counts.at(-1),
    ])
  const wanted = [
    ['android', 2],
    ['ios', 0],
    ['web', 0],
  ]
  assert.deepEqual(await levels(), wanted)
  while ((await foldSeries(database, 100)) > 0);
  assert.deepEqual(await levels(), wanted)
  const before = (await ask({ metric: 'subscriptions' }))[0]?.counts ?? []
  assert.deepEqual([before[0], before.at(-1)], [0, 2])
  assert.equal((await ask({ metric: 'unsubscribed' }))[0]?.total, 1)
  assert.equal((await ask({ metric: 'people_new' }))[0]?.total, 2)
  await users.post(mine, 'create', { nv: [{ userID: 'ann', email: 'b@x.example' }] })
  assert.equal((await ask({ metric: 'people_new' }))[0]?.total, 1)
  await users.post(mine, 'delete', { nv: [{ userID: 'ann' }] })
  await catchUp(database, brandId)
  assert.equal((await ask({ metric: 'people_new' }))[0]?.total, 1)
  assert.equal((await ask({ metric: 'subscriptions' }))[0]?.counts.at(-1), 0)
})

test('200 with the days of two people whose merge is undone, those since the merge included', async () => {
  const mine = await users.mergingBrand()
  const { brandId } = mine
  // Longer before their last events than the quarter hours of people are kept.
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - 100 * DAY_MS
  const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS
  const did = async (userID: string, place: number): Promise<void> => {
    const event_time = new Date(monday + (place + 0.5) * DAY_MS).toISOString()
    await logEntries(port, mine, [entryOf({ userID, event_time })])
    await catchUp(database, brandId)
  }
  const range = {
    from: new Date(monday).toISOString().slice(0, 10),
    to: new Date(monday + 6 * DAY_MS).toISOString().slice(0, 10),
  }
  const active = async () =>
    linesIn(await askSeries(port, mine, { metric: 'people_active', ...range }))[0]?.counts
  await users.post(mine, 'create', { nv: [{ userID: 'old' }, { userID: 'new', email: 'n@x.example' }] })
  await logEntries(port, mine, [entryOf({ userID: 'old' }), entryOf({ userID: 'new' })])
  await did('old', 1)
  await did('new', 1)
  await did('new', 2)
  assert.deepEqual(await active(), [0, 2, 1, 0, 0, 0, 0])
  await users.post(mine, 'create', { nv: [{ userID: 'old', email: 'n@x.example' }] })
  await catchUp(database, brandId)
  await did('new', 0)
  await did('new', 6)
  assert.deepEqual(await active(), [1, 1, 1, 0, 0, 0, 1])
  assert.equal((await users.post(mine, 'unmerge', { userID: 'new' })).status, 200)
  assert.deepEqual(await active(), [1, 2, 1, 0, 0, 0, 1])
})

test('200 with zeros for every span, whole spans, and none in the future', async () => {
  const mine = await brand()
  const today = new Date().toISOString().slice(0, 10)
  const ahead = new Date(Date.now() + 40 * DAY_MS).toISOString()
  for (const [by, spans] of [
    ['minute', 60],
    ['hour', 48],
    ['day', 30],
    ['week', 13],
  ] as const) {
    const answer = await askSeries(port, mine, { metric: 'clicked', by })
    const found = linesIn(answer)[0]?.counts
    assert.ok(found !== undefined && Math.abs(found.length - spans) <= 1, `${by}: ${found?.length}`)
    assert.ok(found.every((count) => count === 0))
  }
  const cut = seriesIn(await askSeries(port, mine, { metric: 'clicked', from: today, to: ahead }))
  assert.deepEqual(cut['starts'], [`${today}T00:00:00+00:00`])
  const soon = new Date(Date.now() + DAY_MS).toISOString()
  const future = await askSeries(port, mine, { metric: 'clicked', from: soon, to: ahead })
  assert.deepEqual([future.status, future.body['code']], [400, 'field_invalid'])
})

test('400 for a metric, zone, range or part that cannot be', async () => {
  const mine = await brand()
  const old = new Date(Date.now() - (SERIES_LIMITS.keptDays + 1) * DAY_MS).toISOString()
  const bad: readonly [Readonly<Record<string, string>>, string][] = [
    [{ metric: 'opens' }, 'metric'],
    [{ metric: Object.keys(SERIES_METRICS).join(',') }, 'metric'],
    [{ metric: 'clicked', by: 'month' }, 'by'],
    [{ metric: 'clicked', notification_id: 'n-1' }, 'notification_id'],
    [{ metric: 'accepted', notification_id: randomUUID() }, 'metric'],
    [{ metric: 'clicked', notification_id: randomUUID(), group: 'platform' }, 'notification_id'],
    [{ metric: 'clicked', time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ metric: 'clicked', time_zone: '+05:20' }, 'time_zone'],
    [{ metric: 'clicked', from: 'yesterday' }, 'from'],
    [{ metric: 'clicked', from: '2026-02-02', to: '2026-02-01' }, 'to'],
    [{ metric: 'clicked', from: old }, 'from'],
    [{ metric: 'clicked', by: 'minute', from: new Date(Date.now() - 3 * DAY_MS).toISOString() }, 'from'],
    [{ metric: 'clicked', by: 'hour', from: new Date(Date.now() - 100 * DAY_MS).toISOString() }, 'from'],
    [{ metric: 'events', campaign_id: '1' }, 'campaign_id'],
    [{ metric: 'clicked', campaign_id: 'one' }, 'campaign_id'],
    [{ metric: 'people_active', group: 'platform' }, 'group'],
    [{ metric: 'people_active', by: 'minute' }, 'by'],
  ]
  for (const [query, field] of bad) {
    const { status, body } = await askSeries(port, mine, query)
    const [first]: readonly unknown[] = Array.isArray(body['errors']) ? body['errors'] : []
    assert.equal(status, 400, JSON.stringify([query, body]))
    assert.ok(JSON.stringify(first).includes(`"field":"${field}"`), JSON.stringify([query, body]))
  }
})

test('403 for a metric that the key has no scope for', async () => {
  const mine = await brand()
  const made = await call(port, {
    path: '/api/v1/brand/keys',
    headers: keyHeaders(mine),
    body: { kind: 'secret', scopes: ['push'], label: 'push only' },
  })
  const { key } = made.body
  assert.ok(isJsonObject(key), JSON.stringify(made.body))
  const headers = { ...keyHeaders(mine), 'x-api-key': String(key['api_key']) }
  const may = await call(port, { path: '/api/v1/series?metric=clicked', headers })
  assert.equal(may.status, 200)
  const mayNot = await call(port, { path: '/api/v1/series?metric=clicked,events', headers })
  assert.deepEqual([mayNot.status, mayNot.body['code']], [403, 'scope_missing'])
})
