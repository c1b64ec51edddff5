import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Reply, ReplyHeaders } from '../reply.ts'
import type { Caller, OpenRequest } from '../request.ts'
import type { Cors, Route } from '../route.ts'
import { type FindKey, findCaller } from './auth.ts'

type Asked = Pick<OpenRequest, 'headers' | 'query'>

/** The origin of the page that asks, if the brand allows it: the same scheme, host and port, and nothing near it. */
export function allowedOrigin({ allowedOrigins }: Caller, { headers }: Asked): Result<string> {
  const { origin } = headers
  if (typeof origin === 'string' && allowedOrigins.includes(origin)) return accept(origin)
  return reject(fault('origin_not_allowed', null, { origin: typeof origin === 'string' ? origin : 'none' }))
}

/** What a reply carries so that the page may read it. */
export function corsHeaders(cors: Cors, origin: string | null): ReplyHeaders {
  if (cors === 'anyone') return { 'access-control-allow-origin': '*', ...EXPOSED }
  if (origin === null) return VARIES
  return { 'access-control-allow-origin': origin, ...EXPOSED, ...VARIES }
}

const EXPOSED = { 'access-control-expose-headers': 'retry-after, x-request-id' }
const VARIES = { vary: 'Origin' }

/**
 * OPTIONS: what a browser asks before it sends a request with a type or a header of its own. A preflight carries no
 * headers of ours, so only a key in the address can be judged; without one the answer is silence, which is no.
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
