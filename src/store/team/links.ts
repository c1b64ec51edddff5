import type { LinkFacts } from '../../domain/team/link-purpose.ts'
import type { TeamRole } from '../../rules/team.ts'
import { IS_KEPT } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import { CAN_SIGN_IN } from './members.ts'

/** A one-time link. Without a member it makes the first administrator. */
export type MemberLink = LinkFacts & {
  readonly name: string | null
  readonly brandName: string | null
  readonly role: TeamRole | null
}

/** Makes a link; the links that the member had before from the same brand, or from the operator, are void. */
export async function saveLink(
  tx: Db,
  link: {
    readonly id: string
    readonly memberId: string | null
    readonly brandId: number | null
    readonly hash: Uint8Array
    readonly expiresAt: number
    readonly now: number
  },
): Promise<void> {
  await voidBrandLink(tx, link)
  await tx.query(
    `insert into member_links (id, member_id, of_brand, token_hash, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [link.id, link.memberId, link.brandId, link.hash, new Date(link.expiresAt), new Date(link.now)],
  )
}

type LinkPlace = { readonly memberId: string | null; readonly brandId: number | null }

/** Makes the link void that a brand has made for a member. */
export async function voidBrandLink(tx: Db, { memberId, brandId }: LinkPlace): Promise<void> {
  await tx.query(
    'delete from member_links where member_id is not distinct from $1 and of_brand is not distinct from $2',
    [memberId, brandId],
  )
}

/**
 * Makes the links of a member void; without a member, those of the first administrator. Invitations to other brands
 * stay: they set no password of a member who has one.
 */
export async function voidLinks(tx: Db, memberId: string | null): Promise<void> {
  await tx.query(
    `delete from member_links as l where l.member_id is not distinct from $1 and not exists (
       select from memberships as ms
       where ms.brand_id = l.of_brand and ms.member_id = l.member_id and ms.accepted_at is null)`,
    [memberId],
  )
}

/** The live link with this hash. */
export async function findLink(
  db: Db,
  { hash, now }: { readonly hash: Uint8Array; readonly now: number },
): Promise<MemberLink | null> {
  const { rows } = await db.query<MemberLink>(
    `select ${FACTS} from member_links as l left join members as m on m.id = l.member_id
       left join memberships as ms on ms.brand_id = l.of_brand and ms.member_id = l.member_id
       left join brands on brands.id = l.of_brand and ${IS_KEPT}
     where l.token_hash = $1 and l.expires_at > $2 and (l.of_brand is null or brands.id is not null)`,
    [hash, new Date(now)],
  )
  return rows[0] ?? null
}

/** The facts of a link that a brand would make for one of its members. */
export async function loadLinkFacts(
  tx: Db,
  { memberId, brandId }: { readonly memberId: string; readonly brandId: number },
): Promise<LinkFacts | null> {
  const { rows } = await tx.query<MemberLink>(
    `select ${FACTS} from (select $1::uuid as member_id, $2::integer as of_brand) as l
       join members as m on m.id = l.member_id
       join memberships as ms on ms.brand_id = l.of_brand and ms.member_id = l.member_id
       join brands on brands.id = l.of_brand`,
    [memberId, brandId],
  )
  return rows[0] ?? null
}

/** Takes a live link away. Of two who use it at once, one gets true. */
export async function consumeLink(
  tx: Db,
  { hash, now }: { readonly hash: Uint8Array; readonly now: number },
): Promise<boolean> {
  const { count } = await tx.query('delete from member_links where token_hash = $1 and expires_at > $2', [
    hash,
    new Date(now),
  ])
  return count === 1
}

const FACTS = `l.member_id as "memberId", m.email, m.name, l.of_brand as "brandId", brands.name as "brandName", ms.role,
  ms.member_id is not null and ms.accepted_at is null as "isInvited",
  coalesce(m.is_administrator, false) as "isAdministrator", ${CAN_SIGN_IN} as "canSignIn",
  exists (select from member_accounts as a where a.member_id = m.id and a.provider_id <> 'credential') as "hasProvider",
  (select count(*)::integer from memberships as other where other.member_id = l.member_id
     and other.accepted_at is not null and other.brand_id is distinct from l.of_brand) as "otherBrands"`
