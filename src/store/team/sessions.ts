import type { JsonObject } from '../../domain/values/json.ts'
import type { TeamRole } from '../../rules/team.ts'
import type { AuthoredRequest } from '../author.ts'
import { auditAction, INSTANCE_BRAND } from '../brand/audit.ts'
import { IS_KEPT } from '../brand/brand-state.ts'
import type { Database, Db } from '../db.ts'
import { notifyKeysGone } from '../notify.ts'
import { sessionHash } from './rows.ts'

/** The member behind a session. */
export type SessionFacts = {
  readonly sessionId: string
  readonly memberId: string
  readonly email: string
  readonly name: string
  readonly isAdministrator: boolean
  readonly hasTwoFactor: boolean
  /** When the member last proved who they are. */
  readonly confirmedAt: number
}

/** The member of a live session, by the hash of its token. */
export async function findSession(
  database: Database,
  { hash, now }: { readonly hash: string; readonly now: number },
): Promise<SessionFacts | null> {
  const { rows } = await database.team.query<SessionFacts>({ name: 'find_session', text: FIND }, [
    hash,
    new Date(now),
  ])
  return rows[0] ?? null
}

/** A member in one brand, with the settings of the brand that a request needs. */
export type MembershipFacts = {
  readonly sessionId: string
  readonly memberId: string
  readonly confirmedAt: number
  readonly role: TeamRole
  readonly brandId: number
  readonly brandExternalId: string
  readonly allowedOrigins: readonly string[]
  readonly timeZone: string
  readonly profileMerging: boolean
  /** Of a brand that is deleted and can be restored; null for a live brand. */
  readonly restorableUntil: number | null
}

/** The membership of the session's member in a brand; null without a live session or without the membership. */
export async function findMembership(
  database: Database,
  { hash, brand, now }: { readonly hash: string; readonly brand: string; readonly now: number },
): Promise<MembershipFacts | null> {
  const { rows } = await database.team.query<MembershipFacts>(
    { name: 'find_membership', text: FIND_IN_BRAND },
    [hash, new Date(now), brand],
  )
  return rows[0] ?? null
}

/** A sign-in as its member may see it: which device, from where, since when. */
export type SessionRow = {
  readonly id: string
  readonly userAgent: string | null
  readonly network: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** The live sessions of a member, the newest first. */
export async function listSessions(
  database: Database,
  { memberId, now }: { readonly memberId: string; readonly now: number },
): Promise<readonly SessionRow[]> {
  const { rows } = await database.team.query<SessionRow>(
    `select id, user_agent as "userAgent", ip_address as network, created_at as "createdAt",
       expires_at as "expiresAt"
     from member_sessions where member_id = $1 and expires_at > $2 order by created_at desc, id limit 500`,
    [memberId, new Date(now)],
  )
  return rows
}

type SessionEnd = { readonly memberId: string; readonly sessionId: string; readonly author: AuthoredRequest }

/** Ends a session of a member, and returns whether there was one. */
export async function removeSession(
  database: Database,
  { memberId, sessionId, author }: SessionEnd,
): Promise<boolean> {
  return database.asTeam(async (tx) => {
    const { count } = await tx.query('delete from member_sessions where member_id = $1 and id = $2', [
      memberId,
      sessionId,
    ])
    if (count === 0) return false
    await auditEnd(tx, memberId, { id: sessionId })
    await notifyKeysGone(tx)
    return true
  }, author)
}

async function auditEnd(tx: Db, memberId: string, before: JsonObject): Promise<void> {
  await auditAction(tx, { brandId: INSTANCE_BRAND, action: 'deleted', type: 'session', id: memberId, before })
}

/** Ends the session with this token, which nobody has got. */
export async function endSession(database: Database, token: string): Promise<void> {
  await database.asTeam(async (tx) => {
    await tx.query('delete from member_sessions where token = $1', [sessionHash(token)])
    await notifyKeysGone(tx)
  })
}

/** Ends all sessions of a member, but the one that stays. */
export async function removeSessions(tx: Db, memberId: string, staying: string | null = null): Promise<void> {
  const { count } = await tx.query(
    'delete from member_sessions where member_id = $1 and id is distinct from $2',
    [memberId, staying],
  )
  if (count > 0) await auditEnd(tx, memberId, { sessions: count })
  await notifyKeysGone(tx)
}

/** Remembers that the member of a session has just proved who they are. */
export async function confirmSession(
  database: Database,
  { sessionId, now }: { readonly sessionId: string; readonly now: number },
): Promise<void> {
  await database.asTeam(async (tx) => {
    await tx.query('update member_sessions set confirmed_at = $2 where id = $1', [sessionId, new Date(now)])
    // Callers are cached with the time of their proof.
    await notifyKeysGone(tx)
  })
}

const FIND = `select s.id as "sessionId", m.id as "memberId", m.email, m.name,
    m.is_administrator as "isAdministrator", m.two_factor_enabled as "hasTwoFactor", s.confirmed_at as "confirmedAt"
  from member_sessions as s join members as m on m.id = s.member_id
  where s.token = $1 and s.expires_at > $2`

const FIND_IN_BRAND = `select s.id as "sessionId", s.member_id as "memberId", s.confirmed_at as "confirmedAt", ms.role,
    brands.id as "brandId", brands.external_id as "brandExternalId", brands.allowed_origins as "allowedOrigins",
    brands.time_zone as "timeZone", brands.profile_merging as "profileMerging",
    brands.restorable_until as "restorableUntil"
  from member_sessions as s
    join memberships as ms on ms.member_id = s.member_id and ms.accepted_at is not null
    join brands on brands.id = ms.brand_id and ${IS_KEPT}
  where s.token = $1 and s.expires_at > $2 and brands.external_id = $3`
