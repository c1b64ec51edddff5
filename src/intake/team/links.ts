import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { newId, randomBits, sha256 } from '../../runtime/secrets/crypto.ts'
import type { PasswordHasher } from '../../runtime/secrets/password.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import { auditAction, INSTANCE_BRAND } from '../../store/brand/audit.ts'
import type { Database, Db } from '../../store/db.ts'
import { consumeLink, findLink, type MemberLink, saveLink } from '../../store/team/links.ts'
import { ensureMember, hasMembers, savePassword } from '../../store/team/members.ts'
import { ownEveryBrand } from '../../store/team/memberships.ts'
import { removeSessions } from '../../store/team/sessions.ts'

/** A one-time link: its secret, and until when it can be used. */
export type NewLink = { readonly token: string; readonly expiresAt: number }

/** Makes a link with which a member sets a password; without a member, the link of the first administrator. */
export async function makeLink(
  tx: Db,
  { memberId, now }: { readonly memberId: string | null; readonly now: number },
): Promise<NewLink> {
  const token = Buffer.from(randomBits(TOKEN_BYTES)).toString('base64url')
  const expiresAt = now + SIGN_IN.linkHours * 3_600_000
  await saveLink(tx, { id: newId(), memberId, hash: sha256(token), expiresAt, now })
  return { token, expiresAt }
}

const TOKEN_BYTES = 32

/** The link of the first administrator; null when there are members already. */
export async function makeFirstLink(database: Database, now: number): Promise<NewLink | null> {
  return database.asTeam(async (tx) =>
    (await hasMembers(tx)) ? null : makeLink(tx, { memberId: null, now }),
  )
}

/** The address of a link. */
export function linkUrl(url: string, { token }: Pick<NewLink, 'token'>): string {
  return `${url}/auth/link/${token}`
}

/** The live link with this secret, for the page that asks for a password. */
export async function openLink(database: Database, token: string, now: number): Promise<MemberLink | null> {
  return findLink(database.team, { hash: sha256(token), now })
}

export type LinkUse = {
  readonly token: string
  readonly password: string
  /** Of the first administrator, who has none yet. */
  readonly email: string | null
  readonly name: string | null
  readonly now: number
  /** The request that uses the link, for the audit log; its author is the member of the link. */
  readonly request: Pick<AuthoredRequest, 'id' | 'network'>
}

export type LinkDeps = { readonly database: Database; readonly passwords: PasswordHasher }

/**
 * Uses a link: sets the password of its member and ends all sessions. Of two who use one link at once, one succeeds. A
 * password is hashed only for a live link, since that is work.
 */
export async function redeemLink(
  { database, passwords }: LinkDeps,
  use: LinkUse,
): Promise<Result<{ readonly email: string }>> {
  const { token, password, now, request } = use
  const found = await openLink(database, token, now)
  if (found === null) return reject(fault('link_invalid'))
  const email = found.email ?? use.email
  if (email === null) return reject(fault('field_missing', 'email'))
  const hash = await passwords.hash(password)
  const memberId = found.memberId ?? newId()
  const actor = { type: 'member', memberId } as const
  return database.asTeam(
    async (tx) => {
      if (!(await consumeLink(tx, { hash: sha256(token), now }))) return reject(fault('link_invalid'))
      const isMember = found.memberId !== null || (await makeFirst(tx, { ...use, email, memberId }))
      if (!isMember) return reject(fault('link_invalid'))
      await savePassword(tx, { id: newId(), memberId, hash, now })
      await removeSessions(tx, memberId)
      await auditAction(tx, { brandId: INSTANCE_BRAND, action: 'used', type: 'sign_in_link', id: memberId })
      return accept({ email })
    },
    { ...request, caller: { brandId: INSTANCE_BRAND, actor } },
  )
}

type FirstMember = Pick<LinkUse, 'name' | 'now'> & { readonly email: string; readonly memberId: string }

/** Makes the first administrator, who owns every brand; false when somebody was first. */
async function makeFirst(tx: Db, { email, name, now, memberId }: FirstMember): Promise<boolean> {
  if (await hasMembers(tx)) return false
  await ensureMember(tx, { id: memberId, email, name: name ?? '', isAdministrator: true, now })
  await ownEveryBrand(tx, { memberId, now })
  return true
}
