import { createHash, createHmac } from 'node:crypto'
import { passkey } from '@better-auth/passkey'
import { createAdapterFactory } from 'better-auth/adapters'
import { APIError } from 'better-auth/api'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { twoFactor } from 'better-auth/plugins'
import { SIGN_IN } from '../../rules/sign-in.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import { hashPassword, isPassword } from '../../runtime/secrets/password.ts'
import type { Database } from '../../store/db.ts'
import { type TeamCondition, teamRows } from '../../store/team/rows.ts'

export type AuthLibraryOptions = {
  readonly database: Database
  /** The address that members open, without a slash at its end. */
  readonly publicUrl: string
  readonly secret: string
  readonly oldSecrets: readonly string[]
}

/**
 * The sign-in library, set up once for each API process. Its HTTP handler is never used: our own routes call its
 * functions, so only the endpoints that we need exist, and our limits hold. It sends nothing anywhere.
 */
export function openAuthLibrary(options: AuthLibraryOptions) {
  const { hostname, origin } = new URL(options.publicUrl)
  const { api } = betterAuth({
    ...baseOptions(options),
    plugins: [
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

/** A passkey replaces password and code, so the device must have asked for a finger, a face or a PIN. */
function requireVerified(isVerified: boolean | undefined): void {
  if (isVerified !== true)
    throw new APIError('UNAUTHORIZED', { message: 'the device did not verify its user' })
}

/** The code of a refusal of the library; null for an error. Refusals are thrown there, and returned here. */
function refusalCode(cause: unknown): string | null {
  if (!(cause instanceof APIError)) return null
  const { code } = cause.body ?? {}
  return cause.statusCode >= 500 ? null : (code ?? cause.message)
}

/** The settings that every instance of the library shares. */
function baseOptions({ database, publicUrl, secret, oldSecrets }: AuthLibraryOptions) {
  return {
    appName: 'Beckon',
    baseURL: publicUrl,
    basePath: '/auth',
    secrets: [secret, ...oldSecrets].map(versionOf),
    database: adapterOf(database),
    trustedOrigins: [new URL(publicUrl).origin],
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: PASSWORDS,
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

const PASSWORDS = {
  enabled: true,
  disableSignUp: true,
  minPasswordLength: SIGN_IN.passwordCharsMin,
  maxPasswordLength: SIGN_IN.passwordCharsMax,
  password: {
    hash: hashPassword,
    verify: async ({ hash, password }: { hash: string; password: string }) => isPassword(password, hash),
  },
}

const COOKIE_PREFIX = 'beckon'
const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** The library remembers by a number which secret encrypted a value. */
function versionOf(secret: string): { version: number; value: string } {
  const value = createHmac('sha256', secret).update('beckon team').digest('base64url')
  return { version: createHash('sha256').update(value).digest().readUInt16BE(0), value }
}

type LibraryCondition = {
  readonly field: string
  readonly operator?: string | undefined
  readonly value: unknown
  readonly connector?: 'AND' | 'OR' | undefined
}

function adapterOf(database: Database) {
  return createAdapterFactory({
    config: { adapterId: 'beckon', supportsJSON: false, supportsArrays: false },
    adapter: ({ getFieldName }) => ({
      create: async ({ model, data }) => given(await teamRows.insert(database, model, data)),
      findOne: async ({ model, where }) =>
        givenOrNull(await teamRows.select(database, queryOf(model, where), { limit: 1 })),
      findMany: async ({ model, where = [], limit, offset = 0, sortBy }) => {
        const order =
          sortBy === undefined
            ? {}
            : {
                sortBy: {
                  column: getFieldName({ model, field: sortBy.field }),
                  isDescending: sortBy.direction === 'desc',
                },
              }
        const rows = await teamRows.select(database, queryOf(model, where), { limit, offset, ...order })
        return rows.map((row) => given(row))
      },
      count: async ({ model, where = [] }) => teamRows.count(database, queryOf(model, where)),
      update: async ({ model, where, update }) =>
        givenOrNull(await teamRows.update(database, queryOf(model, where), { set: given(update) })),
      updateMany: async ({ model, where, update }) =>
        (await teamRows.update(database, queryOf(model, where), { set: update })).length,
      delete: async ({ model, where }) => void (await teamRows.remove(database, queryOf(model, where))),
      deleteMany: async ({ model, where }) => (await teamRows.remove(database, queryOf(model, where))).length,
      consumeOne: async ({ model, where }) =>
        givenOrNull(await teamRows.remove(database, queryOf(model, where))),
      incrementOne: async ({ model, where, increment, set = {} }) =>
        givenOrNull(await teamRows.update(database, queryOf(model, where), { set, add: increment })),
    }),
  })
}

function queryOf(table: string, where: readonly LibraryCondition[]) {
  return { table, where: where.map(conditionOf) }
}

function conditionOf({ field, operator = 'eq', value, connector }: LibraryCondition): TeamCondition {
  if (!isOperator(operator)) throw new Error(`the sign-in library asks for ${operator}`)
  return { column: field, operator, value, joint: connector === 'OR' ? 'or' : 'and' }
}

const OPERATORS: readonly string[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in']

function isOperator(operator: string): operator is TeamCondition['operator'] {
  return OPERATORS.includes(operator)
}

/**
 * The library says what type it expects of a row; the tables have the columns of that type. A type that only the caller
 * knows is the shape of the library's adapter, so the rule against it is off here.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function given<Row>(row: unknown): Row {
  if (isExpected<Row>(row)) return row
  throw new Error('a row is missing')
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function givenOrNull<Row>([row]: readonly unknown[]): Row | null {
  return row === undefined ? null : given(row)
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function isExpected<Row>(row: unknown): row is Row {
  return typeof row === 'object' && row !== null
}
