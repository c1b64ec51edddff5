import { fault } from '../../domain/fault.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import { listPasskeys, removePasskey } from '../../store/team/passkeys.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { type OpenRequest, param } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { instantOrNull } from '../schema/view.ts'
import { askLibrary } from './ask-library.ts'
import { PASSKEY_BODY, PASSKEY_PROOF_BODY } from './body.ts'
import type { MemberRequest } from './member-handler.ts'
import { checkOrigin } from './session-cookie.ts'
import { refuseCode } from './sign-in.ts'

/** POST /auth/sign-in/passkey/options: a challenge. It names no member, so it tells nothing about any. */
export async function offerPasskeySignIn(deps: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return refuse(origin.rejection)
  // A cookie of a session would make the library name that member's passkeys.
  const stranger = { ...request, headers: { ...request.headers, cookie: undefined } }
  const answer = await askLibrary(deps.team, stranger, async (api, given) =>
    api.generatePasskeyAuthenticationOptions(given),
  )
  if (!answer.ok) return refuseCode('passkey_refused')
  return { ...replySuccess({ options: answer.value }), cookies: answer.cookies }
}

/** POST /auth/sign-in/passkey */
export async function signInWithPasskey(deps: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return refuse(origin.rejection)
  const parsed = parseBody(PASSKEY_PROOF_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { response } = parsed.value.value
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.verifyPasskeyAuthentication({ body: { response }, ...given }),
  )
  if (!answer.ok) return refuseCode('passkey_refused')
  return { ...replySuccess({}), cookies: answer.cookies }
}

/** GET /auth/passkeys */
export async function listMyPasskeys({ database }: Deps, { member }: MemberRequest): Promise<Reply> {
  const passkeys = await listPasskeys(database, member.memberId)
  const shown = passkeys.map(({ id, name, createdAt }) => ({
    id,
    name: name ?? '',
    created_at: instantOrNull(createdAt),
  }))
  return replySuccess({ passkeys: shown }, { processed: shown.length })
}

/** POST /auth/passkeys/options */
export async function offerPasskey(deps: Deps, request: MemberRequest): Promise<Reply> {
  const { length } = await listPasskeys(deps.database, request.member.memberId)
  if (length >= SIGN_IN.passkeysMax)
    return refuse({ faults: [fault('too_many_members', null, { max: SIGN_IN.passkeysMax })] })
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.generatePasskeyRegistrationOptions({ query: {}, ...given }),
  )
  if (!answer.ok) return refuseCode('not_signed_in')
  return { ...replySuccess({ options: answer.value }), cookies: answer.cookies }
}

/** POST /auth/passkeys */
export async function addPasskey(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(PASSKEY_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { response, name = '' } = parsed.value.value
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.verifyPasskeyRegistration({ body: { response, name }, ...given }),
  )
  return answer.ok ? replySuccess({}) : refuseCode('passkey_refused')
}

/** DELETE /auth/passkeys/{id} */
export async function dropPasskey({ database }: Deps, request: MemberRequest): Promise<Reply> {
  const { memberId } = request.member
  const passkeyId = param(request, 'id')
  const author = memberAuthor(request, memberId)
  const isGone =
    /^[0-9a-f-]{36}$/.test(passkeyId) && (await removePasskey(database, { memberId, passkeyId, author }))
  return isGone ? replySuccess({}) : refuseCode('passkey_not_found')
}
