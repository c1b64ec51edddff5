import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { withOwner } from '../../src/store/db.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk } from '../../src/store/push/chunks.ts'
import { purgeNotifications } from '../../src/store/push/notification-retention.ts'
import type { RecipientOutcome } from '../../src/store/push/settlement.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { type ReadPlace, readDeliveries } from '../support/push/delivery-reads.ts'
import { drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop, url } = await freshDatabase()
after(drop)

const USERS = ['ann', 'bob', 'cy'] as const
/** The devices lie on both sides of the border of a block. */
const DEVICES = [...USERS, ...USERS, null, null, ...USERS, 'ann', 'ann', null] as const
const CAMPAIGN = 7n
const BROADCAST = fc.nat(2)
const OUTCOME = fc.record({
  state: fc.constantFrom('accepted', 'accepted', 'accepted', 'accepted', 'failed', 'retrying'),
  language: fc.constantFrom(null, null, 'de'),
  variant: fc.constantFrom(null, null, 0, 1),
} as const)
const STEPS = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('settle' as const),
      broadcast: BROADCAST,
      outcomes: fc.array(OUTCOME, { minLength: 4, maxLength: 9, size: 'max' }),
    }),
    fc.record({ kind: fc.constant('reopen' as const), broadcast: BROADCAST }),
  ),
  { minLength: 2, maxLength: 8, size: 'max' },
)
type Step = typeof STEPS extends fc.Arbitrary<(infer Value)[]> ? Value : never

/** A brand whose broadcasts are settled as large ones are, or as small ones. */
type Twin = ReadPlace & {
  readonly chunks: ClaimedChunk[]
  readonly left: bigint[][]
}

async function makeTwin(isBulk: boolean): Promise<Twin> {
  await withOwner(url, async (owner) =>
    owner.query(`select setval(pg_get_serial_sequence('subscriptions', 'id'),
      ((select coalesce(max(id), 0) from subscriptions) / 1024 + 1) * 1024 - 7)`),
  )
  const { brandId } = await brand()
  for (const [place, userId] of DEVICES.entries()) {
    const owner = userId === null ? {} : { userId }
    await seedSubscriptions(database, { brandId, subscriptionId: `device ${place}`, ...owner })
  }
  // Two broadcasts, each of a campaign, and a notification to a person with several devices.
  const notifications = [
    await acceptNotification(database, { brandId, target: { kind: 'all' } }),
    await acceptNotification(database, { brandId, target: { kind: 'all' } }),
    await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } }),
  ]
  // A notification of the second campaign, which is only asked about.
  const narrowed = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await database.query(
    `update notifications set campaign_id = case id when $2 then $4::bigint else $4 + 1 end where brand_id = $1 and id in ($2, $3)`,
    [brandId, notifications[0], notifications[1], CAMPAIGN],
  )
  await database.query(
    `update notifications set campaign_id = $3 + 1, except_campaign_id = $3, is_latest_only = true, state = 'cancelled',
       plan_at = null, audience = 0, pending = 0 where brand_id = $1 and id = $2`,
    [brandId, narrowed, CAMPAIGN],
  )
  await database.query(
    `insert into campaign_people (brand_id, campaign_id, profile_id, trial_group, planned_at)
     select $1, $2, id, 0, now() from profiles where brand_id = $1`,
    [brandId, CAMPAIGN],
  )
  await planDue(database)
  await database.query('update chunks set is_bulk = $2 where brand_id = $1', [brandId, isBulk])
  const claim = { workerId: 'w', count: 100, leaseMs: 600_000, sizes: 'any' } as const
  const claimed = (await claimChunks(database, claim)).filter((chunk) => chunk.brandId === brandId)
  const chunks = notifications.flatMap((id) => claimed.filter(({ notificationId }) => notificationId === id))
  assert.equal(chunks.length, notifications.length)
  const left = await Promise.all(chunks.map(async (chunk) => recipientsOf(chunk)))
  await database.query(
    `insert into receipts (brand_id, notification_id, subscription_id, kind, at)
     select $1, unnest($2::uuid[]), id, 'clicked', now() from subscriptions
     where brand_id = $1 and split_part(subscription_id, ' ', 2)::integer % 3 > 0`,
    [brandId, notifications],
  )
  return { database, brandId, notifications, campaignId: CAMPAIGN, narrowed, chunks, left }
}

async function recipientsOf(chunk: ClaimedChunk): Promise<bigint[]> {
  return ((await open(database, chunk))?.recipients ?? []).map(({ id }) => id)
}

