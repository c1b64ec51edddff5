import type { StoredMessages } from '../../domain/journeys/stored-journey.ts'
import type { EnrolmentState, JourneyNote } from '../../rules/journey-steps.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import type { JourneyRef } from './enrolments.ts'

export type VersionReport = {
  readonly version: number
  readonly document: object
  readonly messages: StoredMessages
  readonly createdAt: number
  readonly inside: number
}

/** All versions, newest first, with the number of people inside each. */
export async function listVersions(
  tx: Db,
  {
    brandId,
    journeyId,
    before,
    limit,
  }: JourneyRef & { readonly before: number | null; readonly limit: number },
): Promise<RowPage<VersionReport>> {
  return readPage(tx, {
    text: `select v.version, v.document, v.messages, v.created_at as "createdAt",
       (select count(*)::integer from enrolments as e
         where e.brand_id = $1 and e.journey_id = $2 and e.state = 'active' and e.version = v.version) as inside
     from journey_versions as v
     where v.brand_id = $1 and v.journey_id = $2 and ($3::integer is null or v.version < $3)
     order by v.version desc limit $4`,
    values: [brandId, journeyId, before, limit],
    limit,
    kind: 'documents',
  })
}

/** `step` is '' for the journey as a whole. */
export type StepCount = { readonly step: string; readonly did: JourneyNote; readonly count: bigint }

/** The steps of one version, or of the newest, in the order of its document. */
export async function listSteps(
  tx: Db,
  { brandId, journeyId, version }: JourneyRef & { readonly version: number | null },
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select step.id #>> '{}' as id from (
       select document from journey_versions
       where brand_id = $1 and journey_id = $2 and ($3::integer is null or version = $3) order by version desc limit 1
     ) as v, jsonb_path_query(v.document, 'lax $.steps[*].id') with ordinality as step (id, place) order by place`,
    [brandId, journeyId, version],
  )
  return rows.map(({ id }) => id)
}

/** How often each note was written at each step, in all versions or in one. */
export async function loadCounts(
  tx: Db,
  { brandId, journeyId, version }: JourneyRef & { readonly version: number | null },
): Promise<readonly StepCount[]> {
  const { rows } = await tx.query<StepCount>(
    `select step, did, sum(count)::bigint as count from journey_counts
     where brand_id = $1 and journey_id = $2 and ($3::integer is null or version = $3)
     group by step, did order by step, did`,
    [brandId, journeyId, version],
  )
  return rows
}

/** How many people are at each step now. */
export async function countInside(
  tx: Db,
  { brandId, journeyId, version }: JourneyRef & { readonly version: number | null },
): Promise<readonly { readonly step: string; readonly count: number }[]> {
  const { rows } = await tx.query<{ step: string; count: number }>(
    `select step, count(*)::integer as count from enrolments
     where brand_id = $1 and journey_id = $2 and state = 'active' and ($3::integer is null or version = $3)
     group by step order by step`,
    [brandId, journeyId, version],
  )
  return rows
}

export type PathNote = { readonly at: number; readonly step: string | null; readonly did: JourneyNote }

export type EnrolmentReport = {
  readonly id: bigint
  readonly version: number
  readonly state: EnrolmentState
  readonly step: string | null
  readonly enteredAt: number
  readonly wakeAt: number | null
  readonly path: readonly PathNote[]
}

/** The enrolments of a person in a journey, newest first. */
export async function listEnrolments(
  tx: Db,
  {
    brandId,
    journeyId,
    profileId,
    limit,
  }: JourneyRef & { readonly profileId: bigint; readonly limit: number },
): Promise<readonly EnrolmentReport[]> {
  const { rows } = await tx.query<EnrolmentReport>(
    `select id, version, state, step, entered_at as "enteredAt", wake_at as "wakeAt", path from enrolments
     where brand_id = $1 and profile_id = $2 and journey_id = $3 order by id desc limit $4`,
    [brandId, profileId, journeyId, limit],
  )
  return rows
}

/** The profile with this user id; null when there is none. */
export async function findProfileId(
  tx: Db,
  { brandId, userId }: { readonly brandId: number; readonly userId: string },
): Promise<{ readonly id: bigint; readonly createdAt: number } | null> {
  const { rows } = await tx.query<{ id: bigint; createdAt: number }>(
    `select profile_id as id, profile_created_at as "createdAt" from profile_identities
     where brand_id = $1 and kind = 'user_id' and value = $2`,
    [brandId, userId],
  )
  return rows[0] ?? null
}

/** The names of the events that start an active journey of the brand. */
export async function loadJourneyStarts(tx: Db, brandId: number): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ name: string }>(
    `select distinct v.document #>> '{trigger,event}' as name from journeys as j
     join journey_versions as v on v.brand_id = j.brand_id and v.journey_id = j.id and v.version = j.version
     where j.brand_id = $1 and j.state = 'active' and v.document #>> '{trigger,event}' is not null`,
    [brandId],
  )
  return new Set(rows.map(({ name }) => name))
}
