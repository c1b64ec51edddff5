import { isIP } from 'node:net'
import { isPrivateName, isPublicAddress } from '../../domain/values/public-address.ts'
import { type AddressGuard, hostOf, systemResolve } from '../../runtime/address-guard.ts'
import { withGuardedFetch } from '../../runtime/fetch-guard.ts'
import { proxyFetch } from '../../runtime/fetch-proxy.ts'
import type { SendMail } from '../../runtime/mailer.ts'
import type { HttpsProxy } from '../../runtime/outgoing-setting.ts'
import type { PasswordHasher } from '../../runtime/secrets/password.ts'
import type { SignInRequest } from '../../store/author.ts'
import type { Database } from '../../store/db.ts'
import type { AuthLibrary, AuthLibraryOptions, OidcSettings, openOidcLibrary } from './auth-library.ts'

export type OidcLibrary = ReturnType<typeof openOidcLibrary>

type OidcWork = <Value>(
  request: SignInRequest,
  work: (library: OidcLibrary) => Promise<Value>,
) => Promise<Value>

/** The parts of the sign-in that handlers use. */
export type TeamDeps = {
  /** The address that members open (BECKON_PUBLIC_URL); null when it is not set and members use this machine. */
  readonly publicUrl: string | null
  /** The same, or the address of this machine. */
  readonly url: string
  /** The library for one request. */
  readonly library: (request: SignInRequest) => Promise<AuthLibrary>
  readonly passwords: PasswordHasher
  /** Sends mails to members; null without a mail server. */
  readonly sendMail: SendMail | null
  /** Works with the library and the company's identity provider; null when none is set. */
  readonly oidc: OidcWork | null
}

export type TeamOptions = {
  readonly database: Database
  readonly publicUrl: string | null
  readonly port: number
  readonly oidc: OidcSettings | null
  /** The way to the identity provider; null when it is called directly. */
  readonly httpsProxy: HttpsProxy | null
  readonly sendMail: SendMail | null
  readonly secret: string
  readonly oldSecrets: readonly string[]
  readonly passwords: PasswordHasher
}

/** The library is loaded with the first sign-in, so that no other process and no start waits for it. */
export function openTeam({ publicUrl, port, oidc, httpsProxy, sendMail, ...access }: TeamOptions): TeamDeps {
  const url = publicUrl ?? `http://localhost:${port}`
  const options: AuthLibraryOptions = { ...access, publicUrl: url }
  return {
    publicUrl,
    url,
    sendMail,
    passwords: access.passwords,
    library: async (request) => {
      const { openAuthLibrary } = await import('./auth-library.ts')
      return openAuthLibrary(options, request)
    },
    oidc:
      oidc === null
        ? null
        : async (request, work) => {
            const { openOidcLibrary } = await import('./auth-library.ts')
            if (httpsProxy !== null) proxyFetch(httpsProxy)
            const guard = guardOf(oidc, httpsProxy)
            return withGuardedFetch(guard, async () => work(openOidcLibrary(options, oidc, request)))
          },
  }
}

/**
 * The operator chose the issuer, which may be a server of the company. The addresses in its document are the provider's
 * word, so they lead to the same server or to public ones. A proxy resolves names itself; then names that are never public
 * are refused, and the rest is up to the proxy.
 */
function guardOf({ issuer }: OidcSettings, httpsProxy: HttpsProxy | null): AddressGuard {
  const { host, port } = hostOf(issuer)
  const allowed = new Set([`${host}:${port}`])
  if (httpsProxy === null) return { allowed, isPublic: isPublicAddress, resolve: systemResolve }
  return {
    allowed,
    isPublic: (address) => (isIP(address) === 0 ? !isPrivateName(address) : isPublicAddress(address)),
    resolve: (name, _, done) => done(null, [{ address: name, family: 0 }]),
  }
}
