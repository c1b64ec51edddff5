import { type ParseSetting, text, url } from './setting.ts'
import type { Read } from './setting-row.ts'

/** The settings of members: their pages and their sign-in. */
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
    dashboardDir: read<string | null>({
      name: 'BECKON_DASHBOARD_DIR',
      parse: text({ charsMin: 1, charsMax: 4096 }),
      default: null,
      unset: '`dashboard` in the data folder',
      meaning:
        'The folder for the pages of the dashboard, which are built at the first start of a version. A relative path starts at the folder of Beckon.',
    }),
    oidc: oidcSettings(read),
    smtpUrl: read<string | null>({
      name: 'BECKON_SMTP_URL',
      parse: url(['smtp:', 'smtps:']),
      default: null,
      unset: 'none',
      meaning:
        'The mail server that mails links to members, as smtps://user:password@host:465 or smtp://user:password@host:587. The connection is encrypted, except to this machine. Needs BECKON_MAIL_FROM.',
    }),
    mailFrom: read<string | null>({
      name: 'BECKON_MAIL_FROM',
      parse: text({ charsMin: 3, charsMax: 300 }),
      default: null,
      unset: 'none',
      meaning: 'The sender of these mails, such as Beckon <beckon@example.com>.',
    }),
  }
}

/** The identity provider of the company. */
function oidcSettings(read: Read) {
  const optional = (name: string, meaning: string, parse: ParseSetting<string>): string | null =>
    read<string | null>({ name, parse, default: null, unset: 'none', meaning })
  const word = plain()
  const issuer = optional(
    'BECKON_OIDC_ISSUER',
    'The issuer of the identity provider of your company (OpenID Connect), letter for letter, such as https://login.example.com. Members with a verified e-mail address there sign in by it. Needs BECKON_PUBLIC_URL and the next two.',
    issuerUrl(),
  )
  const clientId = optional('BECKON_OIDC_CLIENT_ID', 'The id of Beckon at the identity provider.', word)
  const clientSecret = optional(
    'BECKON_OIDC_CLIENT_SECRET',
    'The secret of Beckon at the identity provider.',
    word,
  )
  return { issuer, clientId, clientSecret }
}

/** Over https, or on this machine. */
function issuerUrl(): ParseSetting<string> {
  return (given) => {
    const address = URL.parse(given)
    const isSafe =
      address?.protocol === 'https:' || (address?.protocol === 'http:' && address.hostname === '127.0.0.1')
    if (isSafe && address.search === '' && address.hash === '') return { ok: true, value: given }
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
    const address = URL.parse(given)
    const isPlain = address !== null && [address.origin, `${address.origin}/`].includes(given)
    if (isPlain && (address.protocol === 'https:' || address.protocol === 'http:'))
      return { ok: true, value: address.origin }
    return { ok: false, expected: 'an address such as https://beckon.example.com, without a path' }
  }
}

/** The settings that only make sense together, in a sentence each. */
export function teamConflicts(config: ReturnType<typeof teamSettings>): readonly string[] {
  const { publicUrl, oidc, smtpUrl, mailFrom } = config
  const given = Object.values(oidc).filter((value) => value !== null).length
  const isOidcWhole = given === 0 || (given === 3 && publicUrl !== null)
  const isMailWhole = (smtpUrl === null) === (mailFrom === null)
  return [
    ...(isOidcWhole ? [] : [OIDC_TOGETHER]),
    ...(isMailWhole ? [] : ['BECKON_SMTP_URL and BECKON_MAIL_FROM must be set together.']),
  ]
}

const OIDC_TOGETHER =
  'BECKON_OIDC_ISSUER, BECKON_OIDC_CLIENT_ID, BECKON_OIDC_CLIENT_SECRET and BECKON_PUBLIC_URL must be set together.'