async function act({ chunks, left }: Twin, step: Step): Promise<void> {
  const { broadcast } = step
  const chunk = chunks[broadcast]
  if (chunk === undefined) return
  if (step.kind === 'settle') {
    const batch = left[broadcast]?.splice(0, step.outcomes.length) ?? []
    if (batch.length > 0) await settle(database, chunk, batch.map(outcomeIn(step)))
    return
  }
  const again = await reclaimChunk(database, chunk, { leaseMs: 600_000 })
  if (again === null) return
  chunks[broadcast] = { ...chunk, ...again }
  left[broadcast] = await recipientsOf({ ...chunk, ...again })
}

function outcomeIn({ outcomes }: Extract<Step, { kind: 'settle' }>) {
  return (recipientId: bigint, place: number): Partial<RecipientOutcome> & { recipientId: bigint } => {
    const outcome = outcomes[place] ?? { state: 'accepted' }
    const retryAt = outcome.state === 'retrying' ? Date.now() + 1_000 : null
    return { recipientId, ...outcome, retryAt, reason: outcome.state === 'accepted' ? null : 'trouble' }
  }
}

/** Erases a person as the counting loop does, after the request has deleted the devices. */
async function erase({ brandId }: Twin, userId: string): Promise<void> {
  const { rows } = await database.query<{ profileId: bigint; ids: readonly bigint[] }>(
    `select profile_id as "profileId", array(select id from subscriptions as s
       where s.brand_id = $1 and s.profile_id = i.profile_id) as ids
     from profile_identities as i where brand_id = $1 and kind = 'user_id' and value = $2`,
    [brandId, userId],
  )
  const [person] = rows
  assert.ok(person !== undefined)
  const { profileId, ids } = person
  await database.query(
    `insert into erasures (brand_id, profile_id, asked_at, identifiers, subscription_ids, subscription_names)
     values ($1, $2, now(), '{}', $3, '{}')`,
    [brandId, profileId, ids],
  )
  await database.query('delete from subscriptions where brand_id = $1 and profile_id = $2', [
    brandId,
    profileId,
  ])
  await database.query('delete from profile_identities where brand_id = $1 and profile_id = $2', [
    brandId,
    profileId,
  ])
  while (!(await database.asEngine(async (tx) => eraseTraces(tx, { brandId, profileId }, 100))));
  const bits = await database.query(
    `select from all_deliveries as d where d.brand_id = $1 and d.subscription_id = any($2)
       and not exists (select from deliveries as o where o.brand_id = $1 and o.notification_id = d.notification_id
         and o.subscription_id = d.subscription_id)`,
    [brandId, ids],
  )
  assert.equal(bits.count, 0, 'an erased person is in no bitmap')
}

test('a broadcast whose accepted recipients are bits reads like one whose recipients are rows', async () => {
  let packed = 0
  await fc.assert(
    fc.asyncProperty(STEPS, fc.constantFrom(...USERS), async (steps, erased) => {
      const twins = [await makeTwin(true), await makeTwin(false)] as const
      for (const step of steps) for (const twin of twins) await act(twin, step)
      await compareReads(twins)
      packed += (await rowsIn('accepted_blocks', twins[0])) > 0 ? 1 : 0
      assert.equal(await rowsIn('accepted_blocks', twins[1]), 0)

      await drain(database, { now: Date.now() + 700_000 })
      for (const twin of twins) for (const ids of twin.left) ids.splice(0)
      await compareReads(twins)

      for (const twin of twins) await erase(twin, erased)
      const [{ reached: _, ...bits }, { reached: __, ...rows }] = [
        Object(await readAll(twins[0])),
        Object(await readAll(twins[1])),
      ]
      assert.deepEqual(bits, rows)

      await database.query(`update notifications set finished_at = now() where pending = 0`)
      const before = Date.now() + 3_600_000
      while ((await purgeNotifications(database, { before, rowsMax: 5 })) > 0);
      for (const twin of twins)
        assert.deepEqual([await rowsIn('all_deliveries', twin), await rowsIn('notifications', twin)], [0, 0])
    }),
    { numRuns: atLength(18) },
  )
  assert.ok(packed > 0)
})

async function readAll(twin: Twin): Promise<object> {
  const { rows } = await database.query<{ name: string; id: bigint }>(
    'select subscription_id as name, id from subscriptions where brand_id = $1',
    [twin.brandId],
  )
  const nameOf = new Map(rows.map(({ name, id }) => [id, name]))
  const left = twin.left.map((ids) => ids.map((id) => nameOf.get(id)))
  return { ...(await readDeliveries(twin)), left }
}

async function compareReads([bits, rows]: readonly [Twin, Twin]): Promise<void> {
  assert.deepEqual(await readAll(bits), await readAll(rows))
}

async function rowsIn(table: string, { brandId }: Twin): Promise<number> {
  return (await database.query(`select from ${table} where brand_id = $1`, [brandId])).count
}
