import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { findFollowUps, raiseFences } from '../../src/store/people/follow-ups.ts'
import { packAccepted } from '../../src/store/push/accepted-blocks.ts'
import { type ClaimedChunk, claimChunks } from '../../src/store/push/chunks.ts'
import { listDeliveries } from '../../src/store/push/notification-reads.ts'
import { settleChunks } from '../../src/store/push/settle.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'
import { planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

/** A broadcast to a brand of its own, with its claimed chunks. */
async function broadcast(count: number) {
  const { brandId } = await brand()
  const ids = await seedSubscriptions(database, { brandId, count })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const claimed = await claimChunks(database, { workerId: 'w', count: 100, leaseMs: 60_000, sizes: 'any' })
  const chunks = claimed
    .filter((chunk) => chunk.brandId === brandId)
    .toSorted((one, other) => Number(one.id - other.id))
  const chunk = chunks[0]
  assert.ok(chunk !== undefined)
  return { brandId, ids, id, chunk, chunks }
}

async function stored(
  brandId: number,
): Promise<{ readonly rows: number; readonly bits: number; readonly blocks: number }> {
  const { rows } = await database.query<{ rows: number; bits: number; blocks: number }>(
    `select (select count(*)::integer from deliveries where brand_id = $1) as rows,
       coalesce(sum(bit_count(bits)), 0)::integer as bits, count(*)::integer as blocks
     from accepted_blocks where brand_id = $1`,
    [brandId],
  )
  const [found] = rows
  assert.ok(found !== undefined)
  return found
}

async function accept(chunk: ClaimedChunk, ids: readonly bigint[]): Promise<void> {
  await settle(
    database,
    chunk,
    ids.map((recipientId) => ({ recipientId })),
  )
}

test('a settlement of 1000 accepted recipients of a broadcast writes no row of deliveries', async () => {
  const { brandId, ids, id, chunk } = await broadcast(1_000)
  await accept(chunk, ids)
  const { rows, bits, blocks } = await stored(brandId)
  assert.deepEqual([rows, bits], [0, 1_000])
  assert.ok(blocks <= 2, `${blocks} blocks`)
  const found = countsOf(await report(database, { brandId, id }))
  assert.deepEqual(found, expectedCounts({ audience: 1_000, accepted: 1_000 }))
})

test('the instant of a bit is that of its settlement, in lists and for a device', async () => {
  const { brandId, ids, id, chunk } = await broadcast(120)
  const clock = async (): Promise<number> => {
    const { rows } = await database.query<{ at: number }>('select clock_timestamp() as at')
    return rows[0]?.at ?? Number.NaN
  }
  const settled = []
  for (const part of [ids.slice(0, 60), ids.slice(60)]) {
    const from = await clock()
    await accept(chunk, part)
    settled.push({ part, from, to: await clock() })
  }
  assert.equal((await stored(brandId)).bits, 120)
  const listed = await listDeliveries(database, { brandId, id, state: null, afterId: 0n, limit: 200 })
  const { rows } = await database.query<{ id: bigint; at: number }>(
    'select subscription_id as id, at from all_deliveries where brand_id = $1',
    [brandId],
  )
  for (const read of [listed, rows]) {
    const instants = new Map(read.map((one) => [one.id, one.at]))
    assert.equal(instants.size, 120)
    for (const { part, from, to } of settled) {
      const [at = Number.NaN, ...others] = new Set(part.map((one) => instants.get(one)))
      assert.ok(others.length === 0 && from <= at && at <= to, `${from} ${at} ${to}`)
    }
  }
})

test('an erasure waits for the chunk that a worker has in flight, so that it clears the bit of the device', async () => {
  const { brandId, ids, chunk } = await broadcast(120)
  const [erased = 0n] = ids
  await database.query('delete from subscriptions where brand_id = $1 and id = $2', [brandId, erased])
  await ask(brandId, erased)
  assert.equal(await isFollowed(brandId), false)
  await accept(chunk, ids)
  assert.equal((await stored(brandId)).bits, 120)
  await until(async () => isFollowed(brandId), { what: 'the erasure to be followed' })
  assert.ok(await database.asEngine(async (tx) => eraseTraces(tx, { brandId, profileId: 7n }, 100)))
  assert.equal((await stored(brandId)).bits, 119)
})

test('an erasure waits for no chunk of other devices, and not for a worker that is gone', async () => {
  const [other, gone] = [await broadcast(120), await broadcast(120)]
  await ask(other.brandId, (other.ids.at(-1) ?? 0n) + 1_000_000n)
  await until(async () => isFollowed(other.brandId), { what: 'the erasure to be followed' })
  await ask(gone.brandId, gone.ids[0] ?? 0n)
  assert.equal(await isFollowed(gone.brandId), false)
  await database.query(
    `update chunks set leased_until = clock_timestamp() - interval '2 hours' where brand_id = $1`,
    [gone.brandId],
  )
  await until(async () => isFollowed(gone.brandId), { what: 'the other erasure to be followed' })
})

/** Asks for the erasure of a person with a device. */
async function ask(brandId: number, device: bigint): Promise<void> {
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, 7, now(), '{}', array[$2::bigint], '{}')`,
    [brandId, device],
  )
  await database.asEngine(async (tx) => raiseFences(tx, brandId))
}

async function isFollowed(brandId: number): Promise<boolean> {
  return (await findFollowUps(database, 1_000)).includes(brandId)
}

test('an outcome that is more than accepted stays a row, and so does what a later attempt brings', async () => {
  const { brandId, ids, id, chunk } = await broadcast(120)
  const [failed = 0n, retried = 0n, ...others] = ids
  await settle(database, chunk, [
    { recipientId: failed, state: 'failed', reason: 'bad' },
    { recipientId: retried, state: 'retrying', reason: 'busy', retryAt: Date.now() - 1_000 },
    ...others.map((recipientId) => ({ recipientId })),
  ])
  assert.deepEqual(await stored(brandId), { rows: 2, bits: 118, blocks: (await stored(brandId)).blocks })
  const [again] = await claimChunks(database, { workerId: 'w', count: 1, leaseMs: 60_000, sizes: 'any' })
  assert.ok(again !== undefined && again.attempt === 2)
  await accept(again, [retried])
  const found = countsOf(await report(database, { brandId, id }))
  assert.deepEqual(found, expectedCounts({ audience: 120, accepted: 119, failed: 1 }))
  assert.equal((await stored(brandId)).rows, 2)
})

test('a large broadcast by zones has rows, because a recipient who changes the zone has two outcomes', async () => {
  const { brandId, ids, id, chunk } = await broadcast(120)
  await database.query(`update chunks set zone = 'UTC' where brand_id = $1`, [brandId])
  // The chunk of another zone had the first recipient too, who was counted twice.
  await database.query(
    `with tried as (
       insert into deliveries (brand_id, notification_id, subscription_id, state, reason, attempt, at)
       values ($1, $2, $3, 'failed', 'bad', 1, now()) returning brand_id, notification_id
     )
     update notifications as n set audience = audience + 1, failed = 1 from tried
     where n.brand_id = tried.brand_id and n.id = tried.notification_id`,
    [brandId, id, ids[0]],
  )
  await accept(chunk, ids)
  assert.deepEqual(await stored(brandId), { rows: 120, bits: 0, blocks: 0 })
  const found = countsOf(await report(database, { brandId, id }))
  assert.deepEqual(found, expectedCounts({ audience: 120, accepted: 119, failed: 1 }))
})

test('accepted recipients of several chunks are settled together: a lost claim writes nothing, rows and bits do not mix', async () => {
  const [first, zoned, lost] = [await broadcast(120), await broadcast(120), await broadcast(120)]
  await database.query(`update chunks set zone = 'UTC' where brand_id = $1`, [zoned.brandId])
  const settlementOf = ({ chunk, ids }: typeof first) => ({
    chunk,
    outcomes: ids.map((recipientId) => ({ ...ACCEPTED, recipientId })),
    textsCut: 0,
  })
  const all = [first, zoned, { ...lost, chunk: { ...lost.chunk, claims: 99 } }].map(settlementOf)
  assert.deepEqual(await settleChunks(database.queue, all), ['claimed', 'claimed', 'lost'])
  // Nothing is left of the first two, so that the same settlement again finds no claim.
  assert.deepEqual(await settleChunks(database.queue, all), ['lost', 'lost', 'lost'])
  const found = []
  for (const { brandId, id } of [first, zoned, lost]) {
    const { rows, bits } = await stored(brandId)
    found.push([rows, bits, (await report(database, { brandId, id })).accepted])
  }
  assert.deepEqual(found, [
    [0, 120, 120],
    [120, 0, 120],
    [0, 0, 0],
  ])
})

const ACCEPTED = {
  state: 'accepted',
  reason: null,
  retryAt: null,
  unknowns: 0,
  language: null,
  variant: null,
} as const

test('after an upgrade bits are written when the release before is gone', async () => {
  const { brandId, ids, chunk } = await broadcast(120)
  await withOwner(url, async (owner) => {
    await owner.query(`update schema_migrations set applied_at = now() - interval '1 day' where version = 1`)
    // The database may be a copy of one that was made hours ago.
    await owner.query('update schema_migrations set applied_at = now() where version = 6')
    await accept(chunk, ids.slice(0, 60))
    assert.deepEqual(await stored(brandId), { rows: 60, bits: 0, blocks: 0 })
    await owner.query(
      `update schema_migrations set applied_at = now() - interval '2 hours' where version = 6`,
    )
    await accept(chunk, ids.slice(60))
    assert.equal((await stored(brandId)).bits, 60)
  })
})

test('every bit of a broadcast is told to an endpoint that wants accepted deliveries', async () => {
  const { brandId, ids, chunk } = await broadcast(101)
  await withOwner(url, async (owner) => {
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into webhook_endpoints (brand_id, id, url, event_types, created_at, updated_at)
       values ($1, gen_random_uuid(), 'https://hooks.example/', '{delivery.accepted}', now(), now())`,
      [brandId],
    )
  })
  await accept(chunk, ids)
  const { rows } = await database.query<{ told: number }>(
    `select count(distinct data ->> 'subscription_id')::integer as told from webhook_messages
     where brand_id = $1 and data ->> 'state' = 'accepted'`,
    [brandId],
  )
  assert.deepEqual(rows, [{ told: 101 }])
})

