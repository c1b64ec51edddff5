import { proxyFetch } from '../../runtime/fetch-proxy.ts'
import type { SendMail } from '../../runtime/mailer.ts'
import type { HttpsProxy } from '../../runtime/outgoing-setting.ts'
import type { PasswordHasher } from '../../runtime/secrets/password.ts'
import type { Database } from '../../store/db.ts'
import type { AuthLibrary, AuthLibraryOptions, OidcSettings, openOidcLibrary } from './auth-library.ts'

export type OidcLibrary = ReturnType<typeof openOidcLibrary>

/** The parts of the sign-in that handlers use. */
export type TeamDeps = {
  /** The address that members open (BECKON_PUBLIC_URL); null when it is not set and members use this machine. */
  readonly publicUrl: string | null
  /** The same, or the address of this machine. */
  readonly url: string
  readonly library: () => Promise<AuthLibrary>
  readonly passwords: PasswordHasher
  /** Sends mails to members; null without a mail server. */
  readonly sendMail: SendMail | null
  /** The library with the company's identity provider; null when none is set. */
  readonly oidc: (() => Promise<OidcLibrary>) | null
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
  let opened: Promise<AuthLibrary> | null = null
  const open = async (): Promise<AuthLibrary> => {
    const { openAuthLibrary } = await import('./auth-library.ts')
    return openAuthLibrary(options)
  }
  return {
    publicUrl,
    url,
    sendMail,
    passwords: access.passwords,
    library: async () => {
      opened ??= open()
      return opened
    },
    oidc:
      oidc === null
        ? null
        : async () => {
            const { openOidcLibrary } = await import('./auth-library.ts')
            if (httpsProxy !== null) proxyFetch(httpsProxy)
            return openOidcLibrary(options, oidc)
          },
  }
}
