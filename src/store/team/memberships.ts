import type { TeamRole } from '../../rules/team.ts'
import { IS_KEPT } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

/** Why a change of a team did not happen. `not_owner`: the member who asked has lost the role meanwhile. */
export type RoleRefusal = 'not_a_member' | 'not_owner' | 'last_owner'

type RoleChange = {
  readonly brandId: number
  readonly memberId: string
  /** The owner who asks; null for the operator. */
  readonly byMemberId: string | null
}

/** Adds a member to a brand, or invites one; false when the member is in it, or invited, already. */
export async function addMembership(
  tx: Db,
  {
    brandId,
    memberId,
    role,
    now,
    isAccepted,
  }: {
    readonly brandId: number
    readonly memberId: string
    readonly role: TeamRole
    readonly now: number
    /** Only for the member's own act; anybody else invites. */
    readonly isAccepted: boolean
  },
): Promise<boolean> {
  const { count } = await tx.query(
    `insert into memberships (brand_id, member_id, role, created_at, accepted_at) values ($1, $2, $3, $4, $5)
     on conflict (brand_id, member_id) do nothing`,
    [brandId, memberId, role, new Date(now), isAccepted ? new Date(now) : null],
  )
  return count === 1
}

/** Makes an invitation a membership. Processes that know the member's brands look again. */
export async function acceptMembership(
  tx: Db,
  { brandId, memberId, now }: { readonly brandId: number; readonly memberId: string; readonly now: number },
): Promise<void> {
  await tx.query(
    `update memberships set accepted_at = $3 where brand_id = $1 and member_id = $2 and accepted_at is null`,
    [brandId, memberId, new Date(now)],
  )
  await notifyKeysGone(tx)
}

/** Makes a member the owner of every brand there is. */
export async function ownEveryBrand(
  tx: Db,
  { memberId, now }: { readonly memberId: string; readonly now: number },
): Promise<void> {
  await tx.query(
    `insert into memberships (brand_id, member_id, role, created_at, accepted_at)
     select id, $1, 'owner', $2, $2 from brands where ${IS_KEPT}
     on conflict (brand_id, member_id) do nothing`,
    [memberId, new Date(now)],
  )
}

/** Gives a member another role; null when it is done. */
export async function changeRole(
  tx: Db,
  change: RoleChange & { readonly role: TeamRole },
): Promise<RoleRefusal | null> {
  const refusal = await checkChange(tx, change, change.role)
  if (refusal !== null) return refusal
  await tx.query('update memberships set role = $3 where brand_id = $1 and member_id = $2', [
    change.brandId,
    change.memberId,
    change.role,
  ])
  await notifyKeysGone(tx)
  return null
}

/** Takes a member out of a brand; null when it is done. */
export async function removeMembership(tx: Db, change: RoleChange): Promise<RoleRefusal | null> {
  const refusal = await checkChange(tx, change, null)
  if (refusal !== null) return refusal
  await tx.query('delete from memberships where brand_id = $1 and member_id = $2', [
    change.brandId,
    change.memberId,
  ])
  await notifyKeysGone(tx)
  return null
}

/**
 * Every change of a brand's roles first locks the rows of all its owners, in one order. So of two owners who remove each
 * other at once the second sees that they are an owner no longer, and the last owner cannot go. An invited owner who
 * has not accepted is none.
 */
async function checkChange(
  tx: Db,
  { brandId, memberId, byMemberId }: RoleChange,
  role: TeamRole | null,
): Promise<RoleRefusal | null> {
  const { rows: owners } = await tx.query<{ id: string }>(
    `select member_id as id from memberships where brand_id = $1 and role = 'owner' and accepted_at is not null
     order by member_id for update`,
    [brandId],
  )
  if (byMemberId !== null && !owners.some(({ id }) => id === byMemberId)) return 'not_owner'
  const found = await tx.query('select from memberships where brand_id = $1 and member_id = $2 for update', [
    brandId,
    memberId,
  ])
  if (found.count === 0) return 'not_a_member'
  const isLast = owners.length === 1 && owners[0]?.id === memberId
  return isLast && role !== 'owner' ? 'last_owner' : null
}

/** The brands that would be without an owner if this member went, locked until the transaction ends. */
export async function brandsOfLastOwner(tx: Db, memberId: string): Promise<readonly string[]> {
  const { rows } = await tx.query<{ brand: string; owners: number }>(
    `with locked as (
       select ms.brand_id, ms.member_id from memberships as ms
       where ms.role = 'owner' and ms.accepted_at is not null
         and ms.brand_id in (select brand_id from memberships
           where member_id = $1 and role = 'owner' and accepted_at is not null)
       order by ms.brand_id, ms.member_id for update
     )
     select brands.external_id as brand, count(*)::integer as owners
     from locked join brands on brands.id = locked.brand_id
     where ${IS_KEPT} group by brands.external_id having count(*) = 1 order by brands.external_id limit 100`,
    [memberId],
  )
  return rows.map(({ brand }) => brand)
}