test('a page of the list unpacks the blocks that it shows, and no more', async () => {
  const { brandId, ids, id, chunks } = await broadcast(5_000)
  for (const chunk of chunks) {
    const own = await database.query<{ first: bigint; last: bigint }>(
      'select first_id as first, last_id as last from chunks where brand_id = $1 and id = $2',
      [brandId, chunk.id],
    )
    const [range] = own.rows
    assert.ok(range !== undefined)
    await accept(
      chunk,
      ids.filter((one) => one >= range.first && one <= range.last),
    )
  }
  const afterId = ids[2_499] ?? 0n
  const { page, read } = await database.asEngine(async (tx) => {
    const before = await rowsRead(tx, 'accepted_blocks')
    const list = { brandId, id, state: null, afterId, limit: 100 }
    return { page: await listDeliveries(tx, list), read: (await rowsRead(tx, 'accepted_blocks')) - before }
  })
  assert.deepEqual(
    page.map((one) => one.id),
    ids.slice(2_500, 2_600),
  )
  assert.ok(read <= 4, `${read} blocks were read`)
})

test('recipients are packed by block, language and variant', () => {
  const one = { state: 'accepted', reason: null } as const
  const { blocks, listed } = packAccepted([
    { ...one, recipientId: 1_023n, language: null, variant: null },
    { ...one, recipientId: 1_024n, language: null, variant: null },
    { ...one, recipientId: 1_034n, language: null, variant: null },
    { ...one, recipientId: 1_025n, language: 'de', variant: 1 },
    { ...one, recipientId: 1_026n, language: null, variant: null, state: 'failed' },
  ])
  assert.deepEqual(
    blocks.map(({ block, firstPlace, bits, language, variant }) => [
      block,
      firstPlace,
      bits.toString('hex'),
      language,
      variant,
    ]),
    [
      [0n, 1_023, '01', null, null],
      [1n, 0, '0104', null, null],
      [1n, 1, '01', 'de', 1],
    ],
  )
  assert.deepEqual(
    listed.map(({ recipientId }) => recipientId),
    [1_026n],
  )
})
