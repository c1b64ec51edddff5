import { isIP } from 'node:net'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { isPrivateName, isPublicAddress } from '../values/public-address.ts'

/**
 * Why an address may not be a webhook's; null when it may. `allowed` are the `host:port` pairs of the settings, which
 * may be private and speak plain http. This is the first of two guards: the second looks at where the name leads when
 * the connection is made.
 */
export function webhookUrlFlaw(text: string, allowed: ReadonlySet<string>): string | null {
  if (text.length > WEBHOOK_RULES.urlCharsMax)
    return `it may have at most ${WEBHOOK_RULES.urlCharsMax} characters`
  const url = URL.parse(text)
  if (url === null || /[\s\p{Cc}]/u.test(text)) return NOT_AN_ADDRESS
  if (url.username !== '' || url.password !== '') return 'it must not contain a user name or a password'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (!SCHEME.test(url.protocol)) return NOT_AN_ADDRESS
  const usualPort = url.protocol === 'http:' ? '80' : '443'
  const port = url.port === '' ? usualPort : url.port
  if (allowed.has(`${host}:${port}`)) return null
  const exception = `unless the operator adds ${url.hostname}:${port} to BECKON_WEBHOOK_HOSTS`
  if (url.protocol !== 'https:') return `it must begin with https://, ${exception}`
  const isPrivate = isIP(host) === 0 ? isPrivateName(host) : !isPublicAddress(host)
  return isPrivate ? `it must not lead to a private network, ${exception}` : null
}

const SCHEME = /^https?:$/
const NOT_AN_ADDRESS = 'it must be a full URL that begins with https://'
