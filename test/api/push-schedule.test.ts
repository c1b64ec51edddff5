import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { idIn, notificationIn, push } from '../support/push/calls.ts'
import { drain, planDue } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

/** Just before the clocks of Berlin go forward, in the night to 29 March 2026. */
const NOW = Date.parse('2026-03-28T12:00:00Z')
const { port, deps, brand, close } = await startServer({ clock: { now: () => NOW } })
after(close)
const { database } = deps

const mine = await brand()
const { brandId } = mine
await seedSubscriptions(database, { brandId, userId: 'ann' })

async function schedule(body: object) {
  return push(port, mine, { body: { user_id: 'ann', ...body } })
}

async function stateOf(id: string) {
  const answer = await call(port, { path: `/api/v1/notifications/${id}`, headers: keyHeaders(mine) })
  return notificationIn(answer)
}

for (const [what, body, sendAt] of [
  ['a number of seconds', { time: 90 }, '2026-03-28T12:01:30.000Z'],
  ['seconds as text', { time: '90' }, '2026-03-28T12:01:30.000Z'],
  ['a date and a time', { schedule_date: '2026-03-29', schedule_time: '09:30' }, '2026-03-29T09:30:00.000Z'],
  [
    'the contract’s other spelling',
    { schedule_date: '2026-03-29', Schedule_time: '09:30:15' },
    '2026-03-29T09:30:15.000Z',
  ],
  [
    'hours',
    { schedule_date: '2026-03-29', schedule_time: '09:30', time_zone: '5.5' },
    '2026-03-29T04:00:00.000Z',
  ],
  [
    'an offset',
    { schedule_date: '2026-03-29', schedule_time: '09:30', time_zone: '-0300' },
    '2026-03-29T12:30:00.000Z',
  ],
  [
    'an IANA name',
    { schedule_date: '2026-03-30', schedule_time: '09:30', time_zone: 'Europe/Berlin' },
    '2026-03-30T07:30:00.000Z',
  ],
  [
    'a skipped hour',
    { schedule_date: '2026-03-29', schedule_time: '02:30', time_zone: 'Europe/Berlin' },
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'a repeated hour',
    { schedule_date: '2026-10-25', schedule_time: '02:30', time_zone: 'Europe/Berlin' },
    '2026-10-25T00:30:00.000Z',
  ],
] as const)
  test(`200 with the schedule as ${what}`, async () => {
    const answer = await schedule(body)
    assert.equal(answer.status, 200, answer.text)
    const { state, send_at, audience } = notificationIn(answer)
    assert.deepEqual([state, send_at, audience], ['scheduled', sendAt, null])
  })

test('200 and sent now for a schedule at most a minute ago, and for a delay of 0', async () => {
  for (const body of [{ schedule_date: '2026-03-28', schedule_time: '11:59' }, { time: 0 }]) {
    const { state, send_at } = notificationIn(await schedule(body))
    assert.deepEqual([state, send_at], ['queued', '2026-03-28T12:00:00.000Z'])
  }
})

for (const [body, code] of [
  [{ schedule_date: '2026-03-28', schedule_time: '11:58:59' }, 'schedule_in_past'],
  [{ schedule_date: '2027-04-28', schedule_time: '12:00' }, 'schedule_too_far'],
  [{ schedule_date: '2026-03-29' }, 'field_missing'],
  [{ time: 5, schedule_date: '2026-03-29', schedule_time: '12:00' }, 'field_conflict'],
  [{ time: -1 }, 'field_out_of_range'],
  [{ time: 31_536_001 }, 'field_out_of_range'],
  [{ schedule_date: '2026-02-30', schedule_time: '12:00' }, 'field_invalid'],
  [{ schedule_date: '2026-03-29', schedule_time: '12:00', time_zone: 'Mars/Olympus' }, 'field_invalid'],
] as const)
  test(`400 ${code} for ${JSON.stringify(body)}`, async () => {
    const answer = await schedule(body)
    assert.deepEqual([answer.status, answer.body['code']], [400, code], answer.text)
  })

test('400 for a delay that is not whole, or beyond all numbers', async () => {
  for (const time of [1.5, '1.5', 'soon', '1e3', '-1', 1e300, '9'.repeat(30), null, []]) {
    const answer = await schedule({ time })
    assert.equal(answer.status, time === null ? 200 : 400, String(time))
  }
})

test('a schedule is released at its time and not a millisecond before, to the devices of that time', async () => {
  const id = idIn(await schedule({ time: 100 }))
  const sendAt = NOW + 100_000
  await planDue(database, sendAt - 1)
  assert.equal((await stateOf(id))['state'], 'scheduled')
  await seedSubscriptions(database, { brandId, userId: 'ann', subscriptionId: 'new-phone' })
  await planDue(database, sendAt)
  const released = await stateOf(id)
  assert.deepEqual([released['state'], released['audience']], ['queued', 2])
  const drained = await drain(database, { now: sendAt })
  assert.ok(drained.some(({ recipient }) => recipient.subscriptionId === 'new-phone'))
  assert.equal((await stateOf(id))['state'], 'sent')
})

