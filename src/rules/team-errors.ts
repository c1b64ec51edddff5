/** Refusals of the sign-in and of the team. */
export const TEAM_ERRORS = {
  not_signed_in: { status: 401, message: 'Sign in first: POST /auth/sign-in.' },
  sign_in_failed: { status: 401, message: 'The e-mail address or the password is wrong.' },
  code_wrong: {
    status: 401,
    message: 'The code is wrong, was used before, or the sign-in took too long. Sign in again.',
  },
  passkey_refused: {
    status: 401,
    message: 'This passkey does not sign anybody in here. Try again, or sign in in another way.',
  },
  oidc_refused: {
    status: 401,
    message: 'The identity provider signed nobody in who is a member here. Ask for an invitation.',
  },
  oidc_off: { status: 404, message: 'No identity provider is set. See BECKON_OIDC_ISSUER.' },
  oidc_away: { status: 503, message: 'The identity provider cannot be reached. Try again.' },
  proof_needed: {
    status: 403,
    message: 'Prove who you are first: POST /auth/confirm with your password, or sign in again.',
  },
  foreign_origin: {
    status: 403,
    message:
      'Only pages of this Beckon may use the cookie of a member, and a request that changes something must send their Origin. See BECKON_PUBLIC_URL.',
  },
  brand_deleting: {
    status: 403,
    message:
      'This brand is being deleted: nothing is accepted and nothing is sent. An administrator can restore it until {until}.',
  },
  brand_not_found: { status: 404, message: 'There is no brand with this id.' },
  brand_exists: { status: 409, message: 'There is a brand with this id already. Choose another id.' },
  administrator_only: { status: 403, message: 'Only administrators of this Beckon may do this.' },
  link_invalid: {
    status: 404,
    message: 'This link was used before, or is too old. Ask for a new one.',
  },
  member_not_found: { status: 404, message: 'This brand has no member with this id.' },
  session_not_found: { status: 404, message: 'You have no session with this id.' },
  passkey_not_found: { status: 404, message: 'You have no passkey with this id.' },
  member_exists: { status: 409, message: 'This person is a member of this brand already. Change the role.' },
  email_taken: { status: 409, message: 'Another member has this e-mail address.' },
  already_claimed: {
    status: 409,
    message: 'You have an e-mail address already. Change the password with POST /auth/password.',
  },
  last_owner: {
    status: 409,
    message: 'A brand keeps at least one owner. Make another member an owner first.',
  },
  two_factor_state: { status: 409, message: 'The second factor is {state} already.' },
  too_many_members: { status: 409, message: 'There are {max} already, which is the most.' },
} as const
