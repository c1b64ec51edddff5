import { fault } from '../../domain/fault.ts'
import type { ErrorCode } from '../../rules/errors.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { onFullStep } from '../../runtime/even-timing.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import { useCode } from '../../store/team/codes.ts'
import { loadPasswordHash } from '../../store/team/members.ts'
import { confirmSession, endSession, removeSession } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { askLibrary } from './ask-library.ts'
import { takeAttempt } from './attempts.ts'
import { CODE_BODY, PASSWORD_BODY, SIGN_IN_BODY } from './body.ts'
import type { MemberRequest } from './member-handler.ts'
import { checkOrigin } from './session-cookie.ts'

/** POST /auth/sign-in: the same answer, at the same time, for an unknown address and for a wrong password. */
export async function signIn(deps: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return refuse(origin.rejection)
  const parsed = parseBody(SIGN_IN_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { email, password } = parsed.value.value
  return onFullStep(SIGN_IN.stepMs, async () => {
    const tooMany = await takeAttempt(deps, { email, network: request.network })
    return tooMany ?? signInWith(deps, request, { email, password })
  })
}

/** Signs in with a password that may be right. */
export async function signInWith(
  deps: Deps,
  request: OpenRequest,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Reply> {
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.signInEmail({ body: { email, password }, ...given }),
  )
  if (!answer.ok) return refuseCode('sign_in_failed')
  const needsCode = 'twoFactorRedirect' in answer.value
  return { ...replySuccess({ two_factor: needsCode }), cookies: answer.cookies }
}

/** POST /auth/sign-in/code: the second step of a member with an authenticator app. */
export async function signInWithCode(deps: Deps, request: OpenRequest): Promise<Reply> {
  const code = parseCode(deps, request)
  if (!code.ok) return code.reply
  return onFullStep(SIGN_IN.stepMs, async () => {
    const answer = await askLibrary(deps.team, request, async (api, given) =>
      api.verifyTOTP({ body: { code: code.value }, ...given }),
    )
    if (!answer.ok) return refuseCode('code_wrong')
    const { token, user } = answer.value
    const now = deps.clock.now()
    if (!(await useCode(deps.database, { memberId: user.id, code: code.value, now }))) {
      // The library does not remember used codes. Nobody has seen the token of this session.
      await endSession(deps.database, token)
      return refuseCode('code_wrong')
    }
    return { ...replySuccess({}), cookies: answer.cookies }
  })
}

/** POST /auth/sign-in/recovery-code: in place of the code of an app that is lost; each works once. */
export async function signInWithRecoveryCode(deps: Deps, request: OpenRequest): Promise<Reply> {
  const code = parseCode(deps, request)
  if (!code.ok) return code.reply
  return onFullStep(SIGN_IN.stepMs, async () => {
    const answer = await askLibrary(deps.team, request, async (api, given) =>
      api.verifyBackupCode({ body: { code: code.value }, ...given }),
    )
    if (!answer.ok) return refuseCode('code_wrong')
    return { ...replySuccess({}), cookies: answer.cookies }
  })
}

/** POST /auth/sign-out: the library takes the cookies away. */
export async function signOut(deps: Deps, request: MemberRequest): Promise<Reply> {
  const { memberId, sessionId } = request.member
  await removeSession(deps.database, { memberId, sessionId, author: memberAuthor(request, memberId) })
  const answer = await askLibrary(deps.team, request, async (api, given) => api.signOut(given))
  return answer.ok ? { ...replySuccess({}), cookies: answer.cookies } : refuseCode('not_signed_in')
}

/** POST /auth/confirm: proves anew who the member is, before a secret is shown. */
export async function confirm(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(PASSWORD_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { sessionId } = request.member
  const refused = await checkPassword(deps, request, parsed.value.value.password)
  if (refused !== null) return refused
  await confirmSession(deps.database, { sessionId, now: deps.clock.now() })
  return replySuccess({})
}

/** Null when it is the member's password. Attempts count as those of the sign-in do. */
export async function checkPassword(
  deps: Deps,
  { member, network }: MemberRequest,
  password: string,
): Promise<Reply | null> {
  const tooMany = await takeAttempt(deps, { email: member.email, network })
  if (tooMany !== null) return tooMany
  const stored = await loadPasswordHash(deps.database.team, member.memberId)
  return (await deps.team.passwords.matches(password, stored ?? '')) ? null : refuseCode('sign_in_failed')
}

type GivenCode = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reply: Reply }

function parseCode(deps: Deps, request: OpenRequest): GivenCode {
  const origin = checkOrigin(deps.team, request)
  if (!origin.ok) return { ok: false, reply: refuse(origin.rejection) }
  const parsed = parseBody(CODE_BODY, request.body)
  if (!parsed.ok) return { ok: false, reply: refuse(parsed.rejection) }
  return { ok: true, value: parsed.value.value.code.trim() }
}

export function refuseCode(code: ErrorCode): Reply {
  return refuse({ faults: [fault(code)] })
}
