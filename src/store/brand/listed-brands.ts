import type { TeamRole } from '../../rules/team.ts'
import type { Db } from '../db.ts'
import { IS_KEPT } from './brand-state.ts'

/** A brand in the list of a member. */
export type ListedBrand = {
  readonly externalId: string
  readonly name: string
  readonly timeZone: string
  readonly createdAt: number
  /** Null for a live brand. */
  readonly restorableUntil: number | null
  /** Null for an administrator who has no role in the brand. */
  readonly role: TeamRole | null
  readonly members: number
  readonly liveSubscriptions: number
}

export type BrandViewer = { readonly memberId: string; readonly isAdministrator: boolean }

/** A page of the brands that a member may see, by external id: all for an administrator, else those with a role. */
export async function listVisibleBrands(
  db: Db,
  { memberId, isAdministrator }: BrandViewer,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ListedBrand[]> {
  const { rows } = await db.query<ListedBrand>(
    `${SELECT} and brands.external_id > $3 order by brands.external_id limit $4`,
    [memberId, isAdministrator, after, limit],
  )
  return rows
}

/** One of these brands. */
export async function loadVisibleBrand(
  db: Db,
  { memberId, isAdministrator }: BrandViewer,
  externalId: string,
): Promise<ListedBrand | null> {
  const { rows } = await db.query<ListedBrand>(`${SELECT} and brands.external_id = $3`, [
    memberId,
    isAdministrator,
    externalId,
  ])
  return rows[0] ?? null
}

/** The devices come from the roll-up of all time (minutes 0), which has a row for each platform. */
const SELECT = `select brands.external_id as "externalId", brands.name, brands.time_zone as "timeZone",
    brands.created_at as "createdAt", brands.restorable_until as "restorableUntil", ms.role,
    (select count(*)::integer from memberships where brand_id = brands.id and accepted_at is not null) as members,
    (select greatest(coalesce(sum(count), 0), 0)::integer from series
     where brand_id = brands.id and metric = 'subscriptions' and minutes = 0) as "liveSubscriptions"
  from brands left join memberships as ms
    on ms.brand_id = brands.id and ms.member_id = $1 and ms.accepted_at is not null
  where ${IS_KEPT} and ($2 or ms.member_id is not null)`
