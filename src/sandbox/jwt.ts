import { type KeyObject, verify } from 'node:crypto'

/** A JSON Web Token taken apart, its signature not yet checked. */
export type Jwt = {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly signed: Buffer
  readonly signature: Buffer
}

export function parseJwt(text: string): Jwt | null {
  const [header = '', claims = '', signature = '', ...rest] = text.split('.')
  const parsed = [parsePart(header), parsePart(claims)] as const
  if (parsed[0] === null || parsed[1] === null || rest.length > 0) return null
  return {
    header: parsed[0],
    claims: parsed[1],
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

export function isSignedBy(jwt: Jwt, algorithm: 'ES256' | 'RS256', key: KeyObject): boolean {
  if (jwt.header['alg'] !== algorithm) return false
  const form = algorithm === 'ES256' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key
  return verify('sha256', jwt.signed, form, jwt.signature)
}

/** A request body or a token's part: an object, or null for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    // A body that is no JSON is the caller's mistake, and the answer says so.
    return null
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsePart(part: string): Readonly<Record<string, unknown>> | null {
  return parseObject(Buffer.from(part, 'base64url').toString())
}
