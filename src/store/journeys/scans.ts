import type { Filter } from '../../domain/segments/segment.ts'
import { Binds, writtenInstant } from '../bind.ts'
import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { segmentSql } from '../segments/sql.ts'
import type { JourneyRef } from './enrolments.ts'
import { type DueWork, refColumns } from './work.ts'

/** Journeys whose scan for a segment or a date is due. */
export async function findScans(
  db: Db,
  { now, limit, except = [] }: DueWork,
): Promise<readonly JourneyRef[]> {
  const { rows } = await db.query<JourneyRef>(
    `select brand_id as "brandId", id as "journeyId" from journeys
     where state = 'active' and scan_at <= coalesce($1::timestamptz, clock_timestamp())
       and brand_id <> all ${STOPPED_BRANDS}
       and (brand_id, id) not in (select * from unnest($3::integer[], $4::bigint[]))
     order by scan_at limit $2`,
    [now === null ? null : new Date(now), limit, ...refColumns(except)],
  )
  return rows
}

export type Scan = {
  readonly version: number
  readonly activeSince: number
  readonly scannedUntil: number | null
  readonly brandZone: string
}

/** Locks a due scan until the transaction ends; null when another worker was quicker. */
export async function takeScan(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  now: number,
): Promise<Scan | null> {
  const { rows } = await tx.query<Scan>(
    `select j.version, j.active_since as "activeSince", j.scanned_until as "scannedUntil",
       brands.time_zone as "brandZone"
     from journeys as j join brands on brands.id = j.brand_id
     where j.brand_id = $1 and j.id = $2 and j.state = 'active' and j.scan_at <= $3 for update of j skip locked`,
    [brandId, journeyId, new Date(now)],
  )
  return rows[0] ?? null
}

export async function saveScan(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  { scanAt, scannedUntil }: { readonly scanAt: number; readonly scannedUntil: number | null },
): Promise<void> {
  await tx.query(
    `update journeys set scan_at = $3, scanned_until = $4, scan_reason = null where brand_id = $1 and id = $2`,
    [brandId, journeyId, new Date(scanAt), scannedUntil === null ? null : new Date(scannedUntil)],
  )
}

type ScanPostponement = {
  readonly reason: string
  readonly now: number
  readonly waitMsMin: number
  readonly waitMsMax: number
}

/**
 * Scans a journey later: after the least time if it waits for this reason for the first time, else after as long a time as it was not scanned,
 * within bounds. Until then it shows the reason.
 */
export async function postponeScan(
  db: Db,
  { brandId, journeyId }: JourneyRef,
  { reason, now, waitMsMin, waitMsMax }: ScanPostponement,
): Promise<void> {
  await db.query(
    `update journeys set scan_reason = $4, scan_at = $3::timestamptz + greatest($5 * interval '1 millisecond',
       case when scan_reason = $4 then
         least($6 * interval '1 millisecond', $3::timestamptz - coalesce(scanned_until, active_since)) end)
     where brand_id = $1 and id = $2 and state = 'active' and scan_at <= $3`,
    [brandId, journeyId, new Date(now), reason, waitMsMin, waitMsMax],
  )
}

type MemberQuery = JourneyRef & {
  readonly filter: Filter
  readonly now: number
  /** The most changes of one call. */
  readonly limit: number
}

/** Stores the current members of the segment, in place of the former ones. Run it as the engine. */
export async function writeMembers(tx: Db, query: Omit<MemberQuery, 'limit'>): Promise<void> {
  await tx.query('delete from journey_members where brand_id = $1 and journey_id = $2', [
    query.brandId,
    query.journeyId,
  ])
  const { binds, brand, journey, isMember } = partsOf(query)
  await tx.query(
    `insert into journey_members (brand_id, journey_id, profile_id)
     select distinct ${brand}::integer, ${journey}::bigint, s.profile_id from subscriptions as s
     where s.brand_id = ${brand} and s.state = 'live' and s.profile_id is not null and ${isMember}`,
    binds.values,
  )
}

