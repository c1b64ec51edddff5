import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { findSession, type SessionFacts } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import { checkOrigin, sessionOf } from './session-cookie.ts'

/** A request of a signed-in member, in no brand. */
export type MemberRequest = OpenRequest & { readonly member: SessionFacts }

type MemberHandler = (deps: Deps, request: MemberRequest) => Promise<Reply>

/** Serves members only: the cookie of a live session, sent by a page of our own. */
export function memberHandler(handler: MemberHandler) {
  return async (deps: Deps, request: OpenRequest): Promise<Reply> => {
    const member = await findMember(deps, request)
    return member.ok ? handler(deps, { ...request, member: member.value }) : refuse(member.rejection)
  }
}

/** The same for what shows or changes a secret: the member must have proved lately who they are. */
export function provenHandler(handler: MemberHandler) {
  return memberHandler(withProof(handler))
}

/** Serves administrators of the instance only. */
export function administratorHandler(handler: MemberHandler) {
  return memberHandler(async (deps, request) =>
    request.member.isAdministrator
      ? handler(deps, request)
      : refuse({ faults: [fault('administrator_only')] }),
  )
}

/** The same with a recent proof, for what is hard to undo. */
export function provenAdministratorHandler(handler: MemberHandler) {
  return administratorHandler(withProof(handler))
}

function withProof(handler: MemberHandler): MemberHandler {
  return async (deps, request) =>
    isProven(request.member, deps.clock.now())
      ? handler(deps, request)
      : refuse({ faults: [fault('proof_needed')] })
}

export function isProven({ confirmedAt }: Pick<SessionFacts, 'confirmedAt'>, now: number): boolean {
  return now - confirmedAt < SIGN_IN.confirmedMinutes * 60_000
}

async function findMember(
  { database, clock, team }: Deps,
  request: OpenRequest,
): Promise<Result<SessionFacts>> {
  const hash = sessionOf(team, request)
  if (hash === null) return reject(fault('not_signed_in'))
  const origin = checkOrigin(team, request)
  if (!origin.ok) return origin
  const member = await findSession(database, { hash, now: clock.now() })
  return member === null ? reject(fault('not_signed_in')) : accept(member)
}