test('what became due while nobody planned goes out once; what expired meanwhile has failed', async () => {
  const late = idIn(await schedule({ time: 1_000, ttl_seconds: 86_400 }))
  const tooLate = idIn(await schedule({ time: 1_000, ttl_seconds: 60 }))
  const now = NOW + 7_200_000
  const drained = await drain(database, { now })
  assert.ok(drained.length > 0)
  assert.equal((await drain(database, { now })).length, 0)
  assert.equal((await stateOf(late))['state'], 'sent')
  const failed = await stateOf(tooLate)
  assert.deepEqual([failed['state'], failed['reason']], ['failed', 'expired'])
  assert.equal(failed['expired'], failed['audience'])
})

test('with time_zone subscriber each zone gets it at its own time, once, and the sum is right all along', async () => {
  const everywhere = await brand()
  const { brandId: id } = everywhere
  for (const timeZone of ['Pacific/Kiritimati', 'Asia/Tokyo', 'Europe/Berlin', 'America/New_York'])
    await seedSubscriptions(database, { brandId: id, timeZone, count: 3 })
  // Nobody knows where they are: they get it by the brand's clock, which is UTC.
  const nowhere = new Set(await seedSubscriptions(database, { brandId: id, count: 2 }))
  const body = { schedule_date: '2026-03-30', schedule_time: '09:00', time_zone: 'subscriber' }
  const answer = await push(port, everywhere, { mode: 'all', body })
  const { state, send_at, audience } = notificationIn(answer)
  assert.deepEqual([state, send_at, audience], ['scheduled', '2026-03-29T19:00:00.000Z', null])

  const arrivals: string[] = []
  for (
    let now = Date.parse('2026-03-29T18:00:00Z');
    now <= Date.parse('2026-03-30T22:00:00Z');
    now += 900_000
  ) {
    for (const { recipient } of await drain(database, { now }))
      if (recipient.timeZone !== null || nowhere.has(recipient.id))
        arrivals.push(`${new Date(now).toISOString()} ${recipient.timeZone}`)
    if (now === Date.parse('2026-03-30T08:00:00Z'))
      await seedSubscriptions(database, { brandId: id, timeZone: 'America/Sao_Paulo' })
  }
  const counted = new Map<string, number>()
  for (const arrival of arrivals) counted.set(arrival, (counted.get(arrival) ?? 0) + 1)
  assert.deepEqual(
    [...counted],
    [
      ['2026-03-29T19:00:00.000Z Pacific/Kiritimati', 3],
      ['2026-03-30T00:00:00.000Z Asia/Tokyo', 3],
      ['2026-03-30T07:00:00.000Z Europe/Berlin', 3],
      ['2026-03-30T09:00:00.000Z null', 2],
      ['2026-03-30T12:00:00.000Z America/Sao_Paulo', 1],
      ['2026-03-30T13:00:00.000Z America/New_York', 3],
    ],
  )
  const path = `/api/v1/notifications/${idIn(answer)}`
  const report = notificationIn(await call(port, { path, headers: keyHeaders(everywhere) }))
  assert.deepEqual([report['state'], report['audience'], report['accepted']], ['sent', 15, 15])
})

test('a send on the subscriber’s clock reaches each of their devices at its own time, and nobody else', async () => {
  const one = await brand()
  await seedSubscriptions(database, { brandId: one.brandId, userId: 'eve', timeZone: 'Asia/Tokyo' })
  await seedSubscriptions(database, { brandId: one.brandId, userId: 'eve', timeZone: 'Europe/Berlin' })
  await seedSubscriptions(database, { brandId: one.brandId, userId: 'other', timeZone: 'Europe/Berlin' })
  const body = {
    user_id: 'eve',
    schedule_date: '2026-03-30',
    schedule_time: '09:00',
    time_zone: 'subscriber',
  }
  const id = idIn(await push(port, one, { body }))
  const tokyo = await drain(database, { now: Date.parse('2026-03-30T00:00:00Z') })
  assert.deepEqual(
    tokyo.map(({ recipient }) => recipient.timeZone),
    ['Asia/Tokyo'],
  )
  const rest = await drain(database, { now: Date.parse('2026-03-30T21:00:00Z') })
  assert.deepEqual(
    rest.map(({ recipient }) => recipient.timeZone),
    ['Europe/Berlin'],
  )
  const report = await call(port, { path: `/api/v1/notifications/${id}`, headers: keyHeaders(one) })
  assert.deepEqual([notificationIn(report)['state'], notificationIn(report)['audience']], ['sent', 2])
})
