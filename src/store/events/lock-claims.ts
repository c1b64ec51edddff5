import type { NewLock, TypeLock } from '../../domain/events/type-locks.ts'
import type { AttributeType } from '../../rules/attributes.ts'
import { auditAction } from '../brand/audit.ts'
import type { Db } from '../db.ts'

type LockClaim = {
  readonly brandId: number
  /** No two for the same attribute. */
  readonly locks: readonly NewLock[]
  readonly now: number
}

/** A provisional lock that a value of a secret key replaced; `before` is the type of the browsers. */
export type OverruledLock = NewLock & { readonly before: AttributeType }

type ClaimedLocks = { readonly locks: readonly TypeLock[]; readonly overruled: readonly OverruledLock[] }

/**
 * Locks attributes to types and returns the lock of each of them: the first writer wins, across processes, but a secret
 * key wins over browsers. The second writer waits for the first to commit and gets the type of the first; if the first
 * rolls back, the lock is free again.
 */
export async function claimLocks(tx: Db, claim: LockClaim): Promise<ClaimedLocks> {
  const wanted = claim.locks.toSorted(byName)
  const { count } = await tx.query(
    `insert into attribute_locks (brand_id, event_name, attribute, type, is_provisional, locked_at, last_seen_at)
     select $1, event_name, attribute, type, is_provisional, $6, $6
     from unnest($2::text[], $3::text[], $4::text[], $5::boolean[]) as lock (event_name, attribute, type, is_provisional)
     on conflict (brand_id, event_name, attribute) do nothing`,
    [claim.brandId, ...namesOf(wanted), ...typesOf(wanted), new Date(claim.now)],
  )
  if (count === wanted.length) return { locks: wanted, overruled: [] }
  // This is a statement of its own: the insert cannot see a lock that was committed after it began.
  const before = await loadLocks(tx, claim.brandId, wanted)
  const provisional = new Map(
    before.filter((lock) => lock.isProvisional).map((lock) => [keyOf(lock), lock.type]),
  )
  const firm = wanted.filter((lock) => !lock.isProvisional && provisional.has(keyOf(lock)))
  if (firm.length === 0) return { locks: before, overruled: [] }
  await overrule(tx, { ...claim, locks: firm })
  // Another transaction may have been first with that, so the locks are read again.
  const locks = await loadLocks(tx, claim.brandId, wanted)
  const settled = new Map(locks.map((lock) => [keyOf(lock), lock.type]))
  const overruled = firm.flatMap((lock) => {
    const type = provisional.get(keyOf(lock))
    const isChanged = type !== undefined && type !== lock.type && settled.get(keyOf(lock)) === lock.type
    return isChanged ? [{ ...lock, before: type }] : []
  })
  return { locks, overruled }
}

/** Replaces provisional locks. Values that were stored under another type are sorted anew later (`retyping.ts`). */
async function overrule(tx: Db, { brandId, locks, now }: LockClaim): Promise<void> {
  await tx.query(
    `with given as (
       select * from unnest($2::text[], $3::text[], $4::text[], $5::boolean[])
         as given (event_name, attribute, type, is_provisional)
     ), old as materialized (
       select event_name, attribute, type from attribute_locks
       where brand_id = $1 and is_provisional and (event_name, attribute) in (select event_name, attribute from given)
       order by event_name, attribute for no key update
     ), changed as (
       update attribute_locks as l set type = given.type, is_provisional = false, locked_at = $6
       from old join given using (event_name, attribute)
       where l.brand_id = $1 and l.event_name = old.event_name and l.attribute = old.attribute
     )
     insert into retyped_attributes (brand_id, event_name, attribute)
     select $1, event_name, attribute from old join given using (event_name, attribute) where old.type <> given.type
     ${RETYPED_AGAIN}`,
    [brandId, ...namesOf(locks), ...typesOf(locks), new Date(now)],
  )
}

/** A lock that changes twice is sorted from the beginning. */
const RETYPED_AGAIN = `on conflict (brand_id, event_name, attribute) do update
  set retyped_at = excluded.retyped_at, fence = null, swept_at = null, swept_id = 0`

export type LockReset = {
  readonly brandId: number
  /** '' for the attributes of profiles. */
  readonly eventName: string
  readonly attribute: string
  /** Null: the next value of a secret key decides. */
  readonly type: AttributeType | null
  readonly now: number
}

/** Takes a lock back, or sets its type. Null when there is no lock and no type was given. */
export async function resetLock(tx: Db, reset: LockReset): Promise<TypeLock | null> {
  const { brandId, eventName, attribute, type, now } = reset
  const { rows } =
    type === null
      ? await tx.query<TypeLock>(
          `update attribute_locks set is_provisional = true
           where brand_id = $1 and event_name = $2 and attribute = $3
           returning event_name as "eventName", attribute, type, is_provisional as "isProvisional"`,
          [brandId, eventName, attribute],
        )
      : await tx.query<TypeLock>(
          `with retyped as (
             insert into retyped_attributes (brand_id, event_name, attribute)
             select brand_id, event_name, attribute from attribute_locks
             where brand_id = $1 and event_name = $2 and attribute = $3
             ${RETYPED_AGAIN}
           )
           insert into attribute_locks (brand_id, event_name, attribute, type, locked_at, last_seen_at)
           values ($1, $2, $3, $4, $5, $5)
           on conflict (brand_id, event_name, attribute) do update
           set type = excluded.type, is_provisional = false, locked_at = excluded.locked_at
           returning event_name as "eventName", attribute, type, is_provisional as "isProvisional"`,
          [brandId, eventName, attribute, type, new Date(now)],
        )
  const [lock] = rows
  if (lock === undefined) return null
  const after = { type: lock.type, is_provisional: lock.isProvisional }
  await auditAction(tx, {
    brandId,
    action: 'changed',
    type: 'type_lock',
    id: `${eventName}:${attribute}`,
    after,
  })
  return lock
}

/** The name of the event, '' for profiles, and of the attribute. */
type LockName = Pick<TypeLock, 'eventName' | 'attribute'>

/** The committed locks of the named attributes, and those that this transaction made. */
export async function loadLocks(
  tx: Db,
  brandId: number,
  locks: readonly LockName[],
): Promise<readonly TypeLock[]> {
  const { rows } = await tx.query<TypeLock>(
    `select event_name as "eventName", attribute, type, is_provisional as "isProvisional" from attribute_locks
     where brand_id = $1 and (event_name, attribute) in (select * from unnest($2::text[], $3::text[]))`,
    [brandId, ...namesOf(locks)],
  )
  return rows
}

function namesOf(locks: readonly LockName[]): readonly (readonly string[])[] {
  return [locks.map(({ eventName }) => eventName), locks.map(({ attribute }) => attribute)]
}

function typesOf(locks: readonly TypeLock[]): readonly (readonly (string | boolean)[])[] {
  return [locks.map(({ type }) => type), locks.map(({ isProvisional }) => isProvisional)]
}

/** No event name has a line break. */
function keyOf({ eventName, attribute }: TypeLock): string {
  return `${eventName}\n${attribute}`
}

/** All claims lock in one order, so that two of them can never wait for each other. */
function byName(a: TypeLock, b: TypeLock): number {
  return compare(a.eventName, b.eventName) || compare(a.attribute, b.attribute)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
