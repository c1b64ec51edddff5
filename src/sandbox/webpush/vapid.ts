import { createPublicKey, type KeyObject } from 'node:crypto'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { isSignedBy, type Jwt, parseJwt } from '../jwt.ts'

type VapidCheck = { readonly audience: string; readonly now: number }

/** Reads `vapid t=…, k=…` headers, and remembers the verified ones: a sender uses one for hours. */
export class VapidHeaders {
  readonly #verified = new BoundedCache<string, Vapid>({ capacity: VERIFIED_MAX })

  /** The sender's public key, or the mistake in the header (RFC 8292 §4.2). */
  judge(header: string | undefined, { audience, now }: VapidCheck): { readonly key: string } | string {
    const vapid = this.#verified.get(header ?? '') ?? parseVapid(header ?? '')
    if (typeof vapid === 'string') return vapid
    const { aud, exp, sub } = vapid.jwt.claims
    if (aud !== audience) return 'Invalid audience'
    if (typeof exp !== 'number' || exp * 1000 <= now) return 'Expired'
    if (exp * 1000 > now + LIFE_MAX_MS) return 'Expires more than 24 hours ahead'
    if (typeof sub !== 'string' || !/^(mailto:.+@|https:\/\/)/.test(sub)) return 'Invalid subject'
    this.#verified.set(header ?? '', vapid)
    return { key: vapid.key }
  }
}

type Vapid = { readonly key: string; readonly jwt: Jwt }

const LIFE_MAX_MS = 24 * 3_600_000
const VERIFIED_MAX = 1_000

function parseVapid(header: string): Vapid | string {
  const [, token] = /^vapid .*\bt=([\w.-]+)/i.exec(header) ?? []
  const [, key] = /^vapid .*\bk=([\w-]+)/i.exec(header) ?? []
  if (token === undefined || key === undefined) return 'Missing VAPID token'
  const [jwt, publicKey] = [parseJwt(token), publicKeyOf(key)]
  if (jwt === null || publicKey === null) return 'Invalid VAPID token'
  return isSignedBy(jwt, 'ES256', publicKey) ? { key, jwt } : 'Invalid signature'
}

function publicKeyOf(text: string): KeyObject | null {
  const point = Buffer.from(text, 'base64url')
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  if (point.length !== 65 || point[0] !== 4) return null
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  } catch {
    // A key that is not on the curve is the caller's mistake, and the answer says so.
    return null
  }
}