/** People who are in the segment and are not stored as members; this call stores them. */
export async function takeEntered(tx: Db, query: MemberQuery): Promise<readonly bigint[]> {
  const { binds, brand, journey, isMember } = partsOf(query)
  const { rows } = await tx.query<{ profileId: bigint }>(
    `insert into journey_members (brand_id, journey_id, profile_id)
     select distinct ${brand}::integer, ${journey}::bigint, s.profile_id from subscriptions as s
     where s.brand_id = ${brand} and s.state = 'live' and s.profile_id is not null and ${isMember}
       and not exists (select from journey_members as m
         where m.brand_id = ${brand} and m.journey_id = ${journey} and m.profile_id = s.profile_id)
     limit ${binds.add(query.limit)} returning profile_id as "profileId"`,
    binds.values,
  )
  return rows.map(({ profileId }) => profileId)
}

/** The people among these who were members under another profile, which was merged into theirs since. */
export async function findHeirs(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  profileIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  if (profileIds.length === 0) return new Set()
  const { rows } = await tx.query<{ profileId: bigint }>(
    `with recursive kin (heir, id) as (
       select survivor_id, absorbed_id from profile_merges
       where brand_id = $1 and survivor_id = any($3) and state <> 'undone'
       union
       select kin.heir, m.absorbed_id from kin
       join profile_merges as m on m.brand_id = $1 and m.survivor_id = kin.id and m.state <> 'undone'
     )
     select distinct heir as "profileId" from kin
     join journey_members as m on m.brand_id = $1 and m.journey_id = $2 and m.profile_id = kin.id`,
    [brandId, journeyId, profileIds],
  )
  return new Set(rows.map(({ profileId }) => profileId))
}

/** Stored members who are not in the segment any more; this call removes them. */
export async function takeLeft(tx: Db, query: MemberQuery): Promise<readonly bigint[]> {
  const { binds, brand, journey, isMember } = partsOf(query)
  const { rows } = await tx.query<{ profileId: bigint }>(
    `with gone as (
       select m.profile_id from journey_members as m
       where m.brand_id = ${brand} and m.journey_id = ${journey} and m.profile_id not in (
         select s.profile_id from subscriptions as s
         where s.brand_id = ${brand} and s.state = 'live' and s.profile_id is not null and ${isMember})
       limit ${binds.add(query.limit)}
     )
     delete from journey_members as m using gone
     where m.brand_id = ${brand} and m.journey_id = ${journey} and m.profile_id = gone.profile_id
     returning m.profile_id as "profileId"`,
    binds.values,
  )
  return rows.map(({ profileId }) => profileId)
}

function partsOf({ brandId, journeyId, filter, now: at }: Omit<MemberQuery, 'limit'>) {
  const binds = new Binds()
  const brand = binds.add(brandId)
  const journey = binds.add(journeyId)
  const now = writtenInstant(at)
  return {
    binds,
    brand,
    journey,
    isMember: segmentSql(filter, { brandId, brand, binds, now, reach: 'everybody' }),
  }
}

type DateQuery = {
  readonly brandId: number
  readonly attribute: string
  /** Days in the form that is compared: `2026-05-17`, or `05-17` for every year. */
  readonly days: readonly string[]
  readonly isYearly: boolean
  /** The most people of one page. */
  readonly limit: number
}

type DatedPerson = { readonly profileId: bigint; readonly value: unknown }

/**
 * People with a date on one of these days, page by page. All profiles of the brand are read, because no index covers
 * attributes; a cursor reads them once, however many are found.
 */
export async function* walkDated(tx: Db, query: DateQuery): AsyncGenerator<readonly DatedPerson[]> {
  await tx.query(
    `declare dated no scroll cursor for
     select id as "profileId", attributes -> $2::text as value from profiles
     where brand_id = $1 and substr(attributes ->> $2::text, ${query.isYearly ? '6, 5' : '1, 10'}) = any($3::text[])`,
    [query.brandId, query.attribute, query.days],
  )
  for (let isMore = true; isMore; ) {
    const { rows } = await tx.query<DatedPerson>(`fetch ${Math.trunc(query.limit)} from dated`)
    isMore = rows.length === query.limit
    yield rows
  }
  await tx.query('close dated')
}
