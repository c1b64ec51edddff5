import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Draft } from '../../src/domain/push/notification.ts'
import { changePreferences } from '../../src/intake/preferences/preferences.ts'
import type { OptOutHolder } from '../../src/store/preferences/opt-outs.ts'
import { createTopic } from '../../src/store/preferences/topics.ts'
import { freshDatabase } from '../support/database/database.ts'
import { anyContent } from '../support/push/content.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const ALL = { kind: 'all' } as const
const HOUR = 3_600_000

/** A brand with the topic `offers`, and people with one device each; `ids` are the devices in the order of the people. */
async function place(people: readonly string[]) {
  const { brandId } = await brand()
  await database.asBrand(brandId, async (tx) =>
    createTopic(tx, { brandId, name: 'offers', title: 'Offers', description: '', now: Date.now() }),
  )
  const ids: bigint[] = []
  for (const userId of people) ids.push(...(await seedSubscriptions(database, { brandId, userId, count: 1 })))
  return { brandId, ids }
}

async function optOut(holder: OptOutHolder, wanted: readonly string[]): Promise<void> {
  const changed = await database.asBrand(holder.brandId, async (tx) =>
    changePreferences(tx, holder, { wanted, now: Date.now() }),
  )
  assert.ok(changed.ok && changed.value !== null)
}

const person = (brandId: number, userId: string): OptOutHolder => ({
  kind: 'person',
  brandId,
  who: { userId, email: null, mobile: null },
})

async function device(brandId: number, id: bigint | undefined): Promise<OptOutHolder> {
  const { rows } = await database.query<{ subscriptionId: string }>(
    'select subscription_id as "subscriptionId" from subscriptions where brand_id = $1 and id = $2',
    [brandId, id],
  )
  return { kind: 'device', brandId, subscriptionId: rows[0]?.subscriptionId ?? '' }
}

async function reasons(brandId: number, id: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ reason: string }>(
    `select state || ' ' || coalesce(reason, '') as reason from deliveries
     where brand_id = $1 and notification_id = $2 order by subscription_id`,
    [brandId, id],
  )
  return rows.map(({ reason }) => reason.trim())
}

type Asked = Partial<Omit<Draft, 'target'>> & {
  readonly target?: Draft['target'] | { kind: 'user'; userId: string }
}

const ask = async (brandId: number, asked: Asked = {}, now?: number): Promise<string> =>
  acceptNotification(database, {
    brandId,
    target: ALL,
    content: anyContent({ ttlSeconds: 72 * 3_600 }),
    ...asked,
    ...(now === undefined ? {} : { now }),
  })

test('an opt-out of a person stops all their devices, one of a device that device alone', async () => {
  const { brandId, ids } = await place(['ann', 'bob', 'cat'])
  ids.push(...(await seedSubscriptions(database, { brandId, userId: 'ann', count: 1 })))
  await optOut(person(brandId, 'ann'), ['offers'])
  await optOut(await device(brandId, ids[1]), ['offers'])
  const id = await ask(brandId, { topic: 'offers' })
  await drain(database)
  assert.deepEqual(await reasons(brandId, id), [
    'cancelled opted_out',
    'cancelled opted_out',
    'accepted',
    'cancelled opted_out',
  ])
  const found = await report(database, { brandId, id })
  assert.equal(found.state, 'sent')
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 4, accepted: 1, cancelled: 3 }))
})

test('everything stops topics, broadcasts and journeys; transactional and a send without a topic pass', async () => {
  const { brandId } = await place(['ann'])
  await optOut(person(brandId, 'ann'), ['*'])
  const user = { kind: 'user', userId: 'ann' } as const
  const rows = [
    { asked: { topic: 'offers' }, outcome: 'cancelled opted_out' },
    { asked: {}, outcome: 'cancelled opted_out' },
    { asked: { topic: 'transactional' }, outcome: 'accepted' },
    { asked: { target: user, topic: 'offers' }, outcome: 'cancelled opted_out' },
    { asked: { target: user, topic: 'transactional' }, outcome: 'accepted' },
    { asked: { target: user }, outcome: 'accepted' },
  ]
  for (const { asked, outcome } of rows) {
    const id = await ask(brandId, asked)
    await drain(database)
    assert.deepEqual(await reasons(brandId, id), [outcome], JSON.stringify(asked))
  }
})

test('an opt-out of one topic stops neither another topic nor a broadcast without one', async () => {
  const { brandId } = await place(['ann'])
  await optOut(person(brandId, 'ann'), ['offers'])
  for (const topic of [null, 'orders']) {
    const id = await ask(brandId, { topic })
    await drain(database)
    assert.deepEqual(await reasons(brandId, id), ['accepted'])
  }
})

