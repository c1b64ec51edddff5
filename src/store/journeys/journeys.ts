import type { StoredMessages } from '../../domain/journeys/stored-journey.ts'
import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import { JOURNEY_FORMAT, type JourneyState } from '../../rules/journeys.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'
import { containsSql } from '../folded-text.ts'
import { type RowPage, readPage } from '../page.ts'
import type { JourneyRef } from './enrolments.ts'

/** A journey with its newest document, in the form it was written. */
export type StoredJourney = {
  readonly id: bigint
  readonly name: string
  readonly state: JourneyState
  readonly version: number
  readonly document: JsonObject
  readonly messages: StoredMessages
  /** Why nobody can enter by the segment at present; null if people can. */
  readonly scanReason: string | null
  readonly activeSince: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The content of one version. */
export type VersionDraft = {
  readonly document: JsonObject
  readonly messages: StoredMessages
  readonly listens: readonly string[]
}

type JourneyDraft = VersionDraft & {
  readonly brandId: number
  readonly name: string
  /** The most journeys that a brand may have; archived ones do not count. */
  readonly journeysMax: number
  readonly now: number
}

/** Null when the brand has as many journeys as it may. Two calls at once wait for each other. */
export async function createJourney(tx: Db, draft: JourneyDraft): Promise<StoredJourney | null> {
  const { brandId, name, journeysMax, now } = draft
  await lockOfBrand(tx, brandId, 'count of journeys')
  const { rows } = await tx.query<{ id: bigint }>(
    `insert into journeys (brand_id, name, created_at, updated_at) select $1, $2, $3, $3
     where (select count(*) from journeys where brand_id = $1 and state <> 'archived') < $4 returning id`,
    [brandId, name, new Date(now), journeysMax],
  )
  const [row] = rows
  if (row === undefined) return null
  await insertVersion(tx, { brandId, journeyId: row.id }, { ...draft, version: 1 })
  return loadOwn(tx, { brandId, journeyId: row.id })
}

export type JourneyEdit = {
  readonly name: string | null
  /** A new document makes a new version; people inside finish on their own version. */
  readonly version: VersionDraft | null
  /**
   * The next state of the scan for people who enter by a segment or a date: it goes on (`keep`), ends (`none`), begins
   * by storing who is in the segment now (`watch`), or takes dates from `now` on, so that an edit repeats none
   * (`from_now`).
   */
  readonly scan: 'keep' | 'none' | 'watch' | 'from_now'
  readonly now: number
}

export async function changeJourney(tx: Db, ref: JourneyRef, edit: JourneyEdit): Promise<StoredJourney> {
  const { rows } = await tx.query<{ version: number }>(
    `update journeys set name = coalesce($3, name), version = version + $4::integer, updated_at = $5,
       scan_at = case when $6 = 'keep' then scan_at when $6 <> 'none' and state = 'active' then $5 end,
       scanned_until = case $6 when 'keep' then scanned_until when 'from_now' then $5 end,
       scan_reason = case $6 when 'keep' then scan_reason end
     where brand_id = $1 and id = $2 returning version`,
    [ref.brandId, ref.journeyId, edit.name, edit.version === null ? 0 : 1, new Date(edit.now), edit.scan],
  )
  const [row] = rows
  if (row === undefined) throw new Error('a journey vanished while it was locked')
  if (edit.version !== null) {
    await insertVersion(tx, ref, { ...edit.version, version: row.version, now: edit.now })
  }
  return loadOwn(tx, ref)
}

async function insertVersion(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  {
    version,
    document,
    messages,
    listens,
    now,
  }: VersionDraft & { readonly version: number; readonly now: number },
): Promise<void> {
  await tx.query(
    `insert into journey_versions (brand_id, journey_id, version, document, messages, listens, created_at, format)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      brandId,
      journeyId,
      version,
      encodeJson(document),
      encodeJson(messages),
      listens,
      new Date(now),
      JOURNEY_FORMAT,
    ],
  )
}

/** The journey, locked until the transaction ends. */
export async function lockJourney(tx: Db, ref: JourneyRef): Promise<StoredJourney | null> {
  const { count } = await tx.query('select from journeys where brand_id = $1 and id = $2 for update', [
    ref.brandId,
    ref.journeyId,
  ])
  return count === 0 ? null : loadJourney(tx, ref)
}

export async function loadJourney(db: Db, { brandId, journeyId }: JourneyRef): Promise<StoredJourney | null> {
  const { rows } = await db.query<StoredJourney>(`${SELECT} where j.brand_id = $1 and j.id = $2`, [
    brandId,
    journeyId,
  ])
  return rows[0] ?? null
}

async function loadOwn(tx: Db, ref: JourneyRef): Promise<StoredJourney> {
  const journey = await loadJourney(tx, ref)
  if (journey === null) throw new Error('a journey vanished while it was locked')
  return journey
}

type JourneyPage = {
  readonly brandId: number
  readonly after: bigint | null
  readonly limit: number
  readonly isArchived: boolean
  readonly state: JourneyState | null
  /** A part of the name, in any case. */
  readonly text: string | null
}

/** A page of journeys, oldest first. */
export async function listJourneys(db: Db, page: JourneyPage): Promise<RowPage<StoredJourney>> {
  return readPage(db, {
    text: `${SELECT} where j.brand_id = $1 and ($2::bigint is null or j.id > $2) and (j.state = 'archived') = $3
       and ($5::text is null or j.state = $5) and ($6::text is null or ${containsSql('j.name', '$6')})
     order by j.id limit $4`,
    values: [page.brandId, page.after, page.isArchived, page.limit, page.state, page.text],
    limit: page.limit,
    kind: 'documents',
  })
}

type StateChange = {
  readonly state: JourneyState
  readonly isScanned: boolean
  readonly now: number
}

/**
 * Sets the state of a journey. An activation starts at `now`: the members of a segment are stored anew, so nobody
 * enters because of what happened while the journey was paused. If the clock of this process is a little ahead of the
 * database's, the database's counts, so that an event that another process takes right after the reply starts it.
 */
export async function saveJourneyState(
  tx: Db,
  { brandId, journeyId }: JourneyRef,
  { state, isScanned, now }: StateChange,
): Promise<void> {
  await tx.query(
    `update journeys set state = $3, updated_at = $4,
       active_since = case when $3 = 'active' then date_trunc('milliseconds', least($4, now())) else active_since end,
       scan_at = case when $3 = 'active' and $5 then $4::timestamptz end,
       scanned_until = case when $3 <> 'active' then scanned_until end, scan_reason = null
     where brand_id = $1 and id = $2`,
    [brandId, journeyId, state, new Date(now), isScanned],
  )
}

const SELECT = `select j.id, j.name, j.state, j.version, v.document, v.messages, j.scan_reason as "scanReason", j.active_since as "activeSince",
    j.created_at as "createdAt", j.updated_at as "updatedAt"
  from journeys as j
  join journey_versions as v on v.brand_id = j.brand_id and v.journey_id = j.id and v.version = j.version`
