import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type LinkPurpose, linkPurpose } from '../../domain/team/link-purpose.ts'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { newId, randomBits, sha256 } from '../../runtime/secrets/crypto.ts'
import type { PasswordHasher } from '../../runtime/secrets/password.ts'
import type { AuthoredRequest } from '../../store/author.ts'
import { auditAction, INSTANCE_BRAND, memberAuthor } from '../../store/brand/audit.ts'
import type { Database, Db } from '../../store/db.ts'
import { consumeLink, findLink, type MemberLink, saveLink, voidLinks } from '../../store/team/links.ts'
import {
  ensureMember,
  findMemberByEmail,
  hasMembers,
  lockAddresses,
  lockMember,
  nameMember,
  savePassword,
} from '../../store/team/members.ts'
import { acceptMembership, ownEveryBrand } from '../../store/team/memberships.ts'
import { removePasskeys } from '../../store/team/passkeys.ts'
import { removeSessions } from '../../store/team/sessions.ts'

/** A one-time link: its secret, and until when it can be used. */
export type NewLink = { readonly token: string; readonly expiresAt: number }

/** Makes a link for a member, of a brand or of the operator; without a member, the link of the first administrator. */
export async function makeLink(
  tx: Db,
  {
    memberId,
    brandId = null,
    now,
  }: { readonly memberId: string | null; readonly brandId?: number | null; readonly now: number },
): Promise<NewLink> {
  const token = Buffer.from(randomBits(TOKEN_BYTES)).toString('base64url')
  const expiresAt = now + SIGN_IN.linkHours * 3_600_000
  await saveLink(tx, { id: newId(), memberId, brandId, hash: sha256(token), expiresAt, now })
  return { token, expiresAt }
}

const TOKEN_BYTES = 32

/** The link of the first administrator, also of one who has no password yet; null when there are only other members. */
export async function makeFirstLink(database: Database, now: number): Promise<NewLink | null> {
  return database.asTeam(async (tx) => {
    const placeholder = await findMemberByEmail(tx, SIGN_IN.placeholderEmail)
    if (placeholder === null && (await hasMembers(tx))) return null
    return makeLink(tx, { memberId: placeholder?.id ?? null, now })
  })
}

/** The address of a link. */
export function linkUrl(url: string, { token }: Pick<NewLink, 'token'>): string {
  return `${url}/auth/link/${token}`
}

/** A live link, and what it is good for at this moment. */
export type OpenedLink = MemberLink & { readonly purpose: Exclude<LinkPurpose, 'none'> }

/** The live link with this secret, for the page that it leads to. */
export async function openLink(database: Database, token: string, now: number): Promise<OpenedLink | null> {
  return findOpenLink(database.team, token, now)
}

