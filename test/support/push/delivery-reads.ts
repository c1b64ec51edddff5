import assert from 'node:assert/strict'
import { type DeliveryMark, listCampaignDeliveries } from '../../../src/store/campaigns/deliveries.ts'
import { loadGoalMessages } from '../../../src/store/campaigns/goals.ts'
import { countReachedPeople } from '../../../src/store/campaigns/work.ts'
import type { Database } from '../../../src/store/db.ts'
import { loadNotificationFacts } from '../../../src/store/journeys/explaining.ts'
import { loadRecordPage } from '../../../src/store/people/person.ts'
import { listTimeline, type TimelineMark } from '../../../src/store/people/timeline.ts'
import { countAudience } from '../../../src/store/push/audience.ts'
import { listDeliveries, loadNotification } from '../../../src/store/push/notification-reads.ts'
import { countsOf } from './notifications.ts'

/** Where deliveries are read. The notifications are named by their places in the list. */
export type ReadPlace = {
  readonly database: Database
  readonly brandId: number
  readonly notifications: readonly string[]
  /** The campaign of the first notification. */
  readonly campaignId: bigint
  /** A notification that leaves out the campaign's people, and goes to the latest device of each of the others. */
  readonly narrowed: string
}

/** Everything that can be read about the deliveries, in words that the twins share. Instants are left out. */
export async function readDeliveries(place: ReadPlace): Promise<object> {
  const { database, brandId, notifications, campaignId } = place
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
    lists: await listAll(place),
    perPerson: await listPeople(place, nameOf),
    people: await Promise.all(people.rows.map(async (person) => readPerson(place, person, nameOf))),
    goals: await readGoals(
      place,
      people.rows.map(({ id }) => id),
      nameOf,
    ),
    reached: await countReachedPeople(database, { brandId, campaignId }),
    notSent: await Promise.all(
      (['everybody', 'few'] as const).map(async (reach) => countNotSent(place, reach)),
    ),
    changes: await readChanges(place),
  }
}

async function listAll({ database, brandId, notifications }: ReadPlace): Promise<readonly object[]> {
  const lists: object[] = []
  const filters = [
    ...([null, 'accepted', 'failed', 'retrying'] as const).map((state) => ({ state })),
    { state: null, receipt: 'clicked' },
    { state: 'accepted', receipt: 'clicked' },
  ] as const
  for (const id of notifications)
    for (const filter of filters) {
      for (let afterId = 0n, isMore = true; isMore; ) {
        const page = await listDeliveries(database, { brandId, id, ...filter, afterId, limit: 5 })
        isMore = page.length === 5
        afterId = page.at(-1)?.id ?? afterId
        // A device of an erased person is not listed if it was packed, and has no name otherwise.
        for (const { subscriptionId, userId, attempt, reason, language, ...one } of page) {
          const shown = { subscriptionId, userId, attempt, reason, language, state: one.state }
          if (subscriptionId !== null)
            lists.push({ ...shown, filter, notification: notifications.indexOf(id) })
        }
      }
    }
  return lists
}

async function readPerson(
  { database, brandId, notifications, narrowed }: ReadPlace,
  { id: profileId, name }: { readonly id: bigint; readonly name: string },
  nameOf: ReadonlyMap<bigint, string>,
): Promise<object> {
  const facts: unknown[] = []
  for (const id of [...notifications, narrowed]) {
    const found = await loadNotificationFacts(database, { brandId, id, profileId, now: Date.now() })
    for (const { delivery, deliveryReason, deliveryLanguage, variant, subscriptionId } of found?.devices ??
      [])
      facts.push({ delivery, deliveryReason, deliveryLanguage, variant, subscriptionId })
    facts.push({ got: found?.campaign?.gotCampaignId, latest: found?.campaign?.latest })
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
  { database, brandId, campaignId }: ReadPlace,
  profileIds: readonly bigint[],
  nameOf: ReadonlyMap<bigint, string>,
): Promise<readonly string[]> {
  const goal = { match: { event: 'purchase', where: [] }, from: 'delivery', withinMs: 1 } as const
  const goals = [{ source: { kind: 'campaign', id: campaignId }, goal }] as const
  const messages = await loadGoalMessages(database, { brandId, profileIds, goals })
  return messages.map(({ subscriptionId, variant }) => `${nameOf.get(subscriptionId)} ${variant}`).toSorted()
}

async function countNotSent(
  { database, brandId, campaignId }: ReadPlace,
  reach: 'everybody' | 'few',
): Promise<number> {
  const narrowing = {
    campaignId: null,
    hasUserList: false,
    exceptCampaignId: campaignId,
    isLatestOnly: false,
  }
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

async function readChanges({ database, brandId }: ReadPlace): Promise<readonly object[]> {
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

/** The deliveries of the campaign, by device, and which of them stands for its person. */
async function listPeople(
  { database, brandId, campaignId, notifications }: ReadPlace,
  nameOf: ReadonlyMap<bigint, string>,
): Promise<readonly object[]> {
  const found: object[] = []
  const list = { brandId, campaignId, per: 'person', state: 'accepted', limit: 4 } as const
  for (let after: DeliveryMark | null = null, isMore = true; isMore; ) {
    const page = await database.asBrand(brandId, async (tx) => listCampaignDeliveries(tx, { ...list, after }))
    for (const { id, notificationId, isFirst } of page)
      if (nameOf.has(id))
        found.push({ device: nameOf.get(id), notification: notifications.indexOf(notificationId), isFirst })
    isMore = page.length === list.limit
    after = page.at(-1) ?? null
  }
  return found
}
