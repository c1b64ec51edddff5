import { SIGN_IN } from '../../rules/sign-in.ts'
import type { TeamRole } from '../../rules/team.ts'
import type { Db } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'

export type Member = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly isAdministrator: boolean
  readonly hasTwoFactor: boolean
  /** Whether the member has signed in before: by a password, a passkey, the company's identity provider or the first link. */
  readonly canSignIn: boolean
  readonly createdAt: number
}

export type MemberDraft = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly isAdministrator: boolean
  readonly now: number
}

/** Makes a member, or finds the one with this address; `isNew` tells which. */
export async function ensureMember(
  tx: Db,
  { id, email, name, isAdministrator, now }: MemberDraft,
): Promise<{ readonly member: Member; readonly isNew: boolean }> {
  const { count } = await tx.query(
    `insert into members (id, email, name, email_verified, is_administrator, created_at, updated_at)
     values ($1, $2, $3, true, $4, $5, $5) on conflict (email) do nothing`,
    [id, email.toLowerCase(), name, isAdministrator, new Date(now)],
  )
  const member = await findMemberByEmail(tx, email)
  if (member === null) throw new Error('a member is gone as soon as it was made')
  return { member, isNew: count === 1 }
}

export async function findMemberByEmail(db: Db, email: string): Promise<Member | null> {
  const { rows } = await db.query<Member>(`select ${COLUMNS} from members as m where m.email = $1`, [
    email.toLowerCase(),
  ])
  return rows[0] ?? null
}

export async function hasMembers(db: Db): Promise<boolean> {
  return (await db.query('select from members limit 1')).count > 0
}

/** A brand of a member, as the operator sees it. */
export type MemberPlace = { readonly brand: string; readonly role: TeamRole; readonly isInvited: boolean }

export type ListedMember = Member & { readonly places: readonly MemberPlace[] }

/** All members of the instance, with their brands, for the operator. */
export async function listAllMembers(
  db: Db,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ListedMember[]> {
  const { rows } = await db.query<ListedMember>(
    `select ${COLUMNS}, coalesce((select jsonb_agg(place) from (
       select jsonb_build_object('brand', b.external_id, 'role', ms.role, 'isInvited', ms.accepted_at is null) as place
       from memberships as ms join brands as b on b.id = ms.brand_id
       where ms.member_id = m.id order by b.external_id limit 100) as places), '[]') as places
     from members as m where m.email > $1 order by m.email limit $2`,
    [after, limit],
  )
  return rows
}

/** A member as the team of a brand sees it. */
export type TeamMember = Member & { readonly role: TeamRole; readonly isInvited: boolean }

/** A page of the members of a brand, by address. */
export async function listBrandMembers(
  db: Db,
  { brandId, after, limit }: { readonly brandId: number; readonly after: string; readonly limit: number },
): Promise<readonly TeamMember[]> {
  const { rows } = await db.query<TeamMember>(
    `select ${COLUMNS}, ms.role, ms.accepted_at is null as "isInvited" from memberships as ms join members as m on m.id = ms.member_id
     where ms.brand_id = $1 and m.email > $2 order by m.email limit $3`,
    [brandId, after, limit],
  )
  return rows
}

export async function findBrandMember(
  db: Db,
  { brandId, memberId }: { readonly brandId: number; readonly memberId: string },
): Promise<TeamMember | null> {
  const { rows } = await db.query<TeamMember>(
    `select ${COLUMNS}, ms.role, ms.accepted_at is null as "isInvited" from memberships as ms join members as m on m.id = ms.member_id
     where ms.brand_id = $1 and ms.member_id = $2`,
    [brandId, memberId],
  )
  return rows[0] ?? null
}

export type BrandRole = { readonly brandId: string; readonly name: string; readonly role: TeamRole }

/** The brands of a member; an invitation is none yet. */
export async function listBrandRoles(db: Db, memberId: string): Promise<readonly BrandRole[]> {
  const { rows } = await db.query<BrandRole>(
    `select b.external_id as "brandId", b.name, ms.role from memberships as ms
       join brands as b on b.id = ms.brand_id and b.deleted_at is null
     where ms.member_id = $1 and ms.accepted_at is not null order by b.external_id limit 1000`,
    [memberId],
  )
  return rows
}

export async function countBrandMembers(db: Db, brandId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from memberships where brand_id = $1',
    [brandId],
  )
  return rows[0]?.count ?? 0
}

/** The other brands in which a member has a role, or is invited to one. */
export async function countOtherBrands(
  db: Db,
  { brandId, memberId }: { readonly brandId: number; readonly memberId: string },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from memberships where member_id = $2 and brand_id <> $1',
    [brandId, memberId],
  )
  return rows[0]?.count ?? 0
}

/** Deletes a member with sessions, passkeys and memberships. */
export async function deleteMember(tx: Db, memberId: string): Promise<void> {
  // Left to the cascade, memberships would be deleted with the rights of the tables' owner, who sees no brand to write into its audit.
  await tx.query('delete from memberships where member_id = $1', [memberId])
  await tx.query('delete from members where id = $1', [memberId])
  await notifyKeysGone(tx)
}

/** Keeps anybody else from making or naming a member until the transaction ends, so that an address is free or taken. */
export async function lockAddresses(tx: Db): Promise<void> {
  await tx.query('lock table members in share row exclusive mode')
}

/** Locks a member until the transaction ends, so that links of two brands are used one after the other. */
export async function lockMember(tx: Db, memberId: string): Promise<void> {
  await tx.query('select from members where id = $1 for update', [memberId])
}

/** Sets the password of a member, by its hash. */
export async function savePassword(
  tx: Db,
  {
    id,
    memberId,
    hash,
    now,
  }: {
    readonly id: string
    readonly memberId: string
    readonly hash: string
    readonly now: number
  },
): Promise<void> {
  await tx.query(
    `insert into member_accounts (id, member_id, provider_id, account_id, password, created_at, updated_at)
     values ($1, $2::uuid, 'credential', $2::uuid::text, $3, $4, $4)
     on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
    [id, memberId, hash, new Date(now)],
  )
}

/** Gives the first administrator an address and a name in place of the placeholder; false when that was done before. */
export async function nameMember(
  tx: Db,
  { memberId, email, name, now }: Pick<MemberDraft, 'email' | 'name' | 'now'> & { readonly memberId: string },
): Promise<boolean> {
  const { count } = await tx.query(
    'update members set email = $2, name = $3, updated_at = $4 where id = $1 and email = $5',
    [memberId, email.toLowerCase(), name, new Date(now), SIGN_IN.placeholderEmail],
  )
  return count === 1
}

/** The stored password of a member; null without one. */
export async function loadPasswordHash(db: Db, memberId: string): Promise<string | null> {
  const { rows } = await db.query<{ password: string | null }>(
    `select password from member_accounts where member_id = $1 and provider_id = 'credential'`,
    [memberId],
  )
  return rows[0]?.password ?? null
}

/** Whether the member m has signed in before. */
export const CAN_SIGN_IN = `(exists (select from member_accounts as a where a.member_id = m.id)
    or exists (select from member_passkeys as p where p.member_id = m.id)
    or m.email is not distinct from '${SIGN_IN.placeholderEmail}')`

const COLUMNS = `m.id, m.email, m.name, m.is_administrator as "isAdministrator", m.two_factor_enabled as "hasTwoFactor",
  ${CAN_SIGN_IN} as "canSignIn",
  m.created_at as "createdAt"`
