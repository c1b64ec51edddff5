import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sha256 } from '../../src/runtime/secrets/crypto.ts'
import { createKey, findKey } from '../../src/store/brand/api-keys.ts'
import { ensureBrand, listBrands, loadBrand } from '../../src/store/brand/brands.ts'
import { deleteBrand, deleteDueBrands, restoreBrand, stopBrand } from '../../src/store/brand/deletion.ts'
import { purgeBrands } from '../../src/store/brand/purge.ts'
import { withOwner } from '../../src/store/db.ts'
import { ensureReaders } from '../../src/store/events/readers.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { releaseChunks } from '../../src/store/push/chunks.ts'
import { claimPlans, lockPlan } from '../../src/store/push/planning.ts'
import { claimWebhooks } from '../../src/store/webhooks/queue.ts'
import { freshDatabase } from '../support/database/database.ts'
import { fillTenantTables } from '../support/database/tenant-rows.ts'
import { claimOne, drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { addEndpoint } from '../support/webhooks/webhooks.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

const AT_ONCE = { rowsMax: 1_000, quietMs: 0 } as const

/** The names of all tables that have a brand, partitions by themselves, as a test sees them and not the purge. */
async function tablesWithBrand(): Promise<readonly string[]> {
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ name: string }>(
      `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and column_name = 'brand_id' and table_type = 'BASE TABLE' order by 1`,
    ),
  )
  return rows.map(({ name }) => name)
}

/** How many rows a brand has in each table that holds any of it, and what they say, in short. */
async function tracesOf(brandId: number): Promise<Readonly<Record<string, string>>> {
  const names = await tablesWithBrand()
  return withOwner(url, async (owner) => {
    const found: [string, string][] = []
    for (const name of names) {
      const { rows } = await owner.query<{ trace: string | null }>(
        `select count(*) || ' ' || md5(string_agg(t::text, '|' order by t::text)) as trace from ${name} as t
         where brand_id = $1 having count(*) > 0`,
        [brandId],
      )
      if (rows[0] !== undefined) found.push([name, rows[0].trace ?? ''])
    }
    return Object.fromEntries(found)
  })
}

async function purgeAll(rowsMax: number): Promise<readonly number[]> {
  const removed: number[] = []
  for (;;) {
    const round = await purgeBrands(database, { rowsMax, quietMs: 0 })
    removed.push(round.removed)
    if (round.gone !== null) return removed
  }
}

