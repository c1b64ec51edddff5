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

/** A push service, and the path of a subscription there, as a request names them. */
export type SplitEndpoint = { readonly origin: string; readonly path: string }

/**
 * The parts of an endpoint that registration has checked. Nearly all endpoints are written as `URL` would write them; these are cut
 * by one expression, because a broadcast does this for every message.
 */
export function splitEndpoint(endpoint: string): SplitEndpoint {
  const [, plainOrigin, , plainPath] = PLAIN.exec(endpoint) ?? []
  if (plainOrigin !== undefined && plainPath !== undefined) return { origin: plainOrigin, path: plainPath }
  const { origin, pathname, search } = new URL(endpoint)
  return { origin, path: `${pathname}${search}` }
}

/**
 * An endpoint that `URL` leaves as it is: a name in small letters that cannot be the number of an address, no usual port, a path without
 * dots or escapes, which `URL` may rewrite, no empty query and no fragment.
 */
const PLAIN =
  /^(https:\/\/((?:[a-z\d-]+\.)*[a-z]{2,})(?::(?!443\/)[1-9]\d{0,4})?)(\/[\w~:/-]*(?:\?[\w~:/.=&%+-]+)?)$/

/** The browser family of a push endpoint: from the browser's own name, or else from the host of its push service. */
export function browserFamily(browser: string | null, endpoint: string): BrowserFamily | null {
  const named = browser === null ? undefined : FAMILIES.get(browser.toLowerCase())
  if (named !== undefined) return named
  const hostname = PLAIN.exec(endpoint)?.[2] ?? URL.parse(endpoint)?.hostname ?? ''
  return serviceOf(hostname)?.family ?? null
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