test('an opt-out between two chunks of a broadcast holds from the second one on', async () => {
  const { brandId, ids } = await place(['ann', 'bob'])
  const id = await ask(brandId, { topic: 'offers', perSecond: 1 })
  await database.query('update chunks set ready_at = now() where brand_id = $1', [brandId])
  await planDue(database)
  // The chunks of a throttled notification are small: these two have one device each.
  await database.query(
    `with whole as (delete from chunks where brand_id = $1 returning *)
     insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at)
     select brand_id, platform, notification_id, device, device, 1, is_bulk, now(), expires_at
     from whole cross join unnest($2::bigint[]) as device`,
    [brandId, ids],
  )
  await database.query('update notifications set per_second = null where brand_id = $1', [brandId])
  const first = await claimOne(database)
  assert.ok(first !== null)
  const opened = await open(database, first)
  const [recipient] = opened?.recipients ?? []
  assert.ok(recipient !== undefined)
  await optOut(person(brandId, 'ann'), ['offers'])
  await optOut(person(brandId, 'bob'), ['offers'])
  await settle(database, first, [{ recipientId: recipient.id }])
  await drain(database)
  assert.deepEqual((await reasons(brandId, id)).toSorted(), ['accepted', 'cancelled opted_out'])
  assert.deepEqual(
    countsOf(await report(database, { brandId, id })),
    expectedCounts({ audience: 2, accepted: 1, cancelled: 1 }),
  )
})

test('an opt-out holds for a message that is tried again', async () => {
  const { brandId } = await place(['ann'])
  const id = await ask(brandId, { topic: 'offers' })
  await drain(database, {
    judge: (_, { attempt }) =>
      attempt === 1 ? { state: 'retrying', reason: 'busy', retryAt: Date.now() + HOUR } : {},
  })
  await optOut(person(brandId, 'ann'), ['offers'])
  await drain(database, { now: Date.now() + 2 * HOUR })
  assert.deepEqual(await reasons(brandId, id), ['cancelled opted_out'])
})

/** Sets the quiet hours of a brand, and the zones of its devices in their order. */
async function quieten(
  brandId: number,
  { inside, zones }: { readonly inside: 'later' | 'drop'; readonly zones: readonly (string | null)[] },
): Promise<void> {
  await database.query('update brands set quiet_hours = $2, time_zone = $3 where id = $1', [
    brandId,
    JSON.stringify({ from: '22:00', until: '08:00', inside }),
    'Europe/Berlin',
  ])
  await database.query(
    `update subscriptions as s set time_zone = given.zone
     from (select id, row_number() over (order by id) as place from subscriptions where brand_id = $1) as own
     join unnest($2::text[]) with ordinality as given (zone, place) on given.place = own.place
     where s.brand_id = $1 and s.id = own.id`,
    [brandId, zones],
  )
}

/** Tomorrow at 23:00 in Berlin: quiet there and for a device without a zone, early morning at +09:00, day in New York. */
const NIGHT = Temporal.Now.zonedDateTimeISO('Europe/Berlin').add({ days: 1 }).withPlainTime('23:00')
const zones = ['Europe/Berlin', 'America/New_York', null, '+09:00']
const people = ['ann', 'bob', 'cat', 'dan']

test('quiet hours hold by each person’s own clock; later is when they end there', async () => {
  const { brandId } = await place(people)
  await quieten(brandId, { inside: 'later', zones })
  const at = NIGHT.epochMilliseconds
  const id = await ask(brandId, { topic: 'offers' }, at)
  const first = await drain(database, { now: at })
  assert.equal(first.length, 1)
  assert.deepEqual(await reasons(brandId, id), [
    'retrying quiet_hours',
    'accepted',
    'retrying quiet_hours',
    'retrying quiet_hours',
  ])
  const { rows } = await database.query<{ at: number; devices: number }>(
    `select ready_at as at, cardinality(subscription_ids) as devices from chunks
     where brand_id = $1 order by ready_at`,
    [brandId],
  )
  const tokyo = NIGHT.withTimeZone('+09:00').withPlainTime('08:00').epochMilliseconds
  const berlin = NIGHT.add({ days: 1 }).withPlainTime('08:00').epochMilliseconds
  assert.deepEqual(rows, [
    { at: tokyo, devices: 1 },
    { at: berlin, devices: 2 },
  ])
  assert.equal((await drain(database, { now: tokyo })).length, 1)
  assert.equal((await drain(database, { now: berlin - 1 })).length, 0)
  assert.equal((await drain(database, { now: berlin })).length, 2)
  const found = await report(database, { brandId, id })
  assert.equal(found.state, 'sent')
  assert.deepEqual(countsOf(found), expectedCounts({ audience: 4, accepted: 4 }))
})

test('quiet hours drop what is to be dropped, and what would expire before they end', async () => {
  const at = NIGHT.epochMilliseconds
  for (const { inside, content } of [
    { inside: 'drop', content: anyContent({ ttlSeconds: 72 * 3_600 }) },
    { inside: 'later', content: anyContent({ ttlSeconds: 3_600 }) },
  ] as const) {
    const { brandId } = await place(['ann'])
    await quieten(brandId, { inside, zones: ['Europe/Berlin'] })
    const id = await ask(brandId, { topic: 'offers', content }, at)
    await drain(database, { now: at })
    assert.deepEqual(await reasons(brandId, id), ['cancelled quiet_hours'])
  }
})