test('nothing is left of a deleted brand in any table, whatever tables there are, and all of another', async () => {
  const [mine, other] = [await brand(), await brand()]
  await withOwner(url, async (owner) => maintainWeeks(owner, { now: Date.now(), retentionDays: 365 }))
  await fillTenantTables(url, [mine.brandId, other.brandId])
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select (extract(epoch from now() - week * interval '7 days') * 1000)::bigint << 21, 1, now(), brand, false, 'a', 0, '{}'
     from generate_series(0, 60) as week cross join unnest($1::integer[]) as brand`,
    [[mine.brandId, other.brandId]],
  )
  const names = await tablesWithBrand()
  const roots = names.filter((name) => !name.startsWith('events_'))
  const before = await tracesOf(mine.brandId)
  assert.deepEqual(
    roots.filter((name) => before[name] === undefined),
    [],
    'every table has something to remove',
  )
  assert.ok(Object.keys(before).length > roots.length, 'weeks of events are tables too')
  const others = await tracesOf(other.brandId)

  assert.equal(await deleteBrand(database, mine.externalId), true)
  const removed = await purgeAll(7)
  assert.ok(Math.max(...removed) <= 7, 'a round is as small as it was told to be')
  assert.deepEqual(await tracesOf(mine.brandId), {})
  assert.deepEqual(await tracesOf(other.brandId), others)
  assert.equal((await database.query('select from brands where id = $1', [mine.brandId])).count, 0)
  assert.notEqual(await loadBrand(database, other.externalId), null)
})

test('a deleted brand lets nobody in and nothing out from that commit on, and its id is free', async () => {
  const { brandId, externalId, secretKey } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 3 })
  const accept = async (target: 'all' | 'ann') =>
    acceptNotification(database, {
      brandId,
      target: target === 'all' ? { kind: 'all' } : { kind: 'user', userId: 'ann' },
    })
  await accept('ann')
  const endpointId = await addEndpoint(database, brandId, ['notification.sent'])
  await database.query(
    `insert into webhook_messages (brand_id, endpoint_id, event_type, data, created_at, ready_at)
     values ($1, $2, 'notification.sent', '{}', now(), now())`,
    [brandId, endpointId],
  )
  const held = await claimOne(database)
  assert.ok(held !== null)
  const opened = await open(database, held)
  const [first] = opened?.recipients ?? []
  assert.ok(first !== undefined)
  await accept('ann')
  await accept('all')
  const [plan] = await claimPlans(database, { count: 1, leaseMs: 60_000 })
  assert.ok(plan !== undefined)

  assert.equal(await deleteBrand(database, externalId), true)
  assert.equal(await settle(database, held, [{ recipientId: first.id }]), 'lost')
  assert.equal(await open(database, held), null)
  assert.equal(await database.asEngine(async (tx) => lockPlan(tx, plan)), null)
  await planDue(database)
  assert.deepEqual(await drain(database), [])
  const claim = { workerId: 'w', calls: 5, leaseMs: 1_000, health: 'well' } as const
  assert.deepEqual(await claimWebhooks(database, claim), [])
  assert.equal(await findKey(database, sha256(secretKey)), null)
  // Somebody who was let in a moment before makes a key and an endpoint a moment after.
  const late = { brandId, kind: 'secret', plaintext: 'late', scopes: ['push'], label: '', now: 0 } as const
  await createKey(database, late)
  assert.equal(await findKey(database, sha256('late')), null)
  await database.query('update webhook_messages set endpoint_id = $2 where brand_id = $1', [
    brandId,
    await addEndpoint(database, brandId, ['notification.sent']),
  ])
  assert.deepEqual(await claimWebhooks(database, claim), [])

  assert.equal(await deleteBrand(database, externalId), false)
  assert.equal(await loadBrand(database, externalId), null)
  const again = await ensureBrand(database, { externalId, name: 'Again', now: Date.now() })
  assert.deepEqual([again.isNew, again.id === brandId], [true, false])
  const listed = await listBrands(database, { afterId: 0, limit: 100 })
  const shown = listed.find(({ id }) => id === brandId)
  assert.deepEqual(
    [shown?.externalId, shown?.name, typeof shown?.deletedAt],
    [`deleted:${brandId}`, externalId, 'number'],
  )
  assert.equal(await deleteBrand(database, `deleted:${brandId}`), false)
  await purgeAll(1_000)
  assert.notEqual(await loadBrand(database, externalId), null)
})

test('what somebody adds while the brand is cleared away goes too, and its row only after a quiet time', async () => {
  const { brandId, externalId } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann' })
  await deleteBrand(database, externalId)
  const quiet = { rowsMax: 1_000, quietMs: 60_000 }
  assert.ok((await purgeBrands(database, quiet)).removed > 0)
  assert.deepEqual(await purgeBrands(database, quiet), { removed: 0, gone: null })
  await seedSubscriptions(database, { brandId, userId: 'late' })
  await ensureReaders(database, 'counting')
  // A straggler is found, and the quiet begins anew.
  await database.query(`update brands set emptied_at = now() - interval '1 hour' where id = $1`, [brandId])
  // The person, their identity and device, and a line of the series for each of the two that are counted.
  assert.equal((await purgeBrands(database, quiet)).removed, 5)
  assert.deepEqual(await purgeBrands(database, quiet), { removed: 0, gone: null })
  await database.query(`update brands set emptied_at = now() - interval '1 hour' where id = $1`, [brandId])
  assert.deepEqual((await purgeBrands(database, quiet)).gone, { id: brandId, externalId })
  assert.deepEqual(await tracesOf(brandId), {})
})

test('many workers at once clear brands away without a failure, and none waits for another brand to rest', async () => {
  const brands = [await brand(), await brand(), await brand()]
  for (const { brandId, externalId } of brands) {
    await seedSubscriptions(database, { brandId, count: 200 })
    await deleteBrand(database, externalId)
  }
  let gone = 0
  const work = async (): Promise<void> => {
    while (gone < brands.length) {
      const round = await purgeBrands(database, { ...AT_ONCE, rowsMax: 20 })
      if (round.gone !== null) gone += 1
    }
  }
  await Promise.all([work(), work(), work(), work()])
  for (const { brandId } of brands) assert.deepEqual(await tracesOf(brandId), {})
  assert.deepEqual(await purgeBrands(database, AT_ONCE), { removed: 0, gone: null })
})

test('a stopped brand keeps every row; what a worker had sent is written, and the rest goes on after a restore', async () => {
  const { brandId, externalId, secretKey } = await brand()
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 3 })
  await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } })
  const endpointId = await addEndpoint(database, brandId, ['notification.sent'])
  await database.query(
    `insert into webhook_messages (brand_id, endpoint_id, event_type, data, created_at, ready_at)
     values ($1, $2, 'notification.sent', '{}', now(), now())`,
    [brandId, endpointId],
  )
  const held = await claimOne(database)
  assert.ok(held !== null)
  const [first, ...others] = (await open(database, held))?.recipients ?? []
  assert.ok(first !== undefined)
  await acceptNotification(database, { brandId, target: { kind: 'all' } })

  const now = Date.now()
  const until = now + 60_000
  assert.equal(await stopBrand(database, { externalId, now, until }), true)
  assert.equal(await stopBrand(database, { externalId, now, until: until + 1 }), false)
  assert.equal((await findKey(database, sha256(secretKey)))?.restorableUntil, until)
  assert.equal(await loadBrand(database, externalId), null)
  assert.equal(await settle(database, held, [{ recipientId: first.id }]), 'stopped')
  await releaseChunks(database, [held])
  const claim = { workerId: 'w', calls: 5, leaseMs: 1_000, health: 'well' } as const
  assert.deepEqual(await claimWebhooks(database, claim), [])
  assert.deepEqual(await drain(database), [])
  const before = await tracesOf(brandId)
  assert.deepEqual(await deleteDueBrands(database, { now: until - 1, limit: 10 }), [])
  assert.deepEqual(await purgeBrands(database, AT_ONCE), { removed: 0, gone: null })
  assert.deepEqual(await tracesOf(brandId), before)
  const again = await ensureBrand(database, { externalId, name: 'Again', now })
  assert.deepEqual([again.isNew, again.id, again.restorableUntil], [false, brandId, until])

  assert.equal(await restoreBrand(database, { externalId, now: until }), false)
  assert.equal(await restoreBrand(database, { externalId, now: until - 1 }), true)
  assert.equal(await restoreBrand(database, { externalId, now: until - 1 }), false)
  assert.deepEqual(await tracesOf(brandId), before)
  assert.equal((await claimWebhooks(database, claim)).length, 1)
  const sent = (await drain(database)).map(({ recipient }) => String(recipient.id))
  assert.deepEqual(sent.toSorted(), [first, ...others, ...others].map(({ id }) => String(id)).toSorted())
  await deleteBrand(database, externalId)
  await purgeAll(1_000)
})

test('the end of the grace period and a restore at the same moment: one of them wins', async () => {
  const now = Date.now()
  for (let round = 0; round < 10; round += 1) {
    const { brandId, externalId, secretKey } = await brand()
    await stopBrand(database, { externalId, now: now - 2, until: now })
    const [isRestored, deleted] = await Promise.all([
      restoreBrand(database, { externalId, now: now - 1 }),
      deleteDueBrands(database, { now, limit: 10 }),
    ])
    assert.equal(isRestored, deleted.length === 0)
    assert.equal((await findKey(database, sha256(secretKey))) !== null, isRestored)
    const listed = await listBrands(database, { afterId: brandId - 1, limit: 1 })
    assert.equal(listed[0]?.deletedAt === null, isRestored)
  }
  while ((await purgeBrands(database, AT_ONCE)).gone !== null);
})
