import { planRetyping } from '../../domain/events/retyping.ts'
import type { AttributeType } from '../../rules/attributes.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import type { Db } from '../db.ts'
import { anyEvents, needing } from '../event-needs.ts'

/** An attribute whose lock got another type, and how far its stored values are sorted anew. */
export type Retyping = {
  readonly brandId: number
  /** '' for the attributes of profiles. */
  readonly eventName: string
  readonly attribute: string
  readonly type: AttributeType
  readonly sweptAt: number | null
  readonly sweptId: bigint
}

const PASSED = 'fence <= pg_snapshot_xmin(pg_current_snapshot())'

/** Processes may use the type before for so long after the change, because they remember locks. */
const SETTLED = `retyped_at <= clock_timestamp() - ${EVENT_LIMITS.typeLockSettleMs} * interval '1 millisecond'`

/** The rows of `retyped_attributes` that need a fence, or that can be sorted now. */
export const ATTRIBUTE_TO_SORT = `((fence is null and ${SETTLED}) or ${PASSED})`

/** Brands with an attribute that needs a fence, or that can be sorted now. */
export async function findRetyped(db: Db, limit: number): Promise<readonly number[]> {
  const { rows } = await db.query<{ brandId: number }>(
    `select distinct brand_id as "brandId" from retyped_attributes
     where ${ATTRIBUTE_TO_SORT} limit $1`,
    [limit],
  )
  return rows.map(({ brandId }) => brandId)
}

/** A transaction that may have used the type before has a number below the fence, which is taken now. */
export async function raiseRetypingFences(tx: Db, brandId: number): Promise<void> {
  await tx.query(
    `update retyped_attributes set fence = pg_current_xact_id()
     where brand_id = $1 and fence is null and ${SETTLED}`,
    [brandId],
  )
}

/** The first attribute that can be sorted. Its row is locked, so that its type does not change meanwhile. */
export async function nextRetyping(tx: Db, brandId: number): Promise<Retyping | null> {
  const { rows } = await tx.query<Retyping>(
    `select r.brand_id as "brandId", event_name as "eventName", attribute, l.type, swept_at as "sweptAt",
       swept_id as "sweptId"
     from retyped_attributes as r join attribute_locks as l using (brand_id, event_name, attribute)
     where brand_id = $1 and ${PASSED} order by event_name, attribute limit 1 for no key update of r, l`,
    [brandId],
  )
  return rows[0] ?? null
}

/**
 * Sorts the next values of the attribute: shown if they fit the lock, mistyped if not. Returns whether those were the
 * last. The caller has locked the counting reader, and everything below the fence is counted.
 */
export async function sortRetyped(tx: Db, retyping: Retyping, rowsMax: number): Promise<boolean> {
  const { brandId, eventName, attribute, type } = retyping
  const rows =
    eventName === '' ? await loadProfiles(tx, retyping, rowsMax) : await loadEvents(tx, retyping, rowsMax)
  const moves = rows.flatMap((row) => {
    const { isHidden, isRevealed } = planRetyping(row, type)
    return isHidden || isRevealed ? [{ id: String(row.id), hide: isHidden, reveal: isRevealed }] : []
  })
  if (moves.length > 0) await move(tx, retyping, moves)
  const last = rows.at(-1)
  if (last === undefined || rows.length < rowsMax) {
    await tx.query(
      'delete from retyped_attributes where brand_id = $1 and event_name = $2 and attribute = $3',
      [brandId, eventName, attribute],
    )
    return true
  }
  await tx.query(
    `update retyped_attributes set swept_at = $4, swept_id = $5
     where brand_id = $1 and event_name = $2 and attribute = $3`,
    [brandId, eventName, attribute, last.at === null ? null : new Date(last.at), last.id],
  )
  return false
}

type ValueRow = {
  readonly id: bigint
  readonly at: number | null
  readonly shown: unknown
  readonly mistyped: unknown
}

async function loadEvents(
  tx: Db,
  { brandId, eventName, attribute, sweptAt, sweptId }: Retyping,
  rowsMax: number,
) {
  const { rows } = await tx.query<ValueRow>(
    `select id, event_at as at, attributes -> $3 as shown, mistyped -> $3 as mistyped from events
     where brand_id = $1 and event_name = $2 and (event_at, id) > (coalesce($4::timestamptz, '-infinity'), $5::bigint)
     order by event_at, id limit $6`,
    needing([brandId, eventName, attribute, sweptAt === null ? null : new Date(sweptAt), sweptId, rowsMax], {
      ...anyEvents(brandId),
      names: [eventName],
      pick: {
        kind: 'following',
        limit: rowsMax,
        after: sweptAt === null ? null : { at: sweptAt, id: sweptId },
      },
      use: 'write',
    }),
  )
  return rows
}

async function loadProfiles(tx: Db, { brandId, attribute, sweptId }: Retyping, rowsMax: number) {
  const { rows } = await tx.query<ValueRow>(
    `select id, null as at, attributes -> $2 as shown, mistyped -> $2 as mistyped from profiles
     where brand_id = $1 and id > $3 order by id limit $4 for no key update`,
    [brandId, attribute, sweptId, rowsMax],
  )
  return rows
}

/** A mistyped value beside a shown one is the newer of the two, so it stays when both do not fit. */
type Move = { readonly id: string; readonly hide: boolean; readonly reveal: boolean }

async function move(
  tx: Db,
  { brandId, eventName, attribute }: Retyping,
  moves: readonly Move[],
): Promise<void> {
  await tx.query(
    `update ${eventName === '' ? 'profiles' : 'events'} as t
     set attributes = case when reveal then attributes || jsonb_build_object($2::text, mistyped -> $2)
         else attributes - $2 end,
       mistyped = nullif(case
         when not hide then mistyped - $2
         when reveal then mistyped || jsonb_build_object($2::text, attributes -> $2)
         else jsonb_build_object($2::text, attributes -> $2) || coalesce(mistyped, '{}')
       end, '{}')
     from jsonb_to_recordset($3::jsonb) as given (id bigint, hide boolean, reveal boolean)
     where t.brand_id = $1 and t.id = given.id`,
    [brandId, attribute, JSON.stringify(moves)],
  )
  const hidden = moves.filter(({ hide }) => hide).length
  const revealed = moves.filter(({ reveal }) => reveal).length
  await tx.query(
    `update attribute_locks
     set shown_count = greatest(0, shown_count + $4), mistyped_count = greatest(0, mistyped_count - $4)
     where brand_id = $1 and event_name = $2 and attribute = $3`,
    [brandId, eventName, attribute, revealed - hidden],
  )
}
