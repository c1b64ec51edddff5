import { SIGN_IN } from '../../rules/sign-in.ts'

/** The facts that decide what a one-time link is good for. */
export type LinkFacts = {
  /** Null for the link that makes the first administrator. */
  readonly memberId: string | null
  readonly email: string | null
  /** The brand whose owner made the link; null for a link of the operator. */
  readonly brandId: number | null
  /** Whether the member is invited to that brand, and has not accepted yet. */
  readonly isInvited: boolean
  readonly isAdministrator: boolean
  /** Whether there is any way to sign in as the member. */
  readonly canSignIn: boolean
  /** Whether the company's identity provider signs the member in. */
  readonly hasProvider: boolean
  /** The brands beside this one in which the member has a role. */
  readonly otherBrands: number
}

/** `open` signs the first administrator in, `set_password` sets a password, `join` needs a session of the member. */
export type LinkPurpose = 'open' | 'set_password' | 'join' | 'none'

/**
 * A link is shown to the owner who made it, so its holder may be that owner. It must open no more than the brand itself:
 * it sets a password only where the member is nobody's beside this brand. An invitation of an account that exists is
 * accepted by a session of that account. The operator's links open any account.
 */
export function linkPurpose(link: LinkFacts): LinkPurpose {
  if (link.brandId === null)
    return link.memberId === null || link.email === SIGN_IN.placeholderEmail ? 'open' : 'set_password'
  const isOfOthers = link.isAdministrator || link.otherBrands > 0
  if (link.isInvited) return isOfOthers || link.canSignIn ? 'join' : 'set_password'
  // A password beside the provider would let the owner in behind the member's back.
  return isOfOthers || link.hasProvider ? 'none' : 'set_password'
}
