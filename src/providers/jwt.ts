import { createHash, type KeyObject, sign } from 'node:crypto'

type JwtParts = {
  readonly header: { readonly alg: 'ES256' | 'RS256'; readonly [name: string]: string }
  readonly claims: Readonly<Record<string, string | number>>
  readonly key: KeyObject
}

/** A signed JSON Web Token, with as much of the standard as the three providers need. */
export function signJwt({ header, claims, key }: JwtParts): string {
  const signed = `${encode(header)}.${encode(claims)}`
  // RSA ignores the encoding; ECDSA must be the two plain numbers, not DER (RFC 7518 §3.4).
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/**
 * Part of the name of every cached token. Without it, a brand that knows the key id of another brand, but not its key,
 * would get the other brand's token.
 */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
