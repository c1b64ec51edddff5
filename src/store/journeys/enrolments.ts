import type { Inside } from '../../domain/journeys/fold.ts'
import type { Enrolment } from '../../domain/journeys/journey.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Db } from '../db.ts'

export type JourneyRef = { readonly brandId: number; readonly journeyId: bigint }

/** An enrolment whose row is locked until the transaction ends. */
export type LockedEnrolment = Inside & {
  readonly id: bigint
  /** Whether the person has an earlier enrolment in the journey, because of a merge. */
  readonly isDouble: boolean
}

type DueQuery = JourneyRef & { readonly now: number; readonly limit: number }

/**
 * Locks the enrolments that are due, the longest due first, and skips those that another worker has locked. A person
 * may be inside more than once, after a merge: then all later enrolments come along, due or not. They end when the
 * first one moves, because nothing tells them apart from a new entry once the first one is over.
 */
export async function claimDueEnrolments(tx: Db, query: DueQuery): Promise<readonly LockedEnrolment[]> {
  const { rows: due } = await tx.query<EnrolmentRow>(
    `select ${COLUMNS} from enrolments as e
     where brand_id = $1 and journey_id = $2 and state = 'active' and wake_at <= $3
     order by wake_at limit $4 for update skip locked`,
    [query.brandId, query.journeyId, new Date(query.now), query.limit],
  )
  const firsts = await loadFirsts(
    tx,
    query,
    due.map(({ profileId }) => profileId),
  )
  const doubles = firsts.size === 0 ? [] : await lockDoubles(tx, query, { firsts, due })
  return [...due, ...doubles].map((row) => ({
    ...lockedOf(row),
    isDouble: row.id > (firsts.get(row.profileId) ?? row.id),
  }))
}

/** The people who are inside more than once, each with the id of their first enrolment. */
async function loadFirsts(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  profileIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, bigint>> {
  const { rows } = await tx.query<{ profileId: bigint; id: bigint }>(
    `select profile_id as "profileId", min(id) as id from enrolments
     where brand_id = $1 and profile_id = any($3) and journey_id = $2 and state = 'active'
     group by profile_id having count(*) > 1`,
    [brandId, journeyId, profileIds],
  )
  return new Map(rows.map(({ profileId, id }) => [profileId, id]))
}

type Doubles = { readonly firsts: ReadonlyMap<bigint, bigint>; readonly due: readonly EnrolmentRow[] }

/** Locks the later enrolments of these people that are not due themselves. */
async function lockDoubles(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  { firsts, due }: Doubles,
): Promise<readonly EnrolmentRow[]> {
  const { rows } = await tx.query<EnrolmentRow>(
    `select ${COLUMNS} from unnest($3::bigint[], $4::bigint[]) as first (profile_id, id)
     join enrolments as e on e.brand_id = $1 and e.profile_id = first.profile_id and e.journey_id = $2
     where e.state = 'active' and e.id > first.id and e.id <> all($5::bigint[])
     for update of e skip locked`,
    [brandId, journeyId, [...firsts.keys()], [...firsts.values()], due.map(({ id }) => id)],
  )
  return rows
}

/** Leaves enrolments at their step and sets the time of the next look. */
export async function putOffEnrolments(
  tx: Db,
  brandId: number,
  { ids, until }: { readonly ids: readonly bigint[]; readonly until: number },
): Promise<void> {
  if (ids.length === 0) return
  await tx.query('update enrolments set wake_at = $3 where brand_id = $1 and id = any($2)', [
    brandId,
    ids,
    new Date(until),
  ])
}

/** Locks every active enrolment of these people. */
export async function lockInside(
  tx: Db,
  brandId: number,
  profileIds: readonly bigint[],
): Promise<readonly LockedEnrolment[]> {
  const { rows } = await tx.query<EnrolmentRow>(
    `select ${COLUMNS} from enrolments as e
     where brand_id = $1 and profile_id = any($2) and state = 'active' order by id for update`,
    [brandId, profileIds],
  )
  return rows.map(lockedOf)
}

/** The first of a person's active enrolments in a journey; null when the person is not inside. */
export async function loadEnrolment(
  tx: Db,
  { brandId, journeyId, profileId }: JourneyRef & { readonly profileId: bigint },
): Promise<Inside | null> {
  const { rows } = await tx.query<EnrolmentRow>(
    `select ${COLUMNS} from enrolments as e
     where brand_id = $1 and profile_id = $3 and journey_id = $2 and state = 'active' order by id limit 1`,
    [brandId, journeyId, profileId],
  )
  return rows.map(lockedOf)[0] ?? null
}

/** Which of these people were ever in which of these journeys, and how often they are inside now. */
export async function loadKnown(
  tx: Db,
  brandId: number,
  {
    journeyIds,
    profileIds,
  }: { readonly journeyIds: readonly bigint[]; readonly profileIds: readonly bigint[] },
): Promise<readonly { readonly journeyId: bigint; readonly profileId: bigint; readonly inside: number }[]> {
  const { rows } = await tx.query<{ journeyId: bigint; profileId: bigint; inside: number }>(
    `select journey_id as "journeyId", profile_id as "profileId",
       count(*) filter (where state = 'active')::integer as inside
     from enrolments where brand_id = $1 and profile_id = any($2) and journey_id = any($3)
     group by journey_id, profile_id`,
    [brandId, profileIds, journeyIds],
  )
  return rows
}

/** A person who is about to enter, and the instant of the trigger. */
export type Coming = { readonly profileId: bigint; readonly at: number }

/** Leaves out people who have already entered at that instant. */
export async function withoutEntered(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  coming: readonly Coming[],
): Promise<readonly Coming[]> {
  if (coming.length === 0) return []
  const { rows } = await tx.query<Coming>(
    `select profile_id as "profileId", at from unnest($3::bigint[], $4::timestamptz[]) as coming (profile_id, at)
     where not exists (select from enrolments as e where e.brand_id = $1 and e.journey_id = $2
       and e.profile_id = coming.profile_id and e.entered_at = coming.at)`,
    [brandId, journeyId, coming.map(({ profileId }) => profileId), coming.map(({ at }) => new Date(at))],
  )
  return rows
}

type EnrolmentRow = Enrolment & {
  readonly id: bigint
  readonly journeyId: bigint
  readonly version: number
  readonly event: JsonObject | null
}

const COLUMNS = `e.id, e.journey_id as "journeyId", e.version, e.profile_id as "profileId", e.state, e.step,
  e.is_waiting as "isWaiting", e.step_at as "stepAt", e.wake_at as "wakeAt", e.visits, e.entered_at as "enteredAt",
  e.event`

function lockedOf({ id, journeyId, version, event, ...enrolment }: EnrolmentRow): LockedEnrolment {
  return { id, journeyId, version, event, isDouble: false, enrolment, notes: [] }
}
