import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { sessionHash } from '../../store/team/rows.ts'
import type { OpenRequest } from '../request.ts'
import type { TeamDeps } from './team-deps.ts'

type Asked = Pick<OpenRequest, 'headers' | 'method'>

/**
 * The hash of the session that a request brings; null without one. The token is random and long, so it is its own proof:
 * the signature behind its dot adds nothing.
 */
export function sessionOf(
  { url }: Pick<TeamDeps, 'url'>,
  { headers }: Pick<Asked, 'headers'>,
): string | null {
  const name = url.startsWith('https:') ? `__Secure-${SESSION_COOKIE}` : SESSION_COOKIE
  const pairs = String(headers['cookie'] ?? '').split('; ', COOKIES_MAX)
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  const token = /^([A-Za-z0-9]{16,128})\./.exec(value ?? '')?.[1]
  return token === undefined ? null : sessionHash(token)
}

const SESSION_COOKIE = 'beckon.session_token'
const COOKIES_MAX = 100

/**
 * Lets a request with a cookie through only if a page of our own sent it. A browser adds the cookie to the requests of
 * any page, and only it can write these two headers.
 */
export function checkOrigin(team: Pick<TeamDeps, 'publicUrl'>, { headers, method }: Asked): Result<null> {
  const site = headers['sec-fetch-site']
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
  const { origin } = headers
  if (!isOwnSite) return FOREIGN
  if (origin === undefined) return method === 'GET' ? accept(null) : FOREIGN
  return typeof origin === 'string' && isOwnOrigin(team, origin, headers['host']) ? accept(null) : FOREIGN
}

const FOREIGN = reject(fault('foreign_origin'))

/** Without BECKON_PUBLIC_URL members use this machine, under any of its names; another name could be anybody's. */
function isOwnOrigin(
  { publicUrl }: Pick<TeamDeps, 'publicUrl'>,
  origin: string,
  host: OpenRequest['headers'][string],
): boolean {
  if (publicUrl !== null) return origin === new URL(publicUrl).origin
  const page = URL.parse(origin)
  return page !== null && page.host === host && LOOPBACK.has(page.hostname)
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
