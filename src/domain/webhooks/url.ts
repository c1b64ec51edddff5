import { isIP } from 'node:net'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { isPublicAddress } from '../values/public-address.ts'

/**
 * Why an address may not be a webhook's; null when it may. `allowed` are the `host:port` pairs of the settings, which
 * may be private and speak plain http. This is the first of two guards: the second looks at where the name leads when
 * the connection is made.
 */
export function webhookUrlFlaw(text: string, allowed: ReadonlySet<string>): string | null {
  if (text.length > WEBHOOK_RULES.urlCharsMax)
    return `it may be at most ${WEBHOOK_RULES.urlCharsMax} characters`
  const url = URL.parse(text)
  if (url === null || /[\s\p{Cc}]/u.test(text)) return NOT_AN_ADDRESS
  if (url.username !== '' || url.password !== '') return 'it must not hold a name or a password'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (!SCHEME.test(url.protocol)) return NOT_AN_ADDRESS
  const usualPort = url.protocol === 'http:' ? '80' : '443'
  const port = url.port === '' ? usualPort : url.port
  if (allowed.has(`${host}:${port}`)) return null
  const wayOut = `unless whoever runs Beckon names ${url.hostname}:${port} in BECKON_WEBHOOK_HOSTS`
  if (url.protocol !== 'https:') return `it must begin with https://, ${wayOut}`
  return isIP(host) === 0 || isPublicAddress(host) ? null : `it must not lead to a private network, ${wayOut}`
}

const SCHEME = /^https?:$/
const NOT_AN_ADDRESS = 'it must be a whole address that begins with https://'
