import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { loadGoalMessages } from '../../src/store/campaigns/goals.ts'
import { countReachedPeople } from '../../src/store/campaigns/work.ts'
import { withOwner } from '../../src/store/db.ts'
import { loadNotificationFacts } from '../../src/store/journeys/explaining.ts'
import { eraseTraces } from '../../src/store/people/erasing.ts'
import { loadRecordPage } from '../../src/store/people/person.ts'
import { listTimeline, type TimelineMark } from '../../src/store/people/timeline.ts'
import { countAudience } from '../../src/store/push/audience.ts'
import { type ClaimedChunk, claimChunks, reclaimChunk } from '../../src/store/push/chunks.ts'
import { listDeliveries, loadNotification } from '../../src/store/push/notification-reads.ts'
import { purgeNotifications } from '../../src/store/push/notification-retention.ts'
import type { RecipientOutcome } from '../../src/store/push/settlement.ts'
import { freshDatabase } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { drain, open, planDue, settle } from '../support/push/drain.ts'
import { acceptNotification, countsOf } from '../support/push/notifications.ts'
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
type Twin = {
  readonly brandId: number
  /** Two broadcasts of which the first is a campaign's, and a notification to a person with several devices. */
  readonly notifications: readonly string[]
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
  const notifications = [
    await acceptNotification(database, { brandId, target: { kind: 'all' } }),
    await acceptNotification(database, { brandId, target: { kind: 'all' } }),
    await acceptNotification(database, { brandId, target: { kind: 'user', userId: 'ann' } }),
  ]
  await database.query('update notifications set campaign_id = $3 where brand_id = $1 and id = $2', [
    brandId,
    notifications[0],
    CAMPAIGN,
  ])
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
  return { brandId, notifications, chunks, left }
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

/** Everything that can be read about the deliveries, in words that the twins share. Instants are left out. */
async function readAll(twin: Twin): Promise<object> {
  const { brandId, notifications, left } = twin
  const people = await database.query<{ name: string; id: bigint }>(
    `select value as name, profile_id as id from profile_identities where brand_id = $1 order by value`,
    [brandId],
  )
  const devices = await database.query<{ name: string; id: bigint }>(
    'select subscription_id as name, id from subscriptions where brand_id = $1',
    [brandId],
  )
  const nameOf = new Map(devices.rows.map(({ name, id }) => [id, name]))
  return {
    counts: await Promise.all(
      notifications.map(async (id) => {
        const found = await loadNotification(database, { brandId, id })
        return found === null ? null : countsOf(found)
      }),
    ),
    lists: await listAll(twin),
    left: left.map((ids) => ids.map((id) => nameOf.get(id))),
    people: await Promise.all(people.rows.map(async (person) => readPerson(twin, person, nameOf))),
    goals: await readGoals(
      brandId,
      people.rows.map(({ id }) => id),
      nameOf,
    ),
    reached: await countReachedPeople(database, { brandId, campaignId: CAMPAIGN }),
    notSent: await Promise.all(
      (['everybody', 'few'] as const).map(async (reach) => countNotSent(brandId, reach)),
    ),
    changes: await readChanges(brandId),
  }
}

async function listAll({ brandId, notifications }: Twin): Promise<readonly object[]> {
  const lists: object[] = []
  for (const id of notifications)
    for (const state of [null, 'accepted', 'failed', 'retrying'] as const) {
      for (let afterId = 0n, isMore = true; isMore; ) {
        const page = await listDeliveries(database, { brandId, id, state, afterId, limit: 5 })
        isMore = page.length === 5
        afterId = page.at(-1)?.id ?? afterId
        // A device of an erased person is not listed if it was packed, and has no name otherwise.
        for (const { subscriptionId, userId, attempt, reason, language, ...one } of page) {
          const shown = { subscriptionId, userId, attempt, reason, language, state: one.state }
          if (subscriptionId !== null) lists.push({ ...shown, notification: notifications.indexOf(id) })
        }
      }
    }
  return lists
}

async function readPerson(
  { brandId, notifications }: Twin,
  { id: profileId, name }: { readonly id: bigint; readonly name: string },
  nameOf: ReadonlyMap<bigint, string>,
): Promise<object> {
  const facts: unknown[] = []
  for (const id of notifications) {
    const found = await loadNotificationFacts(database, { brandId, id, profileId, now: Date.now() })
    for (const { delivery, deliveryReason, deliveryLanguage, variant, subscriptionId } of found?.devices ??
      [])
      facts.push({ delivery, deliveryReason, deliveryLanguage, variant, subscriptionId })
  }
  const lines: string[] = []
  for (let mark: TimelineMark | null = null, isMore = true; isMore; ) {
    const query = { brandId, profileIds: [profileId], kinds: ['delivery'] as const, from: null, to: null }
    const page = await database.asBrand(brandId, async (tx) =>
      listTimeline(tx, { ...query, after: mark, limit: 6 }),
    )
    for (const { body, atMicros } of page.rows) {
      assert.ok(mark === null || atMicros <= mark.atMicros, 'the newest line comes first')
      const { notification, ...rest } = body
      lines.push(
        JSON.stringify({ ...rest, notification: notifications.indexOf(String(Object(notification)['id'])) }),
      )
    }
    mark = page.rows.at(-1) ?? null
    isMore = page.hasMore && mark !== null
  }
  const person = { brandId, ids: [profileId], names: [{ kind: 'user_id' as const, value: name }] }
  const records = await database.asBrand(brandId, async (tx) =>
    loadRecordPage(tx, person, { table: 'deliveries', offset: 0 }),
  )
  const owned = (records?.rows ?? []).map(
    ({ notification_id, subscription_id, state, reason, attempt, language, variant }) => {
      const place = notifications.indexOf(String(notification_id))
      const device = nameOf.get(BigInt(String(subscription_id)))
      return JSON.stringify({ place, device, state, reason, attempt, language, variant })
    },
  )
  assert.equal(owned.length, lines.length, 'userData and the time line have the same deliveries')
  return { name, facts, lines: lines.toSorted(), owned: owned.toSorted() }
}

async function readGoals(
  brandId: number,
  profileIds: readonly bigint[],
  nameOf: ReadonlyMap<bigint, string>,
): Promise<readonly string[]> {
  const goal = { match: { event: 'purchase', where: [] }, from: 'delivery', withinMs: 1 } as const
  const goals = [{ source: { kind: 'campaign', id: CAMPAIGN }, goal }] as const
  const messages = await loadGoalMessages(database, { brandId, profileIds, goals })
  return messages.map(({ subscriptionId, variant }) => `${nameOf.get(subscriptionId)} ${variant}`).toSorted()
}

async function countNotSent(brandId: number, reach: 'everybody' | 'few'): Promise<number> {
  const narrowing = { campaignId: null, hasUserList: false, exceptCampaignId: CAMPAIGN, isLatestOnly: false }
  const query = {
    brandId,
    platform: 'android',
    tag: null,
    filter: null,
    reachesVirtual: false,
    reach,
  } as const
  return countAudience(database, { ...query, narrowing })
}

async function readChanges(brandId: number): Promise<readonly object[]> {
  const { rows } = await database.query(
    `select figure, part, sum(amount)::integer as amount from result_changes where brand_id = $1 and figure like 'devices.%'
     group by 1, 2 having sum(amount) <> 0
     union all
     select metric, name, sum(count)::integer from series_changes
     where brand_id = $1 and metric in ('accepted', 'failed', 'expired') group by 1, 2 order by 1, 2`,
    [brandId],
  )
  return rows
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

async function compareReads([bits, rows]: readonly [Twin, Twin]): Promise<void> {
  assert.deepEqual(await readAll(bits), await readAll(rows))
}

async function rowsIn(table: string, { brandId }: Twin): Promise<number> {
  return (await database.query(`select from ${table} where brand_id = $1`, [brandId])).count
}
