import { isIP } from 'node:net'
import { WEBHOOK_RULES } from '../rules/webhooks.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * Why an address may not be a webhook's; null when it may. `allowed` are the `host:port` pairs of the settings, which
 * may be private and speak plain http. This is the first of two guards: the second looks at where the name leads when
 * the connection is made.
 */
export function webhookUrlFlaw(text: string, allowed: ReadonlySet<string>): string | null {
  if (text.length > WEBHOOK_RULES.urlCharsMax)
    return `it may be at most ${WEBHOOK_RULES.urlCharsMax} characters`
  const url = URL.parse(text)
  if (url === null || /[\s\p{Cc}]/u.test(text)) return 'it must be a whole address that begins with https://'
  if (url.username !== '' || url.password !== '') return 'it must not hold a name or a password'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const usualPort = url.protocol === 'http:' ? '80' : '443'
  if (allowed.has(`${host}:${url.port === '' ? usualPort : url.port}`))
    return SCHEME.test(url.protocol) ? null : NOT_HTTPS
  if (url.protocol !== 'https:') return NOT_HTTPS
  return isIP(host) === 0 || isPublicAddress(host) ? null : 'it leads to a private network'
}

const SCHEME = /^https?:$/
const NOT_HTTPS = 'it must be a whole address that begins with https://'
