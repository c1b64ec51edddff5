import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { cancelNotification, lockNotification } from '../../src/store/push/cancel.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk } from '../../src/store/push/chunks.ts'
import { openChunks } from '../../src/store/push/open-chunks.ts'
import { settleChunks } from '../../src/store/push/settle.ts'
import type { RecipientOutcome } from '../../src/store/push/settlement.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { drain, planDue } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const ACCEPTED = {
  state: 'accepted',
  reason: null,
  retryAt: null,
  unknowns: 0,
  language: null,
  variant: null,
} as const

/** A person of a new brand, with devices, and a notification to them. */
async function single({ devices = 1 }: { readonly devices?: number } = {}) {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, userId: 'ann', count: devices })
  const target = { kind: 'user', userId: 'ann' } as const
  const id = await acceptNotification(database, { brandId, target })
  return { brandId, ids, id }
}

/** One claim of all that is ready, in the order of the notifications. */
async function claimAll(notifications: readonly { readonly id: string }[]): Promise<readonly ClaimedChunk[]> {
  const chunks = await claimChunks(database, { workerId: 'w', count: 100, leaseMs: 60_000, sizes: 'any' })
  return notifications.map(({ id }) => {
    const chunk = chunks.find(({ notificationId }) => notificationId === id)
    assert.ok(chunk !== undefined)
    return chunk
  })
}

function accepted(ids: readonly bigint[]): readonly RecipientOutcome[] {
  return ids.map((recipientId) => ({ recipientId, ...ACCEPTED }))
}

async function counts({ brandId, id }: { readonly brandId: number; readonly id: string }) {
  const found = await report(database, { brandId, id })
  return { state: found.state, ...countsOf(found) }
}

test('chunks of several brands are opened at once, each with its own recipients', async () => {
  const singles = [await single(), await single({ devices: 3 }), await single()]
  const chunks = await claimAll(singles)
  const [lost] = chunks
  assert.ok(lost !== undefined)
  await reclaimChunk(database, lost, { leaseMs: 60_000 })
  const opened = await database.asQueue(async (tx) => openChunks(tx, chunks.toReversed()))
  assert.deepEqual(
    opened.toReversed().map((chunk) => chunk?.recipients.map(({ id }) => id) ?? null),
    [null, singles[1]?.ids, singles[2]?.ids],
  )
  await drain(database, { now: Date.now() + 120_000 })
})

test('an opening writes nothing and locks nothing; the first outcome makes a notification sending', async () => {
  const two = await single({ devices: 2 })
  const one = await single()
  const chunks = await claimAll([two, one])
  const [ofTwo, ofOne] = chunks
  assert.ok(ofTwo && ofOne)
  const before = await versions()
  await database.asQueue(async (tx) => openChunks(tx, chunks))
  assert.deepEqual(await versions(), before)

  const [first = 0n, second = 0n] = two.ids
  await settleChunks(database.queue, [{ chunk: ofTwo, outcomes: [], textsCut: 0 }])
  assert.equal((await counts(two)).state, 'queued', 'nothing has an outcome yet')
  await settleChunks(database.queue, [{ chunk: ofTwo, outcomes: accepted([first]), textsCut: 0 }])
  assert.equal((await counts(two)).state, 'sending')
  const retrying = { ...ACCEPTED, state: 'retrying', reason: 'busy', retryAt: Date.now() } as const
  const outcomes = one.ids.map((recipientId) => ({ recipientId, ...retrying }))
  await settleChunks(database.queue, [
    { chunk: ofTwo, outcomes: accepted([second]), textsCut: 0 },
    { chunk: ofOne, outcomes, textsCut: 0 },
  ])
  assert.deepEqual([(await counts(two)).state, (await counts(one)).state], ['sent', 'sending'])
  await drain(database, { now: Date.now() + 120_000 })
})

