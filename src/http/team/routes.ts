import { SIGN_IN } from '../../rules/sign-in.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import {
  CLAIM_BODY,
  CODE_BODY,
  INVITATION,
  NEW_PASSWORD_BODY,
  PASSKEY_BODY,
  PASSKEY_PROOF_BODY,
  PASSWORD_BODY,
  ROLE_BODY,
  SIGN_IN_BODY,
} from './body.ts'
import { claim } from './claim.ts'
import { showLinkPage, usePageLink } from './link-page.ts'
import { memberHandler, provenHandler } from './member-handler.ts'
import { finishOidc, offerOidc } from './oidc.ts'
import {
  addPasskey,
  dropPasskey,
  listMyPasskeys,
  offerPasskey,
  offerPasskeySignIn,
  signInWithPasskey,
} from './passkeys.ts'
import { confirm, signIn, signInWithCode, signInWithRecoveryCode, signOut } from './sign-in.ts'
import {
  changeMember,
  dismissMember,
  endMySession,
  invite,
  listMySessions,
  listTeam,
  readMe,
  resetAccess,
  TEAM_QUERY,
} from './team.ts'
import { beginTwoFactor, changePassword, endTwoFactor, verifyTwoFactor } from './two-factor.ts'
import { LINK_VIEW, ME_VIEW, MEMBER_VIEW, SESSION_VIEW } from './view.ts'

const ME = { group: 'Members', scopes: null, isForMembers: true, body: 'none', rateLimit: 'visitor' } as const
const TEAM = { group: 'Members', scopes: ['members'] } as const
const MEMBERS_PATH = '/api/v1/team/members'
const INVITED = Type.Object({
  member: MEMBER_VIEW,
  link: LINK_VIEW,
  mailed: Type.Boolean({ description: 'Whether the link was also mailed to the member.' }),
})

/** Members over the public API. */
export const TEAM_ROUTES: readonly Route[] = [
  {
    ...ME,
    method: 'GET',
    path: '/api/v1/me',
    summary: 'Read who is signed in',
    description: 'With the brands of the member and the role in each. For members, not for keys.',
    reply: Type.Object({ member: ME_VIEW }),
    refusals: ['not_signed_in', 'foreign_origin'],
    handler: memberHandler(readMe),
  },
  {
    ...ME,
    method: 'GET',
    path: '/api/v1/me/sessions',
    summary: 'List your sessions',
    description: 'The newest first, each with its device, its network and its time.',
    reply: Type.Object({ sessions: Type.Array(SESSION_VIEW) }),
    refusals: ['not_signed_in', 'foreign_origin'],
    handler: memberHandler(listMySessions),
  },
  {
    ...ME,
    method: 'DELETE',
    path: '/api/v1/me/sessions/{id}',
    summary: 'End one of your sessions',
    description: 'Every process refuses it at once.',
    refusals: ['not_signed_in', 'foreign_origin', 'session_not_found'],
    handler: memberHandler(endMySession),
  },
  {
    ...TEAM,
    method: 'GET',
    path: MEMBERS_PATH,
    summary: 'List the members of the brand',
    body: 'none',
    querySchema: TEAM_QUERY,
    reply: Type.Object({ members: Type.Array(MEMBER_VIEW), ...NEXT_CURSOR }),
    handler: listTeam,
  },
  {
    ...TEAM,
    method: 'POST',
    path: MEMBERS_PATH,
    summary: 'Invite a member',
    description: `The reply has a one-time link for the member, valid for ${SIGN_IN.linkHours} hours. The member has no access until the link is used; somebody who has an account uses it signed in.`,
    body: 'json',
    needsProof: true,
    bodySchema: INVITATION,
    reply: INVITED,
    example: { email: 'grace@example.com', name: 'Grace', role: 'editor' },
    refusals: ['member_exists', 'too_many_members', 'proof_needed'],
    handler: invite,
  },
  {
    ...TEAM,
    method: 'PATCH',
    path: `${MEMBERS_PATH}/{id}`,
    summary: 'Change the role of a member',
    body: 'json',
    bodySchema: ROLE_BODY,
    reply: Type.Object({ member: MEMBER_VIEW }),
    example: { role: 'analyst' },
    refusals: ['member_not_found', 'last_owner'],
    handler: changeMember,
  },
  {
    ...TEAM,
    method: 'DELETE',
    path: `${MEMBERS_PATH}/{id}`,
    summary: 'Remove a member from the brand',
    description:
      'Every process refuses the member at once. A member who is in no other brand is deleted, with sessions and passkeys.',
    body: 'none',
    refusals: ['member_not_found', 'last_owner'],
    handler: dismissMember,
  },
  {
    ...TEAM,
    method: 'POST',
    path: `${MEMBERS_PATH}/{id}/reset`,
    summary: 'Make a new link for a member',
    description:
      'For a member who forgot the password, or whose invitation ran out. Setting a password by the link ends all sessions of the member and removes the passkeys; an authenticator app stays.',
    body: 'none',
    needsProof: true,
    reply: INVITED,
    refusals: ['member_not_found', 'proof_needed'],
    handler: resetAccess,
  },
]

