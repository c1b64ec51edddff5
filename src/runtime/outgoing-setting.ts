import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ParseSetting } from './setting.ts'
import type { Read } from './setting-row.ts'

/** The settings of the way to push services: their certificates, and a proxy. */
export function outgoingSettings(read: Read) {
  return {
    providerCa: read<readonly string[]>({
      name: 'BECKON_PROVIDER_CA_FILE',
      parse: certificateFile(),
      default: [],
      unset: 'none',
      meaning:
        'The path of a file with certificates in PEM. Push services whose certificates they have signed are trusted, beside those that Node trusts: for a private CA, or a proxy that inspects TLS.',
    }),
    httpsProxy: read<HttpsProxy | null>({
      name: 'BECKON_HTTPS_PROXY',
      parse: httpProxy(),
      default: null,
      unset: 'none',
      meaning:
        'The proxy through which push services and the identity provider of the members are reached (CONNECT), as http://host:port or http://user:password@host:port. Webhooks and the built-in sandbox are called directly.',
    }),
  }
}

/** A proxy that opens tunnels by CONNECT. */
export type HttpsProxy = {
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`; null for a proxy that asks for none. */
  readonly authorization: string | null
}

/** The text is never repeated in the answer, because it may contain a password. */
function httpProxy(): ParseSetting<HttpsProxy> {
  return (given) => {
    const proxy = URL.parse(given)
    const isPlain = proxy?.pathname === '/' && proxy.search === '' && proxy.hash === ''
    if (proxy?.protocol !== 'http:' || !isPlain) {
      return { ok: false, expected: 'an address such as http://proxy.example:3128, without a path' }
    }
    const { hostname, port, username } = proxy
    const authorization = username === '' ? null : basicAuthorization(proxy)
    const name = hostname.replace(/^\[(.*)\]$/, '$1')
    return { ok: true, value: { host: name, port: port === '' ? 80 : Number(port), authorization } }
  }
}

/** A name or password with a wrong escape is taken as it is written. */
function basicAuthorization({ username, password }: URL): string {
  const words = [username, password].map((word) => {
    try {
      return decodeURIComponent(word)
    } catch {
      return word
    }
  })
  return `Basic ${Buffer.from(words.join(':')).toString('base64')}`
}

/** Certificates in PEM, read from a file when the setting is read. */
function certificateFile(): ParseSetting<readonly string[]> {
  return (given) => {
    try {
      const found = readFileSync(given, 'utf8').match(CERTIFICATE) ?? []
      const isReadable = found.every((pem) => new X509Certificate(pem).subject !== null)
      if (found.length > 0 && isReadable) return { ok: true, value: found }
    } catch {
      // The file cannot be read, or a certificate in it is damaged: the operator gets one sentence for both.
    }
    return { ok: false, expected: 'the path of a file with certificates in PEM that can be read' }
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