/** The version of every chunk and notification: a write and a lock change it. */
async function versions(): Promise<unknown> {
  const { rows } = await database.query(
    `select tableoid::regclass::text, ctid::text, xmin::text, xmax::text from chunks
     union all select tableoid::regclass::text, ctid::text, xmin::text, xmax::text from notifications order by 1, 2`,
  )
  return rows
}

test('an opening that loses its claim meanwhile corrects no audience', async () => {
  const notification = await single()
  const chunks = await claimAll([notification])
  const { brandId, ids } = notification
  await database.query('delete from subscriptions where brand_id = $1 and id = any($2)', [brandId, ids])
  const opening = Promise.withResolvers<unknown>()
  await database.asEngine(async (tx) => {
    await tx.query('update chunks set claims = claims + 1 where brand_id = $1', [brandId])
    opening.resolve(database.asQueue(async (queue) => openChunks(queue, chunks)))
    await until(async () => (await database.query(WAITING)).count > 0, { what: 'the correction to wait' })
  })
  await opening.promise
  assert.deepEqual(await counts(notification), {
    state: 'queued',
    ...expectedCounts({ audience: 1, pending: 1 }),
  })
  const { count } = await database.query('select from chunks where brand_id = $1', [brandId])
  assert.equal(count, 1)
  await drain(database, { now: Date.now() + 120_000 })
})

const WAITING = `select from pg_locks as waiting where not granted and exists (
  select from pg_locks as here where here.pid = waiting.pid and here.relation = 'chunks'::regclass
    and here.database = (select oid from pg_database where datname = current_database()))`

test('one settlement of many chunks tells each claim apart and keeps every count', async () => {
  const singles = [await single(), await single(), await single({ devices: 2 }), await single({ devices: 2 })]
  const chunks = await claimAll(singles)
  const [sent, lost, cancelled, retried] = chunks
  const [, , toCancel, toRetry] = singles
  assert.ok(sent && lost && cancelled && retried && toCancel && toRetry)
  await database.asQueue(async (tx) => openChunks(tx, chunks))
  await reclaimChunk(database, lost, { leaseMs: 60_000 })
  await database.asBrand(toCancel.brandId, async (tx) => {
    await lockNotification(tx, toCancel)
    await cancelNotification(tx, toCancel)
  })
  const retryAt = Date.now() + 60_000
  const [first = 0n, second = 0n] = toRetry.ids
  const states = await settleChunks(database.queue, [
    {
      chunk: retried,
      outcomes: [
        ...accepted([first]),
        {
          recipientId: second,
          state: 'retrying',
          reason: 'busy',
          retryAt,
          unknowns: 1,
          language: null,
          variant: null,
        },
      ],
      textsCut: 2,
    },
    { chunk: cancelled, outcomes: accepted(toCancel.ids.slice(1)), textsCut: 0 },
    { chunk: lost, outcomes: accepted(singles[1]?.ids ?? []), textsCut: 0 },
    { chunk: sent, outcomes: accepted(singles[0]?.ids ?? []), textsCut: 0 },
  ])
  assert.deepEqual(states, ['claimed', 'cancelled', 'lost', 'claimed'])
  assert.deepEqual(await Promise.all(singles.map(counts)), [
    { state: 'sent', ...expectedCounts({ audience: 1, accepted: 1 }) },
    { state: 'queued', ...expectedCounts({ audience: 1, pending: 1 }) },
    { state: 'cancelled', ...expectedCounts({ audience: 2, accepted: 1, pending: 1 }) },
    { state: 'sending', ...expectedCounts({ audience: 2, accepted: 1, pending: 1 }) },
  ])
  const { rows } = await database.query<{ attempt: number; remaining: number }>(
    'select attempt, remaining from chunks where notification_id = $1',
    [toRetry.id],
  )
  assert.deepEqual(
    rows.map(({ attempt, remaining }) => [attempt, remaining]),
    [[2, 1]],
  )
  await drain(database, { now: Date.now() + 120_000 })
})

