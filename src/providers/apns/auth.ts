import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { IosCredential } from '../../domain/push/credential.ts'
import type { Clock } from '../../runtime/clock.ts'
import { fingerprint, signJwt } from '../jwt.ts'
import type { AuthToken, Minted, TokenRecipe } from '../token-cache.ts'

export function apnsTokenRecipe(credential: IosCredential, clock: Clock): TokenRecipe {
  const { keyPem, keyId, teamId } = credential
  return {
    name: `apns ${teamId} ${keyId} ${fingerprint(keyPem)}`,
    mint: async () => mintApnsToken(credential, clock.now()),
  }
}

/** APNs would answer an earlier minting with TooManyProviderTokenUpdates, and refuse the whole connection. */
export function mayMintAgain(token: AuthToken, now: number): boolean {
  return now - token.mintedAt >= RENEWAL_MIN_MS
}

/** APNs refuses tokens older than an hour, and senders that mint more than once in 20 minutes. */
const RENEWAL_MIN_MS = 20 * 60_000
const RENEW_AFTER_MS = 50 * 60_000
const EXPIRES_AFTER_MS = 59 * 60_000

function mintApnsToken({ keyPem, keyId, teamId }: IosCredential, now: number): Minted {
  const key = privateKey(keyPem)
  if (key === null) return { kind: 'none', verdict: { kind: 'paused', reason: 'bad_signing_key' } }
  const value = signJwt({
    header: { alg: 'ES256', kid: keyId },
    claims: { iss: teamId, iat: Math.floor(now / 1000) },
    key,
  })
  const times = { mintedAt: now, renewAt: now + RENEW_AFTER_MS, expiresAt: now + EXPIRES_AFTER_MS }
  return { kind: 'token', token: { value, ...times } }
}

function privateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    // The key was typed in by a person: a bad one pauses the channel, with this reason.
    return null
  }
}