async function findOpenLink(db: Db, token: string, now: number): Promise<OpenedLink | null> {
  const link = await findLink(db, { hash: sha256(token), now })
  if (link === null) return null
  const purpose = linkPurpose(link)
  return purpose === 'none' ? null : { ...link, purpose }
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
 * Uses a link: sets the password of its member, ends all sessions and removes passkeys, which would go on without the
 * password. An invitation is accepted with it. Of two who use one link at once, one succeeds. A password is hashed only
 * for a live link, since that is work.
 */
export async function redeemLink(
  { database, passwords }: LinkDeps,
  use: LinkUse,
): Promise<Result<{ readonly email: string }>> {
  const { token, password, name, now, request } = use
  const found = await openLink(database, token, now)
  if (found === null || found.purpose === 'join') return reject(fault('link_invalid'))
  const isFirst = found.purpose === 'open'
  const email = isFirst ? use.email : found.email
  if (email === null) return reject(fault('field_missing', 'email'))
  const hash = await passwords.hash(password)
  const memberId = found.memberId ?? newId()
  return database.asTeam(
    async (tx) => {
      if (isFirst) await lockAddresses(tx)
      if (isFirst && (await findMemberByEmail(tx, email)) !== null) return reject(fault('email_taken'))
      const draft = { email, name: name ?? '', now, memberId }
      if (!(await takeLink(tx, { token, found, draft }))) return reject(fault('link_invalid'))
      if (isFirst && found.memberId !== null) await nameFirst(tx, draft)
      await removePasskeys(tx, memberId)
      await savePassword(tx, { id: newId(), memberId, hash, now })
      await voidLinks(tx, memberId)
      if (found.brandId !== null) await acceptMembership(tx, { brandId: found.brandId, memberId, now })
      return accept({ email })
    },
    memberAuthor(request, memberId),
  )
}

/**
 * Uses a link of the first administrator without an address and a password: both can be set later. Nothing but such a
 * link lets its holder in without a password.
 */
export async function enterByLink(
  database: Database,
  { token, now, request }: Pick<LinkUse, 'token' | 'now' | 'request'>,
): Promise<Result<{ readonly memberId: string }>> {
  const found = await openLink(database, token, now)
  if (found?.purpose !== 'open') return reject(fault('link_invalid'))
  const memberId = found.memberId ?? newId()
  const draft = { email: SIGN_IN.placeholderEmail, name: '', now, memberId }
  const isTaken = await database.asTeam(
    async (tx) => takeLink(tx, { token, found, draft }),
    memberAuthor(request, memberId),
  )
  return isTaken ? accept({ memberId }) : reject(fault('link_invalid'))
}

/** Accepts an invitation for the account that is signed in. A link that an owner had for this account before is void. */
export async function joinByLink(
  database: Database,
  {
    token,
    memberId,
    now,
    request,
  }: Pick<LinkUse, 'token' | 'now' | 'request'> & { readonly memberId: string },
): Promise<Result<null>> {
  return database.asTeam(
    async (tx) => {
      await lockMember(tx, memberId)
      const found = await findOpenLink(tx, token, now)
      if (found === null || found.memberId !== memberId || found.brandId === null || !found.isInvited)
        return reject(fault('link_invalid'))
      if (!(await consumeLink(tx, { hash: sha256(token), now }))) return reject(fault('link_invalid'))
      await acceptMembership(tx, { brandId: found.brandId, memberId, now })
      await voidLinks(tx, memberId)
      return accept(null)
    },
    memberAuthor(request, memberId),
  )
}

export type Claim = FirstMember & {
  readonly sessionId: string
  readonly password: string
  readonly request: LinkUse['request']
}

/** Gives the first administrator an address and a password, and ends their other sessions. */
export async function claimMember({ database, passwords }: LinkDeps, claim: Claim): Promise<Result<null>> {
  const { memberId, sessionId, email, password, now, request } = claim
  const hash = await passwords.hash(password)
  return database.asTeam(
    async (tx) => {
      await lockAddresses(tx)
      if ((await findMemberByEmail(tx, email)) !== null) return reject(fault('email_taken'))
      if (!(await nameFirst(tx, claim))) return reject(fault('already_claimed'))
      await savePassword(tx, { id: newId(), memberId, hash, now })
      await removeSessions(tx, memberId, sessionId)
      return accept(null)
    },
    memberAuthor(request, memberId),
  )
}

type FirstMember = {
  readonly memberId: string
  readonly email: string
  readonly name: string
  readonly now: number
}

type LinkTaking = { readonly token: string; readonly found: OpenedLink; readonly draft: FirstMember }

/**
 * Takes the link away, makes its member if there is none, and ends the sessions; false when somebody was first, or when
 * the member has meanwhile come into another brand, which changes the purpose of the link.
 */
async function takeLink(tx: Db, { token, found, draft }: LinkTaking): Promise<boolean> {
  const { memberId, now } = draft
  await lockMember(tx, memberId)
  const still = await findOpenLink(tx, token, now)
  if (still?.purpose !== found.purpose) return false
  if (!(await consumeLink(tx, { hash: sha256(token), now }))) return false
  if (found.memberId === null && !(await makeFirst(tx, draft))) return false
  await removeSessions(tx, memberId)
  await auditAction(tx, { brandId: INSTANCE_BRAND, action: 'used', type: 'sign_in_link', id: memberId })
  return true
}

/** Makes the first administrator, who owns every brand; false when somebody was first. */
async function makeFirst(tx: Db, { email, name, now, memberId }: FirstMember): Promise<boolean> {
  if (await hasMembers(tx)) return false
  await ensureMember(tx, { id: memberId, email, name, isAdministrator: true, now })
  await ownEveryBrand(tx, { memberId, now })
  return true
}

/** Replaces the placeholder; false when it was replaced before. Links that still let in without a password are void. */
async function nameFirst(tx: Db, member: FirstMember): Promise<boolean> {
  const { memberId } = member
  if (!(await nameMember(tx, member))) return false
  await voidLinks(tx, memberId)
  await auditAction(tx, { brandId: INSTANCE_BRAND, action: 'claimed', type: 'member', id: memberId })
  return true
}
