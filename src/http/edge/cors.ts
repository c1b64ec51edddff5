import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Reply, ReplyHeaders } from '../reply.ts'
import type { Caller, OpenRequest } from '../request.ts'
import type { Cors, Route } from '../route.ts'
import { type FindKey, findCaller } from './auth.ts'

type Asked = Pick<OpenRequest, 'headers' | 'query'>

/** The origin of the page, if the brand allows it: scheme, host and port must be equal. */
export function allowedOrigin({ allowedOrigins }: Caller, { headers }: Asked): Result<string> {
  const { origin } = headers
  if (typeof origin === 'string' && allowedOrigins.includes(origin)) return accept(origin)
  return reject(fault('origin_not_allowed', null, { origin: typeof origin === 'string' ? origin : 'none' }))
}

/** The headers that allow a page to read the reply. */
export function corsHeaders(cors: Cors, origin: string | null): ReplyHeaders {
  if (cors === 'anyone') return { 'access-control-allow-origin': '*', ...EXPOSED }
  if (origin === null) return VARIES
  return { 'access-control-allow-origin': origin, ...EXPOSED, ...VARIES }
}

const EXPOSED = { 'access-control-expose-headers': 'retry-after, x-request-id' }
const VARIES = { vary: 'Origin' }

/**
 * OPTIONS: a browser's preflight, sent before a request with a special content type or header. A preflight has no API
 * key header, so only a key in the address can be checked; without one the reply allows nothing.
 */
export async function replyPreflight(findKey: FindKey, route: Route, asked: Asked): Promise<Reply> {
  const { cors } = route
  if (cors === undefined) return { status: 204, body: null }
  if (cors === 'anyone') return permit(route, corsHeaders(cors, null))
  const caller = await findCaller(findKey, asked)
  const origin = caller === null ? null : allowedOrigin(caller, asked)
  if (origin === null || !origin.ok) return { status: 204, body: null, headers: VARIES }
  return permit(route, corsHeaders(cors, origin.value))
}

function permit({ method }: Route, headers: ReplyHeaders): Reply {
  const allowed = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'content-type, x-api-key, x-brand-id, authorization',
    'access-control-max-age': '7200',
  }
  return { status: 204, body: null, headers: { ...allowed, ...headers } }
}
