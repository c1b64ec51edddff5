import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { linkPurpose } from '../../domain/team/link-purpose.ts'
import type { ErrorCode } from '../../rules/errors.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import type { TeamRole } from '../../rules/team.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import type { Database, Db } from '../../store/db.ts'
import { loadLinkFacts, voidBrandLink } from '../../store/team/links.ts'
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

/** The link is null where it would open more than this brand. */
export type Invited = { readonly member: TeamMember; readonly link: NewLink | null }

/**
 * Invites a person to a brand, and makes them a member of this Beckon if they are none. The role opens nothing until the
 * person uses the link of this brand.
 */
export async function inviteMember(database: Database, invitation: Invitation): Promise<Result<Invited>> {
  const { brandId, email, name, role, now } = invitation
  return database.asTeam(async (tx) => {
    if ((await countBrandMembers(tx, brandId)) >= SIGN_IN.membersMax)
      return reject(fault('too_many_members', null, { max: SIGN_IN.membersMax }))
    const draft = { id: newId(), email, name, isAdministrator: false, now }
    const { member } = await ensureMember(tx, draft)
    if (!(await addMembership(tx, { brandId, memberId: member.id, role, now, isAccepted: false })))
      return reject(fault('member_exists'))
    const link = await makeLink(tx, { memberId: member.id, brandId, now })
    return accept({ member: { ...member, role, isInvited: true }, link })
  }, invitation.author)
}

type Reset = {
  readonly brandId: number
  readonly memberId: string
  readonly now: number
  readonly author: AuthoredRequest
}

/** A new link for a member who cannot sign in any more, or whose invitation is too old. */
export async function resetMember(
  database: Database,
  { brandId, memberId, now, author }: Reset,
): Promise<Result<Invited>> {
  return database.asTeam(async (tx) => {
    const member = await findBrandMember(tx, { brandId, memberId })
    if (member === null) return reject(fault('member_not_found'))
    return accept({ member, link: await makeSafeLink(tx, { brandId, memberId, now }) })
  }, author)
}

/** A link that is good for something; null where it would open more than the brand. */
async function makeSafeLink(
  tx: Db,
  place: { readonly brandId: number; readonly memberId: string; readonly now: number },
): Promise<NewLink | null> {
  const facts = await loadLinkFacts(tx, place)
  if (facts !== null && linkPurpose(facts) !== 'none') return makeLink(tx, place)
  await voidBrandLink(tx, place)
  return null
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
