import { SIGN_IN } from '../../rules/sign-in.ts'
import { TEAM_ROLE_NAMES } from '../../rules/team.ts'
import type { BrandRole, TeamMember } from '../../store/team/members.ts'
import type { SessionFacts, SessionRow } from '../../store/team/sessions.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf } from '../schema/view.ts'

const ROLE_NAMES = [...TEAM_ROLE_NAMES]

export const MEMBER_VIEW = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(ROLE_NAMES),
  administrator: Type.Boolean({ description: 'Whether the member administers the whole Beckon.' }),
  two_factor: Type.Boolean({ description: 'Whether a password alone is not enough.' }),
  state: Type.Enum(['invited', 'active'], {
    description: '`invited`: the member has not used the link of this brand yet, and sees nothing of it.',
  }),
  created_at: INSTANT,
})

/** The account of somebody who has not joined is not this brand's to look at. */
export function renderMember(member: TeamMember): object {
  const isHidden = member.isInvited && member.canSignIn
  return {
    id: member.id,
    email: member.email,
    name: isHidden ? '' : member.name,
    role: member.role,
    administrator: !isHidden && member.isAdministrator,
    two_factor: !isHidden && member.hasTwoFactor,
    state: member.isInvited ? 'invited' : 'active',
    created_at: instantOf(member.createdAt),
  }
}

export const ME_VIEW = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  administrator: Type.Boolean(),
  two_factor: Type.Boolean(),
  is_placeholder: Type.Boolean({
    description:
      'Whether the member is the first administrator and has not set an e-mail address and a password yet.',
  }),
  brands: Type.Array(
    Type.Object({ brand_id: Type.String(), name: Type.String(), role: Type.Enum(ROLE_NAMES) }),
  ),
})

export function renderMe(member: SessionFacts, brands: readonly BrandRole[]): object {
  return {
    id: member.memberId,
    email: member.email,
    name: member.name,
    administrator: member.isAdministrator,
    two_factor: member.hasTwoFactor,
    is_placeholder: member.email === SIGN_IN.placeholderEmail,
    brands: brands.map(({ brandId, name, role }) => ({ brand_id: brandId, name, role })),
  }
}

export const SESSION_VIEW = Type.Object({
  id: Type.String(),
  device: Type.Union([Type.String(), Type.Null()], { description: 'The browser, as it names itself.' }),
  network: Type.Union([Type.String(), Type.Null()]),
  current: Type.Boolean({ description: 'Whether it is the session of this call.' }),
  created_at: INSTANT,
  expires_at: INSTANT,
})

export function renderSession(session: SessionRow, currentId: string): object {
  return {
    id: session.id,
    device: session.userAgent,
    network: session.network,
    current: session.id === currentId,
    created_at: instantOf(session.createdAt),
    expires_at: instantOf(session.expiresAt),
  }
}

export const LINK_VIEW = Type.Union([Type.Object({ url: Type.String(), expires_at: INSTANT }), Type.Null()], {
  description:
    'A one-time link. With it a member who is invited joins this brand: somebody new sets a password, and somebody with an account signs in first. A member of this brand alone sets a new password. Null for a reset of a member who is in other brands too, administers this Beckon, or signs in by the identity provider: then only the operator can make a link.',
})
