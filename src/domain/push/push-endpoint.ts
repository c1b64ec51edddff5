import { BROWSERS, type BrowserFamily, PUSH_SERVICES } from '../../rules/platforms.ts'
import { httpsFlaw } from '../values/link.ts'

/** Hosts that the settings allow beside the known ones, as `host` or `host:port`. */
export type ExtraHosts = ReadonlySet<string>

/**
 * Why a browser's endpoint may not be used; null when it may. This is the first of two guards: the second looks at
 * the address that the name leads to, when the connection is made.
 */
export function endpointFlaw(text: string, extraHosts: ExtraHosts): string | null {
  const flaw = httpsFlaw(text)
  const url = URL.parse(text)
  if (flaw !== null || url === null) return flaw
  if (url.username !== '' || url.password !== '') return 'it must not contain a user name or a password'
  if (extraHosts.has(url.host)) return null
  if (url.port !== '') return 'it must use the standard port of https'
  if (serviceOf(url.hostname) !== undefined || extraHosts.has(url.hostname)) return null
  return `${url.hostname} is not a known push service; the operator can add it to BECKON_PUSH_HOSTS`
}

/** The browser family of a push endpoint: from the browser's own name, or else from the host of its push service. */
export function browserFamily(browser: string | null, endpoint: string): BrowserFamily | null {
  const named = browser === null ? undefined : FAMILIES.get(browser.toLowerCase())
  return named ?? serviceOf(URL.parse(endpoint)?.hostname ?? '')?.family ?? null
}

const FAMILIES = new Map<string, BrowserFamily>(Object.entries(BROWSERS))

function serviceOf(hostname: string) {
  return PUSH_SERVICES.find(({ host }) =>
    host.startsWith('.') ? isBelow(hostname, host) : hostname === host,
  )
}

function isBelow(hostname: string, suffix: string): boolean {
  const label = hostname.slice(0, -suffix.length)
  return hostname.endsWith(suffix) && LABEL.test(label)
}

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/u
