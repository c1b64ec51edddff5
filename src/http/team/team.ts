import { fault } from '../../domain/fault.ts'
import { linkUrl, type NewLink } from '../../intake/team/links.ts'
import { type Invited, inviteMember, removeMember, resetMember, setRole } from '../../intake/team/members.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import { listBrandMembers, listBrandRoles } from '../../store/team/members.ts'
import { listSessions, removeSession } from '../../store/team/sessions.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { instantOf } from '../schema/view.ts'
import { INVITATION, ROLE_BODY } from './body.ts'
import { mailLink } from './mail.ts'
import type { MemberRequest } from './member-handler.ts'
import { renderMe, renderMember, renderSession } from './view.ts'

/** GET /api/v1/me */
export async function readMe({ database }: Deps, { member }: MemberRequest): Promise<Reply> {
  const brands = await listBrandRoles(database.team, member.memberId)
  return replySuccess({ member: renderMe(member, brands) })
}

/** GET /api/v1/me/sessions */
export async function listMySessions({ database, clock }: Deps, { member }: MemberRequest): Promise<Reply> {
  const sessions = await listSessions(database, { memberId: member.memberId, now: clock.now() })
  const shown = sessions.map((session) => renderSession(session, member.sessionId))
  return replySuccess({ sessions: shown }, { processed: shown.length })
}

/** DELETE /api/v1/me/sessions/{id} */
export async function endMySession({ database }: Deps, request: MemberRequest): Promise<Reply> {
  const { memberId } = request.member
  const sessionId = param(request, 'id')
  const author = memberAuthor(request, memberId)
  const isGone = UUID.test(sessionId) && (await removeSession(database, { memberId, sessionId, author }))
  return isGone ? replySuccess({}) : refuse({ faults: [fault('session_not_found')] })
}

export const TEAM_QUERY = Type.Object(PAGE_FIELDS)

/** GET /api/v1/team/members */
export async function listTeam({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(TEAM_QUERY, query), (text) => text)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { after, limit, warnings } = parsed.value
  const { brandId } = caller
  const members = await listBrandMembers(database.team, { brandId, after: after ?? '', limit })
  const fields = {
    members: members.map(renderMember),
    next_cursor: nextCursor({ rows: members, hasMore: members.length === limit }, ({ email }) => email),
  }
  return replySuccess(fields, { processed: members.length, warnings })
}

/** POST /api/v1/team/members */
export async function invite(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(INVITATION, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { email, name = '', role } = parsed.value.value
  const { brandId } = request.caller
  const invited = await inviteMember(deps.database, {
    brandId,
    email,
    name,
    role,
    now: deps.clock.now(),
    author: request,
  })
  if (!invited.ok) return refuse(invited.rejection)
  return replySuccess(await shareLink(deps, invited.value), { warnings: parsed.value.warnings })
}

/** POST /api/v1/team/members/{id}/reset */
export async function resetAccess(deps: Deps, request: TenantRequest): Promise<Reply> {
  const memberId = param(request, 'id')
  if (!UUID.test(memberId)) return refuse({ faults: [fault('member_not_found')] })
  const { brandId } = request.caller
  const reset = await resetMember(deps.database, {
    brandId,
    memberId,
    now: deps.clock.now(),
    author: request,
  })
  if (!reset.ok) return refuse(reset.rejection)
  return replySuccess(await shareLink(deps, reset.value))
}

/** The inviter sees the link, and the member gets it by mail if there is a mail server. */
async function shareLink(deps: Deps, invited: Invited): Promise<object> {
  const { member, link } = invited
  const isMailed = await mailLink(deps, invited)
  const shown = link === null ? null : renderLink(deps.team.url, link)
  return { member: renderMember(member), link: shown, mailed: isMailed }
}

function renderLink(url: string, link: NewLink): object {
  return { url: linkUrl(url, link), expires_at: instantOf(link.expiresAt) }
}

/** PATCH /api/v1/team/members/{id} */
export async function changeMember(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(ROLE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const change = changeOf(request)
  if (change === null) return refuse({ faults: [fault('member_not_found')] })
  const changed = await setRole(deps.database, { ...change, role: parsed.value.value.role })
  if (!changed.ok) return refuse(changed.rejection)
  return replySuccess({ member: renderMember(changed.value) }, { warnings: parsed.value.warnings })
}

/** DELETE /api/v1/team/members/{id}: open pages of the member are refused at once. */
export async function dismissMember(deps: Deps, request: TenantRequest): Promise<Reply> {
  const change = changeOf(request)
  if (change === null) return refuse({ faults: [fault('member_not_found')] })
  const removed = await removeMember(deps.database, change)
  return removed.ok ? replySuccess({}) : refuse(removed.rejection)
}

function changeOf(request: TenantRequest) {
  const { brandId, actor } = request.caller
  const memberId = param(request, 'id')
  if (!UUID.test(memberId)) return null
  return { brandId, memberId, byMemberId: actor.type === 'member' ? actor.memberId : null, author: request }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
