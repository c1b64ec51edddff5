import type { ParseSetting } from './setting.ts'
import type { Read } from './setting-row.ts'

/** The settings of the sign-in of members. */
export function teamSettings(read: Read) {
  return {
    publicUrl: read<string | null>({
      name: 'BECKON_PUBLIC_URL',
      parse: origin(),
      default: null,
      unset: 'this machine, `http://localhost:PORT`',
      meaning:
        'The address at which members open Beckon, such as https://beckon.example.com: for the links of invitations, for passkeys, and for the check that a request comes from a page of Beckon. With https the cookies are Secure.',
    }),
    oidc: oidcSettings(read),
  }
}

/** The identity provider of the company. */
function oidcSettings(read: Read) {
  const text = (name: string, meaning: string, parse: ParseSetting<string>): string | null =>
    read<string | null>({ name, parse, default: null, unset: 'none', meaning })
  const word = plain()
  const issuer = text(
    'BECKON_OIDC_ISSUER',
    'The issuer of the identity provider of your company (OpenID Connect), letter for letter, such as https://login.example.com. Members with a verified e-mail address there sign in by it. Needs BECKON_PUBLIC_URL and the next two.',
    issuerUrl(),
  )
  const clientId = text('BECKON_OIDC_CLIENT_ID', 'The id of Beckon at the identity provider.', word)
  const clientSecret = text(
    'BECKON_OIDC_CLIENT_SECRET',
    'The secret of Beckon at the identity provider.',
    word,
  )
  return { issuer, clientId, clientSecret }
}

/** Over https, or on this machine. */
function issuerUrl(): ParseSetting<string> {
  return (given) => {
    const url = URL.parse(given)
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === '127.0.0.1')
    if (isSafe && url.search === '' && url.hash === '') return { ok: true, value: given }
    return { ok: false, expected: 'an address that begins with https://' }
  }
}

function plain(): ParseSetting<string> {
  return (given) =>
    /^[\x21-\x7e]{1,1000}$/.test(given)
      ? { ok: true, value: given }
      : { ok: false, expected: '1 to 1000 printable characters without a space' }
}

/** An address without a path, as browsers send it in Origin. */
function origin(): ParseSetting<string> {
  return (given) => {
    const url = URL.parse(given)
    const isPlain = url !== null && [url.origin, `${url.origin}/`].includes(given)
    if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:'))
      return { ok: true, value: url.origin }
    return { ok: false, expected: 'an address such as https://beckon.example.com, without a path' }
  }
}

/** What the settings of an identity provider lack, in one sentence; null when they are whole, or not there at all. */
export function oidcConflict({ publicUrl, oidc }: ReturnType<typeof teamSettings>): string | null {
  const { issuer, clientId, clientSecret } = oidc
  const given = [issuer, clientId, clientSecret].filter((value) => value !== null).length
  if (given === 0 || (given === 3 && publicUrl !== null)) return null
  return 'BECKON_OIDC_ISSUER, BECKON_OIDC_CLIENT_ID, BECKON_OIDC_CLIENT_SECRET and BECKON_PUBLIC_URL must be set together.'
}
