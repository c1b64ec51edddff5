import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import { fingerprint, signJwt } from '../jwt.ts'
import type { Minted, TokenRecipe } from '../token-cache.ts'

/** One VAPID key pair (RFC 8292), both halves as base64url: the public point and the private number. */
export type VapidKey = { readonly publicKey: string; readonly privateKey: string }

/** A brand's keys. The first is for new subscriptions; an older key is for the subscriptions that were made with it. */
export type WebPushCredential = {
  /** The contact that a push service may write to, as `mailto:` or `https:`. */
  readonly subject: string
  readonly keys: readonly [VapidKey, ...VapidKey[]]
}

type VapidSigner = { readonly key: VapidKey; readonly subject: string; readonly origin: string }

/** The `Authorization` header for one push service, good for half a day: the services ask us not to mint hourly. */
export function vapidRecipe({ key, subject, origin }: VapidSigner, clock: Clock): TokenRecipe {
  return {
    name: `vapid ${origin} ${fingerprint(`${key.publicKey} ${key.privateKey} ${subject}`)}`,
    mint: async () => mintVapid({ key, subject, origin }, clock.now()),
  }
}

const HOUR_MS = 3_600_000
/** A push service refuses more than 24 hours; 12 leave room for clocks that differ. */
const EXPIRES_AFTER_MS = 12 * HOUR_MS
const RENEW_AFTER_MS = 6 * HOUR_MS

function mintVapid({ key, subject, origin }: VapidSigner, now: number): Minted {
  const privateKey = privateKeyOf(key)
  if (privateKey === null) return { kind: 'none', verdict: { kind: 'paused', reason: 'bad_vapid_key' } }
  const expiresAt = now + EXPIRES_AFTER_MS
  const token = signJwt({
    header: { typ: 'JWT', alg: 'ES256' },
    claims: { aud: origin, exp: Math.floor(expiresAt / 1000), sub: subject },
    key: privateKey,
  })
  const value = `vapid t=${token}, k=${key.publicKey}`
  return { kind: 'token', token: { value, mintedAt: now, renewAt: now + RENEW_AFTER_MS, expiresAt } }
}

function privateKeyOf({ publicKey, privateKey }: VapidKey): KeyObject | null {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  try {
    return createPrivateKey({
      format: 'jwk',
      key: { kty: 'EC', crv: 'P-256', d: privateKey, x: x ?? '', y: y ?? '' },
    })
  } catch {
    // The key was typed in by a person: a bad one pauses the channel, with this reason.
    return null
  }
}
