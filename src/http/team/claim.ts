import { claimMember } from '../../intake/team/links.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { parseBody } from '../schema/schema.ts'
import { takeAttempt } from './attempts.ts'
import { CLAIM_BODY } from './body.ts'
import type { MemberRequest } from './member-handler.ts'
import { refuseCode } from './sign-in.ts'

/**
 * POST /auth/claim: the first administrator, who came by the link alone, sets an address and a password. The session is
 * the only proof that there is, so an old one will do; it proves no more afterwards than it did before.
 */
export async function claim(deps: Deps, request: MemberRequest): Promise<Reply> {
  const parsed = parseBody(CLAIM_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { email, name = '', password } = parsed.value.value
  const { member, network } = request
  if (member.email !== SIGN_IN.placeholderEmail) return refuseCode('already_claimed')
  // Each one hashes a password, which is work.
  const tooMany = await takeAttempt(deps, { email: member.email, network })
  if (tooMany !== null) return tooMany
  const { memberId, sessionId } = member
  const now = deps.clock.now()
  const claimed = await claimMember(
    { database: deps.database, passwords: deps.team.passwords },
    { memberId, sessionId, email, name, password, now, request },
  )
  return claimed.ok ? replySuccess({}) : refuse(claimed.rejection)
}
