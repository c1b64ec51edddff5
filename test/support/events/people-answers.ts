import type { Filter } from '../../../src/domain/segments/segment.ts'
import { Binds } from '../../../src/store/bind.ts'
import type { Db } from '../../../src/store/db.ts'
import type { RetentionQuery } from '../../../src/store/events/retention.ts'
import { loadRetention } from '../../../src/store/events/retention.ts'
import { listRetentionPeople } from '../../../src/store/events/retention-people.ts'
import { takeEntered, takeLeft } from '../../../src/store/journeys/scans.ts'
import { audienceSql } from '../../../src/store/push/audience-sql.ts'
import { listMembers } from '../../../src/store/segments/members.ts'
import { NOW, type Side } from './two-brands.ts'

type EventFilter = Extract<Filter, { kind: 'event' }>

type AskedOf = { readonly filter: EventFilter; readonly retention: RetentionQuery }

/** The readers that find people and devices by events. Each has a transaction of its own, because events that were brought stay for all of it. */
export async function peopleAnswers(
  side: Side,
  { filter, retention }: AskedOf,
): Promise<Readonly<Record<string, unknown>>> {
  return {
    listedMembers: await membersOf(side, filter),
    audience: await audienceOf(side, filter),
    entered: await memberChange(side, filter, takeEntered),
    left: await memberChange(side, filter, takeLeft),
    retentionPeople: await retentionPeopleOf(side, retention),
  }
}

async function membersOf({ db, brandId }: Side, filter: Filter): Promise<readonly string[]> {
  const page = { brandId, filter, now: NOW, afterId: 0n, limit: 4 }
  const { rows } = await db.asEngine(async (tx) => listMembers(tx, page))
  return rows.map(({ subscriptionId }) => subscriptionId)
}

/**
 * The devices of a chunk, which are the first three of the brand. An audience is asked at the moment of the database, so the days of the
 * filter begin long before all events.
 */
async function audienceOf({ db, brandId }: Side, filter: EventFilter): Promise<readonly unknown[]> {
  const { rows: ids } = await db.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1 order by id limit 3',
    [brandId],
  )
  const devices = { firstDevice: ids[0]?.id ?? 0n, lastDevice: ids.at(-1)?.id ?? 0n }
  const query = {
    brandId,
    platform: 'android',
    tag: null,
    filter: { ...filter, withinDays: 400 },
    reach: 'few',
    reachesVirtual: false,
    devices,
  } as const
  return db.asEngine(async (tx) => {
    const binds = new Binds()
    const members = audienceSql(query, binds)
    const range = `s.id between ${binds.add(devices.firstDevice)} and ${binds.add(devices.lastDevice)}`
    const text = `select s.subscription_id from subscriptions as s where ${members} and ${range} order by 1`
    return (await tx.query(text, binds.values)).rows
  })
}

/** The people who come to a journey, or go, if the first three were its members. */
async function memberChange(
  { db, brandId }: Side,
  filter: Filter,
  take: typeof takeEntered,
): Promise<readonly string[]> {
  return db.asEngine(async (tx: Db) => {
    await tx.query('delete from journey_members where brand_id = $1', [brandId])
    await tx.query(
      'insert into journey_members (brand_id, journey_id, profile_id) select $1, 1, id from generate_series(1, 3) as id',
      [brandId],
    )
    const taken = await take(tx, { brandId, journeyId: 1n, filter, now: NOW, limit: 50 })
    return taken.map(String).toSorted()
  })
}

/** The people behind the first numbers of a report. */
async function retentionPeopleOf({ db, brandId }: Side, query: RetentionQuery): Promise<readonly unknown[]> {
  const cells = await db.asBrand(brandId, async (tx) => loadRetention(tx, query))
  const cohorts = [...new Set(cells.flatMap(({ cohort }) => cohort ?? []))].slice(0, 2)
  const numbers = cohorts.flatMap((cohort) => [0, 1].map((period) => ({ cohort, period })))
  const found: unknown[] = []
  for (const number of numbers) {
    const { rows } = await db.asBrand(brandId, async (tx) =>
      listRetentionPeople(tx, { ...query, ...number, afterId: null, limit: 5 }),
    )
    found.push({ ...number, rows })
  }
  return found
}
