import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Scope } from '../../rules/brand.ts'
import { sha256 } from '../../runtime/secrets/crypto.ts'
import type { Caller, OpenRequest } from '../request.ts'

export type FindKey = (hash: Uint8Array) => Promise<Caller | null>

/** `query` only on routes for browsers: there a publishable key, which is public, may stand in the address. */
export type Asked = Pick<OpenRequest, 'headers'> & Partial<Pick<OpenRequest, 'query'>>

/**
 * Finds the caller of a request. A key that is missing, unknown, revoked or another brand's is looked up in the same way
 * and gets the same reply, so that neither the reply nor its time reveals which it was.
 */
export async function authenticate(findKey: FindKey, asked: Asked): Promise<Result<Caller>> {
  const caller = await findCaller(findKey, asked)
  return caller === null ? reject(fault('unauthenticated')) : accept(caller)
}

export async function findCaller(findKey: FindKey, asked: Asked): Promise<Caller | null> {
  const credentials = readCredentials(asked)
  const caller = await findKey(sha256(credentials.key))
  return caller !== null && isForBrand(credentials, caller) ? caller : null
}

/** One of the route's scopes is enough. */
export function authorize(caller: Caller, scopes: readonly Scope[]): Result<Caller> {
  if (scopes.some((scope) => caller.scopes.includes(scope))) return accept(caller)
  return reject(fault('scope_missing', null, { scope: scopes.join(' or ') }))
}

type Credentials = {
  readonly key: string
  readonly brand: string | null
  /** A bearer key needs no brand id; `x-api-key` needs `x-brand-id` (spec §5). */
  readonly needsBrand: boolean
}

function readCredentials({ headers, query }: Asked): Credentials {
  const apiKey = single(headers['x-api-key'])
  const brand = single(headers['x-brand-id'])
  if (apiKey !== null) return { key: apiKey, brand, needsBrand: true }
  const inAddress = query?.get('key') ?? null
  if (inAddress !== null) return { key: inAddress, brand, needsBrand: false }
  const bearer = BEARER.exec(single(headers['authorization']) ?? '')
  return { key: bearer?.[1] ?? '', brand, needsBrand: false }
}

const BEARER = /^bearer +(\S+) *$/i

function single(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value.trim() : null
}

function isForBrand(credentials: Credentials, caller: Caller): boolean {
  if (credentials.brand === null) return !credentials.needsBrand
  return credentials.brand === caller.brandExternalId
}
