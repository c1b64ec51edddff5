import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { sha256 } from '../../runtime/secrets/crypto.ts'
import type { Caller, OpenRequest } from '../request.ts'
import type { Route, StreamRoute, TenantRoute } from '../route.ts'
import { scopesOf } from '../route-scopes.ts'
import { instantOf } from '../schema/view.ts'
import { isProven } from '../team/member-handler.ts'
import { checkOrigin, sessionOf } from '../team/session-cookie.ts'
import type { TeamDeps } from '../team/team-deps.ts'

/** A caller as it is stored. The brand may be deleted and restorable; then it is no caller yet. */
export type FoundCaller = Caller & { readonly restorableUntil: number | null }

export type FindKey = (hash: Uint8Array) => Promise<FoundCaller | null>

/** The hash of a session's token, and the brand in which its member calls. */
export type MemberCredential = { readonly hash: string; readonly brand: string }

export type FindMember = (session: MemberCredential) => Promise<FoundCaller | null>

/** `query` only on routes for browsers: there a publishable key, which is public, may stand in the address. */
export type Asked = Pick<OpenRequest, 'headers'> & Partial<Pick<OpenRequest, 'query'>>

/**
 * Finds the caller of a request. A key that is missing, unknown, revoked or another brand's is looked up in the same way
 * and gets the same reply, so that neither the reply nor its time reveals which it was.
 */
export async function authenticateKey(findKey: FindKey, asked: Asked): Promise<Result<Caller>> {
  const credentials = readCredentials(asked)
  const caller = await findKey(sha256(credentials.key))
  if (caller !== null && isForBrand(credentials, caller)) return acceptLive(caller)
  return reject(fault('unauthenticated', null, { remedy: remedyFor(credentials) }))
}

/** The ways to find a caller, and the address of our own pages. */
type Finders = {
  readonly findKey: FindKey
  readonly findMember: FindMember
  readonly deps: { readonly team: Pick<TeamDeps, 'url' | 'publicUrl'> }
}

export type AskedInBrand = Pick<OpenRequest, 'headers' | 'method'> & { readonly brandInQuery: string | null }

/** A request with a key is the key's, whatever cookies it brings. A request without a key may be a member's. */
export async function authenticate(
  { findKey, findMember, deps }: Finders,
  asked: AskedInBrand,
): Promise<Result<Caller>> {
  const { headers } = asked
  const credentials = readCredentials({ headers })
  const hash = credentials.key === '' ? sessionOf(deps.team, asked) : null
  if (hash === null) return authenticateKey(findKey, { headers })
  const brand = credentials.brand ?? asked.brandInQuery
  const origin = checkOrigin(deps.team, asked)
  if (!origin.ok) return origin
  const remedy =
    brand === null ? 'Send the brand as x-brand-id.' : 'Sign in again, or choose a brand of yours.'
  const caller = brand === null ? null : await findMember({ hash, brand })
  return caller === null ? reject(fault('unauthenticated', null, { remedy })) : acceptLive(caller)
}

/** A brand that is being deleted lets nobody in, and tells its own keys and members why. */
function acceptLive({ restorableUntil, ...caller }: FoundCaller): Result<Caller> {
  if (restorableUntil === null) return accept(caller)
  return reject(fault('brand_deleting', null, { until: instantOf(restorableUntil) }))
}

/** A row that shows a secret asks a member for a recent proof; a key is proof enough. */
export function checkProof(caller: Caller, { needsProof }: Route, now: number): Result<Caller> {
  const { actor } = caller
  if (needsProof !== true || actor.type !== 'member' || isProven(actor, now)) return accept(caller)
  return reject(fault('proof_needed'))
}

/** The advice depends on what the caller sent, and never on what was found. */
function remedyFor({ key, brand, place }: Credentials): string {
  if (key === '') return 'Send x-api-key and x-brand-id, or Authorization: Bearer with the key.'
  if (place === 'address') {
    return 'The key of this page is mistyped, revoked, or of another Beckon: look at the key in init.'
  }
  if (place === 'x-api-key' && brand === null)
    return 'Beside x-api-key, send the id of the brand as x-brand-id.'
  if (brand === null) return 'The key is mistyped, revoked, or of another Beckon.'
  return 'The key is mistyped, revoked, or of another brand than x-brand-id says.'
}

/** One of the route's scopes is enough. */
export function authorize(caller: Caller, route: TenantRoute | StreamRoute): Result<Caller> {
  const scopes = scopesOf(route)
  if (scopes.some((scope) => caller.scopes.includes(scope))) return accept(caller)
  return reject(fault('scope_missing', null, { scope: scopes.join(' or ') }))
}

type Credentials = {
  readonly key: string
  readonly brand: string | null
  /** A bearer key needs no brand id; `x-api-key` needs `x-brand-id` (spec §5). */
  readonly place: 'x-api-key' | 'address' | 'bearer'
}

function readCredentials({ headers, query }: Asked): Credentials {
  const apiKey = single(headers['x-api-key'])
  const brand = single(headers['x-brand-id'])
  if (apiKey !== null) return { key: apiKey, brand, place: 'x-api-key' }
  const inAddress = query?.get('key') ?? null
  if (inAddress !== null) return { key: inAddress, brand, place: 'address' }
  const bearer = BEARER.exec(single(headers['authorization']) ?? '')
  return { key: bearer?.[1] ?? '', brand, place: 'bearer' }
}

const BEARER = /^bearer +(\S+) *$/i

function single(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value.trim() : null
}

function isForBrand(credentials: Credentials, caller: Caller): boolean {
  if (credentials.brand === null) return credentials.place !== 'x-api-key'
  return credentials.brand === caller.brandExternalId
}
