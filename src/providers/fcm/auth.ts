import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { AndroidCredential } from '../../domain/push/credential.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import { retryAfterMs } from '../../domain/values/retry-after.ts'
import { answerJson } from '../answer-json.ts'
import type { ChannelDeps } from '../channel.ts'
import { fingerprint, signJwt } from '../jwt.ts'
import type { AuthToken, Minted, TokenRecipe } from '../token-cache.ts'
import type { ProviderAnswer } from '../transport.ts'
import { rowOfStatus, unansweredVerdict, VERDICT_ROWS } from '../verdict-rows.ts'

type FcmTokenDeps = Pick<ChannelDeps, 'transport' | 'clock'> & {
  /** The endpoint that turns assertions into access tokens. It is a setting: the account's own is a caller's text. */
  readonly tokenUrl: string
}

/** An access token for FCM: Google returns one for an hour for an assertion that the service account has signed. */
export function fcmTokenRecipe(credential: AndroidCredential, deps: FcmTokenDeps): TokenRecipe {
  const { clientEmail, privateKeyPem } = credential
  return {
    name: `fcm ${deps.tokenUrl} ${clientEmail} ${fingerprint(privateKeyPem)}`,
    mint: async () => mintFcmToken(credential, deps),
  }
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const ASSERTION_SECONDS = 3600
/** A token is renewed this long before its end, so that it stays valid for requests under way. */
const RENEW_AHEAD_MS = 5 * 60_000
/** The text that fits into a header. Google's tokens have at most 2048 characters. */
const SENDABLE = /^[\x21-\x7e]{1,4096}$/
/** A token for less than this could not be used before its end. */
const LASTS_SECONDS_MIN = 10
const LASTS_SECONDS_MAX = 86_400
/** The token is not stored, or else no message could be sent until it expires. */
const UNUSABLE: Minted = {
  kind: 'none',
  verdict: { kind: 'retry', reason: 'bad_access_token', waitMs: 0, scope: 'credential' },
}

async function mintFcmToken(credential: AndroidCredential, deps: FcmTokenDeps): Promise<Minted> {
  const key = privateKey(credential.privateKeyPem)
  if (key === null) return { kind: 'none', verdict: { kind: 'paused', reason: 'bad_private_key' } }
  const now = deps.clock.now()
  const issuedAt = Math.floor(now / 1000)
  const assertion = signJwt({
    header: { alg: 'RS256', typ: 'JWT' },
    claims: {
      iss: credential.clientEmail,
      scope: SCOPE,
      aud: deps.tokenUrl,
      iat: issuedAt,
      exp: issuedAt + ASSERTION_SECONDS,
    },
    key,
  })
  const { origin, pathname } = new URL(deps.tokenUrl)
  const answer = await deps.transport.send({
    route: { origin, partition: '' },
    path: pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
  })
  return mintedOf(answer, now)
}

function mintedOf(answer: ProviderAnswer, now: number): Minted {
  if (answer.kind !== 'answered') return { kind: 'none', verdict: unminted(unansweredVerdict(answer)) }
  const body = answerJson(answer.body)
  const { access_token: value, expires_in: seconds } = body ?? {}
  if (answer.status === 200 && typeof value === 'string' && typeof seconds === 'number') {
    const isUsable = SENDABLE.test(value) && seconds >= LASTS_SECONDS_MIN
    return isUsable ? { kind: 'token', token: tokenFor(value, seconds, now) } : UNUSABLE
  }
  if (isBusy(answer.status)) {
    const waitMs = retryAfterMs(answer.retryAfter, now) ?? 0
    return { kind: 'none', verdict: { kind: 'retry', reason: 'token_endpoint', waitMs, scope: 'credential' } }
  }
  return { kind: 'none', verdict: { kind: 'paused', reason: oauthReason(body?.['error']) } }
}

/** A token longer than a day is renewed after a day: nobody promised so much, and a mistake must not last for years. */
function tokenFor(value: string, seconds: number, now: number): AuthToken {
  const lastsMs = Math.min(seconds, LASTS_SECONDS_MAX) * 1000
  const renewAt = now + Math.max(lastsMs / 2, lastsMs - RENEW_AHEAD_MS)
  return { value, mintedAt: now, renewAt, expiresAt: now + lastsMs }
}

/** Whether another request may get a token. Every other status says that the account or the address is wrong. */
function isBusy(status: number): boolean {
  return status < 300 || rowOfStatus(status, { own: new Map(), busy: VERDICT_ROWS.busyHost }).kind === 'retry'
}

/** A request for a token that got no answer sent no message, so that the message can be retried. */
function unminted(verdict: Verdict): Verdict {
  if (verdict.kind !== 'unknown') return verdict
  return { kind: 'retry', reason: verdict.reason, waitMs: 0, scope: 'credential' }
}

/** The errors of RFC 6749 §5.2 and of Google that are named in a reason; any other is `token_endpoint`. */
const OAUTH_ERRORS = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
])

function oauthReason(error: unknown): string {
  return typeof error === 'string' && OAUTH_ERRORS.has(error) ? error : 'token_endpoint'
}

function privateKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === 'rsa' ? key : null
  } catch {
    // The key was typed in by a person: a bad one pauses the channel, with this reason.
    return null
  }
}