test('several chunks of one notification may be opened and settled at once', async () => {
  const { brandId } = await brand()
  await seedSubscriptions(database, { brandId, count: 25 })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' }, perSecond: 2 })
  await planDue(database)
  const claim = {
    workerId: 'w',
    count: 100,
    leaseMs: 60_000,
    sizes: 'any',
    now: Date.now() + 60_000,
  } as const
  const chunks = await claimChunks(database, claim)
  const opened = await database.asQueue(async (tx) => openChunks(tx, chunks))
  assert.ok(opened.length > 1)
  const settlements = chunks.map((chunk, index) => {
    const outcomes = accepted(opened[index]?.recipients.map((recipient) => recipient.id) ?? [])
    return { chunk, outcomes, textsCut: 1 }
  })
  const states = await settleChunks(database.queue, settlements)
  assert.ok(states.every((state) => state === 'claimed'))
  assert.deepEqual(await counts({ brandId, id }), {
    state: 'sent',
    ...expectedCounts({ audience: 25, accepted: 25 }),
  })
})

test('a claim that was planned on an empty table reads a few rows for each chunk of a full one', async () => {
  const { brandId } = await brand()
  const claim = { workerId: 'w', count: 100, leaseMs: 60_000, sizes: 'any' } as const
  const read = await database.asEngine(async (tx) => {
    for (let turn = 0; turn < 10; turn += 1) await claimChunks(tx, claim)
    await tx.query(
      `insert into chunks (brand_id, platform, notification_id, first_id, last_id, remaining, is_bulk, ready_at, expires_at)
       select $1, 'android', gen_random_uuid(), n, n, 1, false, now(), now() + interval '1 hour'
       from generate_series(1, 2000) as n`,
      [brandId],
    )
    const readBefore = await rowsRead(tx, 'chunks')
    assert.equal((await claimChunks(tx, claim)).length, 100)
    const readAfter = await rowsRead(tx, 'chunks')
    await tx.query('delete from chunks where brand_id = $1', [brandId])
    return readAfter - readBefore
  })
  assert.ok(read < 2_000, `${read} rows were read`)
})

test('people who reach the cap within one opening are left out, and nobody else is', async () => {
  const { brandId } = await brand()
  await withOwner(url, async (owner) =>
    owner.query('update brands set frequency_cap = 2 where id = $1', [brandId]),
  )
  const [ann = 0n] = await seedSubscriptions(database, { brandId, userId: 'ann' })
  const [bob = 0n] = await seedSubscriptions(database, { brandId, userId: 'bob' })
  const made: string[] = []
  for (const subscription of [ann, ann, ann, bob]) made.push(await capped(brandId, subscription))
  await planDue(database)
  const chunks = await claimAll(made.map((id) => ({ id })))
  const opened = await database.asQueue(async (tx) => openChunks(tx, chunks))
  const reached = opened.flatMap((chunk) => chunk?.recipients.map(({ id }) => id) ?? [])
  assert.deepEqual(reached.map(String).toSorted(), [ann, ann, bob].map(String).toSorted())
  const states = await Promise.all(made.map(async (id) => counts({ brandId, id })))
  assert.equal(states.filter(({ cancelled }) => cancelled === 1).length, 1)
  assert.deepEqual(
    states.map(({ pending, cancelled }) => pending + cancelled),
    [1, 1, 1, 1],
  )
  await drain(database, { now: Date.now() + 120_000 })
})

/** A notification to the person of a device that the brand's frequency cap counts, as a journey asks for it. */
async function capped(brandId: number, subscription: bigint): Promise<string> {
  const { rows } = await database.query<{ profileId: bigint }>(
    'select profile_id as "profileId" from subscriptions where brand_id = $1 and id = $2',
    [brandId, subscription],
  )
  const target = { kind: 'person', profileId: rows[0]?.profileId ?? 0n } as const
  return acceptNotification(database, { brandId, target })
}
