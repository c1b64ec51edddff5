import { createHash, type KeyObject, sign } from 'node:crypto'

export type JwtParts = {
  readonly header: { readonly alg: 'ES256' | 'RS256'; readonly [name: string]: string }
  readonly claims: Readonly<Record<string, string | number>>
  readonly key: KeyObject
}

/** A signed JSON Web Token. All three providers want one, and none wants more than this. */
export function signJwt({ header, claims, key }: JwtParts): string {
  const signed = `${encode(header)}.${encode(claims)}`
  // RSA ignores the encoding; ECDSA must be the two plain numbers, not DER (RFC 7518 §3.4).
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/**
 * Part of every cached token's name. Without it, a brand that knows another's key id, but not the key, would be
 * handed the other's token.
 */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
