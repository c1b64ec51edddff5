import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { ErrorCode } from '../../rules/errors.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import type { TeamRole } from '../../rules/team.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import type { Database, Db } from '../../store/db.ts'
import { voidLinks } from '../../store/team/links.ts'
import {
  countBrandMembers,
  countOtherBrands,
  deleteMember,
  ensureMember,
  findBrandMember,
  type TeamMember,
} from '../../store/team/members.ts'
import {
  addMembership,
  changeRole,
  type RoleRefusal,
  removeMembership,
} from '../../store/team/memberships.ts'
import { makeLink, type NewLink } from './links.ts'

export type Invitation = {
  readonly brandId: number
  readonly email: string
  readonly name: string
  readonly role: TeamRole
  readonly now: number
  readonly author?: AuthoredRequest
}

/** The link is null for a person who can sign in already, or whose other brands the inviter does not own. */
export type Invited = { readonly member: TeamMember; readonly link: NewLink | null }

/** Adds a person to a brand, and makes them a member of this Beckon if they are none. */
export async function inviteMember(database: Database, invitation: Invitation): Promise<Result<Invited>> {
  const { brandId, email, name, role, now } = invitation
  return database.asTeam(async (tx) => {
    if ((await countBrandMembers(tx, brandId)) >= SIGN_IN.membersMax)
      return reject(fault('too_many_members', null, { max: SIGN_IN.membersMax }))
    const draft = { id: newId(), email, name, isAdministrator: false, now }
    const { member } = await ensureMember(tx, draft)
    if (!(await addMembership(tx, { brandId, memberId: member.id, role, now })))
      return reject(fault('member_exists'))
    const joined = { ...member, role }
    const link = member.canSignIn ? null : await makeSafeLink(tx, { brandId, member: joined, now })
    return accept({ member: joined, link })
  }, invitation.author)
}

type Reset = {
  readonly brandId: number
  readonly memberId: string
  readonly now: number
  readonly author: AuthoredRequest
}

/** A new link for a member who cannot sign in any more. */
export async function resetMember(
  database: Database,
  { brandId, memberId, now, author }: Reset,
): Promise<Result<Invited>> {
  return database.asTeam(async (tx) => {
    const member = await findBrandMember(tx, { brandId, memberId })
    if (member === null) return reject(fault('member_not_found'))
    return accept({ member, link: await makeSafeLink(tx, { brandId, member, now }) })
  }, author)
}

/**
 * The holder of a link can become its member. So the owner of a brand gets one only for a member of this brand alone, and
 * never for an administrator: it would open other brands.
 */
async function makeSafeLink(
  tx: Db,
  { brandId, member, now }: { readonly brandId: number; readonly member: TeamMember; readonly now: number },
): Promise<NewLink | null> {
  const others = await countOtherBrands(tx, { brandId, memberId: member.id })
  if (member.isAdministrator || others > 0) {
    // A link that was made while the member had one brand would open this one as well.
    await voidLinks(tx, member.id)
    return null
  }
  return makeLink(tx, { memberId: member.id, now })
}

type Change = {
  readonly brandId: number
  readonly memberId: string
  readonly byMemberId: string | null
  readonly author?: AuthoredRequest
}

/** Gives a member another role in a brand. */
export async function setRole(
  database: Database,
  change: Change & { readonly role: TeamRole },
): Promise<Result<TeamMember>> {
  return database.asTeam(async (tx) => {
    const refusal = await changeRole(tx, change)
    const member = refusal === null ? await findBrandMember(tx, change) : null
    if (refusal !== null) return rejectRole(refusal)
    return member === null ? reject(fault('member_not_found')) : accept(member)
  }, change.author)
}

/** Takes a member out of a brand. A member who is in no brand any more is deleted, unless they administer the instance. */
export async function removeMember(database: Database, change: Change): Promise<Result<null>> {
  return database.asTeam(async (tx) => {
    const member = await findBrandMember(tx, change)
    const refusal = await removeMembership(tx, change)
    if (refusal !== null) return rejectRole(refusal)
    const others = await countOtherBrands(tx, change)
    if (others === 0 && member?.isAdministrator === false) await deleteMember(tx, change.memberId)
    return accept(null)
  }, change.author)
}

const REFUSALS: Readonly<Record<RoleRefusal, ErrorCode>> = {
  last_owner: 'last_owner',
  not_a_member: 'member_not_found',
  not_owner: 'scope_missing',
}

function rejectRole(refusal: RoleRefusal): Result<never> {
  return reject(fault(REFUSALS[refusal], null, { scope: 'members' }))
}
