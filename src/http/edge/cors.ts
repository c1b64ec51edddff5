import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Reply, type ReplyHeaders, withHeaders } from '../reply.ts'
import type { Caller, OpenRequest } from '../request.ts'
import type { Route } from '../route.ts'

type Asked = Pick<OpenRequest, 'headers'>

/**
 * The origin of the page, if the brand allows it: scheme, host and port must be equal. A page of Beckon's own origin, such
 * as the demo shop, is always allowed. A secret key in a page is refused first, because it is the greater trouble.
 */
export function allowedOrigin({ allowedOrigins, actor }: Caller, { headers }: Asked): Result<string> {
  const { origin } = headers
  const isSecret = actor.type === 'key' && actor.kind === 'secret'
  if (isSecret && origin !== undefined) return reject(fault('secret_key_in_page'))
  if (typeof origin !== 'string') return reject(fault('origin_not_allowed', null, { origin: 'none' }))
  if (allowedOrigins.includes(origin) || isOwn(origin, headers['host'])) return accept(origin)
  return reject(fault('origin_not_allowed', null, { origin }))
}

/** A page has the same host and port as the request only if this server sent it. TLS may end at a proxy. */
function isOwn(origin: string, host: OpenRequest['headers'][string]): boolean {
  return origin === `http://${String(host)}` || origin === `https://${String(host)}`
}

/** The headers that allow a page to read the reply: the pages of one origin, or `*` for every page. */
export function corsHeaders(origin: string): ReplyHeaders {
  const vary = origin === '*' ? {} : VARIES
  return { 'access-control-allow-origin': origin, ...EXPOSED, ...vary }
}

const EXPOSED = { 'access-control-expose-headers': 'retry-after, x-request-id' }
const VARIES = { vary: 'Origin' }

/**
 * Lets every page read why it was refused. A refusal says nothing of the brand, and a page that cannot read it shows its
 * author an error about CORS, whatever the cause is.
 */
export function withReadableRefusal({ cors }: Route, reply: Reply): Reply {
  if (cors === undefined || reply.status < 400) return reply
  return withHeaders(reply, { ...corsHeaders('*'), ...VARIES })
}

/**
 * OPTIONS: a browser's preflight, sent before a request with a special content type or header. It allows every page to
 * ask, because only the reply to the request itself can say why a page is refused.
 */
export function replyPreflight({ cors, method }: Route): Reply {
  if (cors === undefined) return { status: 204, body: null }
  const allowed = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'content-type, x-api-key, x-brand-id, authorization',
    'access-control-max-age': '7200',
  }
  return { status: 204, body: null, headers: { ...allowed, ...corsHeaders('*') } }
}
