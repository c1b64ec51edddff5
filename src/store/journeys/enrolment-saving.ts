import type { Inside } from '../../domain/journeys/fold.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { JOURNEY_NOTES, type JourneyNote } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import type { WebhookEventType } from '../../rules/webhooks.ts'
import type { Db } from '../db.ts'
import { journeySeriesSql } from '../series/changes.ts'
import { enqueueWebhooks, hasEndpoint } from '../webhooks/outbox.ts'

/** Writes new and moved enrolments with their notes, and adds the notes to the counts. */
export async function saveEnrolments(tx: Db, { brandId, changed, now }: ChangedEnrolments): Promise<void> {
  const rows = changed.map((one) => rowOf(one, now))
  const entered = rows.filter(({ id }) => id === null)
  const moved = rows.filter(({ id }) => id !== null)
  if (entered.length > 0) {
    await insertEntered(tx, brandId, entered)
    await forgetOldest(tx, brandId, entered)
  }
  if (moved.length > 0) await updateMoved(tx, brandId, moved)
  await addCounts(tx, { brandId, changed, now })
  await enqueueNotes(tx, { brandId, changed, now })
}

type ChangedEnrolments = {
  readonly brandId: number
  readonly changed: readonly Inside[]
  readonly now: number
}

type Row = ReturnType<typeof rowOf>

function rowOf({ id, journeyId, version, enrolment, event, notes }: Inside, now: number) {
  const { profileId, state, step, isWaiting, stepAt, wakeAt, visits, enteredAt } = enrolment
  return {
    id,
    journey_id: journeyId,
    version,
    profile_id: profileId,
    state,
    step,
    is_waiting: isWaiting,
    step_at: instant(stepAt),
    wake_at: wakeAt === null ? null : instant(wakeAt),
    visits,
    entered_at: instant(enteredAt),
    event,
    path: notes.map((note) => ({ at: now, ...note })),
  }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}

async function insertEntered(tx: Db, brandId: number, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at,
       visits, entered_at, event, path)
     select $1, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at, visits, entered_at, event,
       path
     from jsonb_to_recordset($2::jsonb) as given (journey_id bigint, version integer, profile_id bigint, state text,
       step text, is_waiting boolean, step_at timestamptz, wake_at timestamptz, visits integer,
       entered_at timestamptz, event jsonb, path jsonb)`,
    [brandId, encodeJson(rows)],
  )
}

/**
 * Deletes the oldest enrolments of people who enter again and again, because all of them are read at each entry. Rows
 * that a merge has locked are skipped until the next time: the merge may be waiting for us.
 */
async function forgetOldest(tx: Db, brandId: number, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `with placed as (
       select id, state, row_number() over (partition by journey_id, profile_id order by id desc) as place
       from enrolments where brand_id = $1 and profile_id = any($2::bigint[]) and journey_id = any($3::bigint[])
     ), old as (
       select e.id from placed join enrolments as e on e.brand_id = $1 and e.id = placed.id
       where placed.place > $4 and e.state <> 'active' for update of e skip locked
     )
     delete from enrolments as e using old where e.brand_id = $1 and e.id = old.id`,
    [
      brandId,
      [...new Set(rows.map(({ profile_id }) => profile_id))],
      [...new Set(rows.map(({ journey_id }) => journey_id))],
      JOURNEY_LIMITS.enrolmentsMax,
    ],
  )
}

/** Writes moved enrolments. Of the path the newest notes are kept. */
async function updateMoved(tx: Db, brandId: number, rows: readonly Row[]): Promise<void> {
  const slim = rows.map(({ id, state, step, is_waiting, step_at, wake_at, visits, path }) => ({
    id,
    state,
    step,
    is_waiting,
    step_at,
    wake_at,
    visits,
    path,
  }))
  await tx.query(
    `update enrolments as e set state = given.state, step = given.step, is_waiting = given.is_waiting,
       step_at = given.step_at, wake_at = given.wake_at, visits = given.visits,
       path = jsonb_path_query_array(e.path || given.path, '$[last - ${JOURNEY_LIMITS.pathNotesMax - 1} to last]')
     from jsonb_to_recordset($2::jsonb) as given (id bigint, state text, step text, is_waiting boolean,
       step_at timestamptz, wake_at timestamptz, visits integer, path jsonb)
     where e.brand_id = $1 and e.id = given.id`,
    [brandId, encodeJson(slim)],
  )
}

/** Adds one row for each step and note, in one order, so that no two workers wait for each other in a circle. */
async function addCounts(tx: Db, { brandId, changed, now }: ChangedEnrolments): Promise<void> {
  const rows = changed.flatMap(({ journeyId, version, notes }) =>
    notes.map(({ step, did }) => ({
      journey_id: journeyId,
      version,
      step: step ?? '',
      did,
      is_end: JOURNEY_NOTES[did].ends !== null,
    })),
  )
  if (rows.length === 0) return
  await tx.query(
    `with noted as (
       select $1::integer as brand_id, journey_id, version, step, did, is_end, count(*) as count
       from jsonb_to_recordset($2::jsonb)
         as given (journey_id bigint, version integer, step text, did text, is_end boolean)
       group by journey_id, version, step, did, is_end
     ), added_up as (
       ${journeySeriesSql('noted', '$3')}
     )
     insert into journey_counts as c (brand_id, journey_id, version, step, did, count)
     select brand_id, journey_id, version, step, did, count from noted order by journey_id, version, step, did
     on conflict (brand_id, journey_id, version, step, did) do update set count = c.count + excluded.count`,
    [brandId, encodeJson(rows), new Date(now)],
  )
}

/**
 * Enqueues messages for webhooks about people who entered, reached the goal or left. Nothing is looked up when there
 * is none.
 */
async function enqueueNotes(tx: Db, { brandId, changed, now }: ChangedEnrolments): Promise<void> {
  const reported = changed.flatMap(({ journeyId, version, enrolment, notes }) =>
    notes.flatMap(({ did }) => {
      const type = webhookOf(did)
      if (type === null) return []
      const { profileId } = enrolment
      return [{ type, at: now, profileId, data: { journey_id: journeyId, version, reason: did } }]
    }),
  )
  if (reported.length === 0 || !(await hasEndpoint(tx, brandId))) return
  const userIds = await loadUserIds(
    tx,
    brandId,
    reported.map(({ profileId }) => profileId),
  )
  const events = reported.map((event) => ({
    ...event,
    data: { ...event.data, user_id: userIds.get(event.profileId) ?? null },
  }))
  await enqueueWebhooks(tx, brandId, events)
}

function webhookOf(did: JourneyNote): WebhookEventType | null {
  if (did === 'entered') return 'journey.entered'
  if (did === 'goal') return 'journey.goal'
  return JOURNEY_NOTES[did].ends === null ? null : 'journey.exited'
}

async function loadUserIds(
  tx: Db,
  brandId: number,
  profileIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const { rows } = await tx.query<{ profileId: bigint; userId: string }>(
    `select profile_id as "profileId", min(value) as "userId" from profile_identities
     where brand_id = $1 and profile_id = any($2) and kind = 'user_id'
     group by profile_id`,
    [brandId, profileIds],
  )
  return new Map(rows.map(({ profileId, userId }) => [profileId, userId]))
}