test('quiet hours let transactional messages and broadcasts without a topic pass, and hold journeys and campaigns', async () => {
  const { brandId } = await place(['ann'])
  await quieten(brandId, { inside: 'drop', zones: ['Europe/Berlin'] })
  const at = NIGHT.epochMilliseconds
  const outcomeOf = async (asked: Asked, column: string | null): Promise<readonly string[]> => {
    const id = await ask(brandId, asked, at)
    if (column !== null)
      await database.query(`update notifications set ${column} = 7 where brand_id = $1 and id = $2`, [
        brandId,
        id,
      ])
    await drain(database, { now: at })
    return reasons(brandId, id)
  }
  assert.deepEqual(await outcomeOf({ topic: 'transactional' }, null), ['accepted'])
  assert.deepEqual(await outcomeOf({}, null), ['accepted'])
  for (const column of ['journey_id', 'campaign_id']) {
    assert.deepEqual(await outcomeOf({}, column), ['cancelled quiet_hours'])
    assert.deepEqual(await outcomeOf({ topic: 'transactional' }, column), ['accepted'])
  }
})

test('the frequency cap counts the day of each person’s own zone, and a send with a topic; transactional passes', async () => {
  const { brandId } = await place(['ann', 'bob'])
  await database.query(`update brands set frequency_cap = 1, time_zone = 'UTC' where id = $1`, [brandId])
  // At 23:30 UTC it is tomorrow in Berlin already, and after midnight it is a new day in UTC alone.
  await quieten(brandId, { inside: 'drop', zones: ['+02:00', 'UTC'] })
  await database.query('update brands set quiet_hours = null where id = $1', [brandId])
  const late = NIGHT.withTimeZone('UTC').withPlainTime('23:30').epochMilliseconds
  const sent = async (now: number, asked: Asked = {}): Promise<readonly string[]> => {
    const id = await ask(brandId, asked, now)
    await drain(database, { now })
    return reasons(brandId, id)
  }
  assert.deepEqual(await sent(late), ['accepted', 'accepted'])
  assert.deepEqual(await sent(late + HOUR), ['cancelled frequency_cap', 'accepted'])
  assert.deepEqual(await sent(late + HOUR, { topic: 'transactional' }), ['accepted', 'accepted'])
  const user = { kind: 'user', userId: 'bob' } as const
  assert.deepEqual(await sent(late + HOUR, { target: user, topic: 'offers' }), ['cancelled frequency_cap'])
  assert.deepEqual(await sent(late + HOUR, { target: user }), ['accepted'])
})

/** The facts that `explain` will tell about the messages that were kept back. */
async function seen(brandId: number, id: string): Promise<readonly unknown[]> {
  const { rows } = await database.query<{ seen: unknown }>(
    'select seen from deliveries where brand_id = $1 and notification_id = $2 order by subscription_id',
    [brandId, id],
  )
  return rows.map((row) => row.seen)
}

test('the quiet hours and the cap that kept a message back are remembered as they were then', async () => {
  const { brandId } = await place(['ann', 'bob'])
  await quieten(brandId, { inside: 'drop', zones: ['Europe/Berlin', 'America/New_York'] })
  await optOut(person(brandId, 'bob'), ['offers'])
  const at = NIGHT.epochMilliseconds
  const id = await ask(brandId, { topic: 'offers' }, at)
  await drain(database, { now: at })
  const { rows } = await database.query<{ quietHours: unknown }>(
    'select quiet_hours as "quietHours" from brands where id = $1',
    [brandId],
  )
  assert.deepEqual(await seen(brandId, id), [
    { quietHours: rows[0]?.quietHours, zone: 'Europe/Berlin' },
    null,
  ])
  await database.query(`update brands set quiet_hours = null, frequency_cap = 1 where id = $1`, [brandId])
  for (const now of [at, at + 1]) {
    const capped = await ask(brandId, { topic: 'offers' }, now)
    await drain(database, { now })
    if (now > at)
      assert.deepEqual(await seen(brandId, capped), [{ cap: 1, day: NIGHT.toPlainDate().toString() }, null])
  }
})

test('a message that something else kept back does not count under the cap', async () => {
  const { brandId } = await place(['ann'])
  await database.query(`update brands set frequency_cap = 1, time_zone = 'UTC' where id = $1`, [brandId])
  await optOut(person(brandId, 'ann'), ['offers'])
  const at = NIGHT.epochMilliseconds
  const send = async (now: number): Promise<readonly string[]> => {
    const id = await ask(brandId, { topic: 'offers' }, now)
    await drain(database, { now })
    return reasons(brandId, id)
  }
  const [stopped = ''] = await send(at)
  assert.match(stopped, /^cancelled /)
  await optOut(person(brandId, 'ann'), [])
  assert.deepEqual(await send(at + 1), ['accepted'])
  assert.deepEqual(await send(at + 2), ['cancelled frequency_cap'])
})
