import { fault } from '../../domain/fault.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import { useCode } from '../../store/team/codes.ts'
import { savePassword } from '../../store/team/members.ts'
import { removeSessions } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { parseBody } from '../schema/schema.ts'
import { askLibrary } from './ask-library.ts'
import { CODE_BODY, NEW_PASSWORD_BODY, PASSWORD_BODY } from './body.ts'
import type { MemberRequest } from './member-handler.ts'
import { checkPassword, refuseCode } from './sign-in.ts'

/** POST /auth/two-factor: the secret for an authenticator app, and recovery codes. A code of the app switches it on. */
export async function beginTwoFactor(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(PASSWORD_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { password } = parsed.value.value
  const refused = await checkPassword(deps, request, password)
  if (refused !== null) return refused
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.enableTwoFactor({ body: { password, method: 'totp' }, ...given }),
  )
  if (!answer.ok || !('totpURI' in answer.value)) return refuseState('on')
  const { totpURI, backupCodes } = answer.value
  return {
    ...replySuccess({ totp_uri: totpURI, recovery_codes: backupCodes }),
    cookies: answer.cookies,
  }
}

/** POST /auth/two-factor/verify: the first code of the app. The session goes on under a new token. */
export async function verifyTwoFactor(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(CODE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { code } = parsed.value.value
  const { memberId } = request.member
  if (!(await useCode(deps.database, { memberId, code, now: deps.clock.now() })))
    return refuseCode('code_wrong')
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.verifyTOTP({ body: { code }, ...given }),
  )
  return answer.ok ? { ...replySuccess({}), cookies: answer.cookies } : refuseCode('code_wrong')
}

/** POST /auth/two-factor/off: the session goes on under a new token. */
export async function endTwoFactor(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(PASSWORD_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  if (!request.member.hasTwoFactor) return refuseState('off')
  const { password } = parsed.value.value
  const refused = await checkPassword(deps, request, password)
  if (refused !== null) return refused
  const answer = await askLibrary(deps.team, request, async (api, given) =>
    api.disableTwoFactor({ body: { password }, ...given }),
  )
  return answer.ok ? { ...replySuccess({}), cookies: answer.cookies } : refuseCode('sign_in_failed')
}

/** POST /auth/password: ends all other sessions of the member. */
export async function changePassword(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(NEW_PASSWORD_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { current_password: current, new_password: wanted } = parsed.value.value
  const refused = await checkPassword(deps, request, current)
  if (refused !== null) return refused
  const hash = await deps.team.passwords.hash(wanted)
  const { memberId, sessionId } = request.member
  const now = deps.clock.now()
  await deps.database.asTeam(
    async (tx) => {
      await savePassword(tx, { id: newId(), memberId, hash, now })
      await removeSessions(tx, memberId, sessionId)
    },
    memberAuthor(request, memberId),
  )
  return replySuccess({})
}

function refuseState(state: 'on' | 'off'): Reply {
  return refuse({ faults: [fault('two_factor_state', null, { state })] })
}
