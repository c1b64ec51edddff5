import { createHash, createHmac } from 'node:crypto'
import { passkey } from '@better-auth/passkey'
import { APIError, createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { PasswordHasher } from '../../runtime/secrets/password.ts'
import type { SignInRequest } from '../../store/author.ts'
import type { Database } from '../../store/db.ts'
import { leaveOnlyProvider } from '../../store/team/provider-join.ts'
import { adapterOf } from './auth-adapter.ts'

export type AuthLibraryOptions = {
  readonly database: Database
  /** The address that members open, without a slash at its end. */
  readonly publicUrl: string
  readonly secret: string
  readonly oldSecrets: readonly string[]
  readonly passwords: PasswordHasher
}

/**
 * The sign-in library, opened for one request, which the audit log names as the author of what the library writes. Its
 * HTTP handler is never used: our own routes call its functions, so only the endpoints that we need exist, and our limits
 * hold. It sends nothing anywhere.
 */
export function openAuthLibrary(options: AuthLibraryOptions, request: SignInRequest) {
  const { hostname, origin } = new URL(options.publicUrl)
  const { api } = betterAuth({
    ...baseOptions(options, request),
    plugins: [
      { id: 'beckon', endpoints: { openSession: OPEN_SESSION } },
      twoFactor({
        issuer: 'Beckon',
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'member_two_factors',
            fields: {
              userId: 'member_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_verification_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      passkey({
        rpID: hostname,
        rpName: 'Beckon',
        origin,
        registration: {
          afterVerification: async ({ verification }) =>
            requireVerified(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: async ({ verification }) =>
            requireVerified(verification.authenticationInfo.userVerified),
        },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        schema: {
          passkey: {
            modelName: 'member_passkeys',
            fields: {
              userId: 'member_id',
              credentialID: 'credential_id',
              publicKey: 'public_key',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
  })
  return { api, refusalCode }
}

export type AuthLibrary = ReturnType<typeof openAuthLibrary>

/** A member whom a link of our own has proved, and not the library. */
const TEXT: { readonly input: string; readonly output: string } = { input: '', output: '' }
const MEMBER_ID = {
  '~standard': {
    version: 1,
    vendor: 'beckon',
    validate: (memberId: unknown) =>
      typeof memberId === 'string' ? { value: memberId } : { issues: [{ message: 'no member' }] },
    types: TEXT,
  },
} as const

/** Makes a session of a member without a password. It has no path: only our own code calls it. */
const OPEN_SESSION = createAuthEndpoint({ method: 'POST', body: MEMBER_ID }, async (ctx) => {
  const user = await ctx.context.internalAdapter.findUserById(ctx.body)
  if (user === null) throw new APIError('UNAUTHORIZED', { message: 'the member is gone' })
  const session = await ctx.context.internalAdapter.createSession(user.id)
  await setSessionCookie(ctx, { session, user })
  return {}
})

/** The company's identity provider. */
export type OidcSettings = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * The library with the identity provider. It is opened for each step of a sign-in: so the addresses and keys of the
 * provider are those of this moment, and a provider that was away is asked again.
 */
export function openOidcLibrary(options: AuthLibraryOptions, oidc: OidcSettings, request: SignInRequest) {
  const { issuer, clientId, clientSecret } = oidc
  const { database } = options
  const { api } = betterAuth({
    ...baseOptions(options, request),
    databaseHooks: {
      account: {
        // The session of this sign-in comes afterwards, and stays.
        create: { before: async ({ userId }) => leaveOnlyProvider(database, { memberId: userId, request }) },
      },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: OIDC_PROVIDER,
            discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
            clientId,
            clientSecret,
            scopes: ['openid', 'email', 'profile'],
            pkce: true,
            disableSignUp: true,
            requireIdTokenVerification: true,
            getUserInfo: async ({ idToken }) => profileOf(idToken, issuer),
          },
        ],
      }),
    ],
  })
  return { api, refusalCode }
}

export const OIDC_PROVIDER = 'oidc'

/**
 * The person of an ID token, whose signature, audience, time and nonce the library has checked by now. Without such a
 * token there is nobody: a user-info endpoint proves nothing about this sign-in. An address that the provider has not
 * verified could be anybody's.
 */
function profileOf(idToken: string | undefined, issuer: string) {
  const claims: unknown = JSON.parse(Buffer.from(idToken?.split('.')[1] ?? 'bnVsbA', 'base64url').toString())
  if (typeof claims !== 'object' || claims === null) return null
  const { iss, sub, email, email_verified: isVerified, name } = { ...EMPTY_CLAIMS, ...claims }
  if (iss !== issuer || typeof sub !== 'string' || typeof email !== 'string' || isVerified !== true)
    return null
  // The placeholder of the first administrator is no address, and nobody else's account may be joined with it.
  if (!email.includes('@')) return null
  return { id: sub, sub, email, emailVerified: true, name: typeof name === 'string' ? name : '' }
}

const EMPTY_CLAIMS: Readonly<Record<string, unknown>> = {}

/** A passkey replaces password and code, so the device must have asked for a finger, a face or a PIN. */
function requireVerified(isVerified: boolean | undefined): void {
  if (isVerified !== true)
    throw new APIError('UNAUTHORIZED', { message: 'the device did not verify its user' })
}

/** The code of a refusal of the library; null for an error. Refusals are thrown there, and returned here. */
function refusalCode(cause: unknown): string | null {
  if (!(cause instanceof APIError)) return null
  const { code } = cause.body ?? {}
  const isRefusal = cause.statusCode < 500 || REFUSED_AS_ERRORS.has(cause.message)
  return isRefusal ? (code ?? cause.message) : null
}

/** Proofs that the library finds wrong, such as those of another origin, and reports as errors of its own. */
const REFUSED_AS_ERRORS = new Set(['Failed to verify registration', 'Failed to verify authentication'])

/** The settings that every instance of the library shares. */
function baseOptions(options: AuthLibraryOptions, request: SignInRequest) {
  const { database, publicUrl, secret, oldSecrets, passwords } = options
  return {
    appName: 'Beckon',
    baseURL: publicUrl,
    basePath: '/auth',
    secrets: [secret, ...oldSecrets].map(versionOf),
    database: adapterOf({ database, request }),
    trustedOrigins: [new URL(publicUrl).origin],
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: passwordOptions(passwords),
    user: { modelName: 'members', fields: { ...TIMES, emailVerified: 'email_verified' } },
    session: {
      modelName: 'member_sessions',
      fields: {
        ...TIMES,
        userId: 'member_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: SIGN_IN.sessionDays * 86_400,
      disableSessionRefresh: true,
      // The routes ask for a recent proof themselves (`confirmed_at`).
      freshAge: 0,
    },
    account: {
      modelName: 'member_accounts',
      fields: {
        ...TIMES,
        userId: 'member_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
      },
    },
    verification: {
      modelName: 'member_verifications',
      fields: { ...TIMES, expiresAt: 'expires_at' },
      storeIdentifier: 'hashed' as const,
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: publicUrl.startsWith('https:'),
      ipAddress: { ipAddressHeaders: [SIGN_IN.networkHeader] },
      database: { generateId: () => newId() },
    },
  } satisfies BetterAuthOptions
}

function passwordOptions(passwords: PasswordHasher) {
  return {
    enabled: true,
    disableSignUp: true,
    minPasswordLength: SIGN_IN.passwordCharsMin,
    maxPasswordLength: SIGN_IN.passwordCharsMax,
    password: {
      hash: async (password: string) => passwords.hash(password),
      verify: async ({ hash, password }: { hash: string; password: string }) =>
        passwords.matches(password, hash),
    },
  }
}

const COOKIE_PREFIX = 'beckon'
const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** The library remembers by a number which secret encrypted a value. */
function versionOf(secret: string): { version: number; value: string } {
  const value = createHmac('sha256', secret).update('beckon team').digest('base64url')
  return { version: createHash('sha256').update(value).digest().readUInt16BE(0), value }
}
