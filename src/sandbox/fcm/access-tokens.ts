import { type KeyObject, randomBytes } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { Call, CallReply } from '../call.ts'
import { isSignedBy, parseJwt } from '../jwt.ts'

/** A service account that the sandbox knows. */
export type FcmAccount = { readonly projectId: string; readonly email: string; readonly publicKey: KeyObject }

/** Google's token endpoint: for an assertion that an account has signed, it returns an access token for an hour. */
export class AccessTokens {
  readonly #clock: Clock
  readonly #accounts = new Map<string, FcmAccount>()
  readonly #lent = new BoundedCache<string, Lent>({ capacity: LENT_MAX })
  #mintedCount = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get mintedCount(): number {
    return this.#mintedCount
  }

  add(account: FcmAccount): void {
    this.#accounts.set(account.email, account)
  }

  /** Revokes all access tokens, as Google does when the access of an account changes. */
  revokeAll(): void {
    this.#lent.clear()
  }

  /** The account behind an `Authorization` header, while its token lasts. */
  accountOf(authorization: string | undefined): FcmAccount | null {
    const [, token] = /^Bearer (.+)$/.exec(authorization ?? '') ?? []
    const lent = this.#lent.get(token ?? '')
    return lent !== undefined && this.#clock.now() < lent.expiresAt ? lent.account : null
  }

  /** `audience` is the endpoint's own address, which the assertion must name. */
  answer(call: Call, audience: string): CallReply {
    const form = new URLSearchParams(call.body.toString())
    if (form.get('grant_type') !== GRANT_TYPE)
      return oauthError('unsupported_grant_type', 'Invalid grant_type')
    const granted = this.#grant(form.get('assertion') ?? '', audience)
    if ('error' in granted) return oauthError(granted.error, granted.description)
    const token = `ya29.${randomBytes(48).toString('base64url')}`
    this.#lent.set(token, { account: granted, expiresAt: this.#clock.now() + TOKEN_SECONDS * 1000 })
    this.#mintedCount += 1
    return json(200, { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' })
  }

  #grant(assertion: string, audience: string): FcmAccount | OauthProblem {
    const jwt = parseJwt(assertion)
    if (jwt === null) return { error: 'invalid_grant', description: 'Invalid JWT' }
    const account = this.#accounts.get(String(jwt.claims['iss']))
    if (account === undefined) {
      return { error: 'invalid_grant', description: 'Invalid grant: account not found' }
    }
    if (!isSignedBy(jwt, 'RS256', account.publicKey)) {
      return { error: 'invalid_grant', description: 'Invalid JWT Signature.' }
    }
    if (jwt.claims['aud'] !== audience) {
      return { error: 'invalid_grant', description: 'Invalid JWT: Failed audience check.' }
    }
    if (!this.#isTimely(Number(jwt.claims['iat']), Number(jwt.claims['exp']))) {
      const description = 'Invalid JWT: Token must be a short-lived token (60 minutes)'
      return { error: 'invalid_grant', description }
    }
    if (jwt.claims['scope'] !== SCOPE) {
      return { error: 'invalid_scope', description: 'Invalid OAuth scope or ID token audience provided.' }
    }
    return account
  }

  #isTimely(issuedAt: number, expiresAt: number): boolean {
    const now = this.#clock.now() / 1000
    return expiresAt > now && issuedAt < now + LEEWAY_SECONDS && expiresAt - issuedAt <= ASSERTION_SECONDS_MAX
  }
}

type Lent = { readonly account: FcmAccount; readonly expiresAt: number }
type OauthProblem = { readonly error: string; readonly description: string }

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const TOKEN_SECONDS = 3599
const ASSERTION_SECONDS_MAX = 3600
const LEEWAY_SECONDS = 300
const LENT_MAX = 10_000

function oauthError(error: string, description: string): CallReply {
  return json(400, { error, error_description: description })
}

function json(status: number, body: object): CallReply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  }
}