const AUTH = {
  group: 'Reference',
  method: 'POST',
  scopes: null,
  body: 'json',
  rateLimit: 'sign_in',
  bodyBytesMax: SIGN_IN.bodyBytesMax,
} as const
const LINK_PAGE = { ...AUTH, path: '/auth/link/{token}', replyType: 'text/html; charset=utf-8' } as const

/** The sign-in itself, for pages of our own. */
export const AUTH_ROUTES: readonly Route[] = [
  {
    ...AUTH,
    path: '/auth/sign-in',
    summary: 'Sign in with a password',
    bodySchema: SIGN_IN_BODY,
    handler: signIn,
  },
  {
    ...AUTH,
    path: '/auth/sign-in/code',
    summary: 'The second step, with an authenticator app',
    bodySchema: CODE_BODY,
    handler: signInWithCode,
  },
  {
    ...AUTH,
    path: '/auth/sign-in/recovery-code',
    summary: 'The second step, with a recovery code',
    bodySchema: CODE_BODY,
    handler: signInWithRecoveryCode,
  },
  {
    ...AUTH,
    path: '/auth/sign-in/passkey/options',
    summary: 'A challenge for a passkey',
    body: 'none',
    handler: offerPasskeySignIn,
  },
  {
    ...AUTH,
    path: '/auth/sign-in/passkey',
    summary: 'Sign in with a passkey',
    bodySchema: PASSKEY_PROOF_BODY,
    handler: signInWithPasskey,
  },
  {
    ...AUTH,
    path: '/auth/sign-in/oidc',
    summary: 'Begin to sign in at the identity provider',
    body: 'none',
    handler: offerOidc,
  },
  {
    ...AUTH,
    method: 'GET',
    path: '/auth/callback/oidc',
    summary: 'The way back from the identity provider',
    body: 'none',
    handler: finishOidc,
  },
  { ...AUTH, path: '/auth/sign-out', summary: 'Sign out', body: 'none', handler: memberHandler(signOut) },
  {
    ...AUTH,
    path: '/auth/confirm',
    summary: 'Prove again who you are',
    bodySchema: PASSWORD_BODY,
    handler: memberHandler(confirm),
  },
  {
    ...AUTH,
    path: '/auth/password',
    summary: 'Change your password',
    bodySchema: NEW_PASSWORD_BODY,
    handler: memberHandler(changePassword),
  },
  {
    ...AUTH,
    path: '/auth/claim',
    summary: 'Set the e-mail address and the password of the first administrator',
    bodySchema: CLAIM_BODY,
    handler: memberHandler(claim),
  },
  {
    ...AUTH,
    path: '/auth/two-factor',
    summary: 'Begin with an authenticator app',
    bodySchema: PASSWORD_BODY,
    handler: memberHandler(beginTwoFactor),
  },
  {
    ...AUTH,
    path: '/auth/two-factor/verify',
    summary: 'Switch the authenticator app on with its first code',
    bodySchema: CODE_BODY,
    handler: memberHandler(verifyTwoFactor),
  },
  {
    ...AUTH,
    path: '/auth/two-factor/off',
    summary: 'Go on without the authenticator app',
    bodySchema: PASSWORD_BODY,
    handler: memberHandler(endTwoFactor),
  },
  {
    ...AUTH,
    method: 'GET',
    path: '/auth/passkeys',
    summary: 'List your passkeys',
    body: 'none',
    handler: memberHandler(listMyPasskeys),
  },
  {
    ...AUTH,
    path: '/auth/passkeys/options',
    summary: 'A challenge for a new passkey',
    body: 'none',
    needsProof: true,
    handler: provenHandler(offerPasskey),
  },
  {
    ...AUTH,
    path: '/auth/passkeys',
    summary: 'Add a passkey',
    needsProof: true,
    bodySchema: PASSKEY_BODY,
    handler: provenHandler(addPasskey),
  },
  {
    ...AUTH,
    method: 'DELETE',
    path: '/auth/passkeys/{id}',
    summary: 'Remove a passkey',
    body: 'none',
    needsProof: true,
    handler: provenHandler(dropPasskey),
  },
  {
    ...LINK_PAGE,
    method: 'GET',
    summary: 'The page of a one-time link',
    body: 'none',
    handler: showLinkPage,
  },
  { ...LINK_PAGE, summary: 'The form of that page', body: 'form', handler: usePageLink },
]
