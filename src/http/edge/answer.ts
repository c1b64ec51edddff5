import { type Fault, fault } from '../../domain/fault.ts'
import type { Result } from '../../domain/result.ts'
import { type Reply, refuse, withHeaders } from '../reply.ts'
import type { Caller, OpenRequest, TenantRequest } from '../request.ts'
import type { OpenRoute, Route, StreamRoute, TenantRoute } from '../route.ts'
import { fieldsOf } from '../schema/walk.ts'
import { type AskedInBrand, authenticate, authenticateKey, authorize, checkProof } from './auth.ts'
import { openStream } from './body-stream.ts'
import { networkOf } from './client-address.ts'
import { allowedOrigin, corsHeaders } from './cors.ts'
import type { EdgeDeps, Incoming } from './edge-deps.ts'
import { replyFailure } from './failure.ts'
import { rateHeaders, refuseRate } from './rate-limit.ts'
import { NO_BYTES, withBody } from './request-body.ts'

/**
 * Answers one request of a route. The API key is checked before the body is read, so that a caller without a key causes
 * little work. Every error becomes a reply here.
 */
export async function answer(edge: EdgeDeps, route: Route, incoming: Incoming): Promise<Reply> {
  try {
    const flaw = httpFlaw(incoming)
    if (flaw !== null) return refuse({ faults: [fault('malformed_request', null, { detail: flaw })] })
    if (route.scopes === null) return await answerAnybody(edge, route, incoming)
    if (route.cors !== undefined) return await answerPage(edge, route, incoming)
    const brandInQuery = route.takesBrandInQuery === true ? incoming.query.get('brand') : null
    const asked = { ...incoming, brandInQuery }
    const recheck = async (): Promise<Result<Caller>> => authenticate(edge, asked)
    const caller = await recheck()
    if (!caller.ok) return refuse(caller.rejection)
    incoming.record.caller = caller.value
    const allowed = authorize(caller.value, route)
    if (!allowed.ok) return refuse(allowed.rejection)
    const proven = await requireProof(edge, route, { caller: allowed.value, asked })
    if (!proven.ok) return refuse(proven.rejection)
    return await answerCaller(edge, route, { ...incoming, caller: proven.value, recheck })
  } catch (cause) {
    return failed(edge, route, incoming, cause)
  }
}

/**
 * A cached caller may be older than the proof that the member gave a moment ago, to this process or to another one. So a
 * member is looked up anew before a proof is asked for.
 */
async function requireProof(
  edge: EdgeDeps,
  route: TenantRoute | StreamRoute,
  { caller, asked }: { readonly caller: Caller; readonly asked: AskedInBrand },
): Promise<Result<Caller>> {
  const now = edge.deps.clock.now()
  const proven = checkProof(caller, route, now)
  if (proven.ok) return proven
  const renewed = await authenticate({ ...edge, findMember: edge.findMemberAnew }, asked)
  const allowed = renewed.ok ? authorize(renewed.value, route) : renewed
  return allowed.ok ? checkProof(allowed.value, route, now) : allowed
}

/**
 * The fault of a request that Node's parser accepts and the standard does not (RFC 9112 §3.2): a proxy in front could
 * read it in another way than we do.
 */
function httpFlaw({ raw, headers }: Incoming): string | null {
  if (!HTTP_VERSIONS.has(raw.httpVersion)) return `it uses HTTP/${raw.httpVersion}`
  const { host } = headers
  if (host === undefined) return raw.httpVersion === '1.1' ? 'it has no Host header' : null
  if (typeof host !== 'string' || !HOST.test(host)) return 'its Host header is not a host'
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? 'it has more than one Host header' : null
}

const HTTP_VERSIONS = new Set(['1.0', '1.1'])
/** The characters of a host and a port (RFC 3986 §3.2.2). */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/

function failed({ deps }: EdgeDeps, { lane, isRead }: Route, incoming: Incoming, cause: unknown): Reply {
  return replyFailure(deps, { ...incoming, lane, isRead }, cause)
}

/** A page of an allowed origin may read every reply. Any other page reads why it was refused, and nothing else. */
async function answerPage(
  edge: EdgeDeps,
  route: TenantRoute | StreamRoute,
  incoming: Incoming,
): Promise<Reply> {
  const recheck = async (): Promise<Result<Caller>> => authenticateKey(edge.findKey, incoming)
  const caller = await recheck()
  if (!caller.ok) return refuse(caller.rejection)
  incoming.record.caller = caller.value
  const origin = allowedOrigin(caller.value, incoming)
  if (!origin.ok) return refuse(origin.rejection)
  const allowed = authorize(caller.value, route)
  const reply = allowed.ok
    ? await answerCaller(edge, route, { ...incoming, caller: caller.value, recheck }).catch(
        (cause: unknown) => failed(edge, route, incoming, cause),
      )
    : refuse(allowed.rejection)
  return withHeaders(reply, corsHeaders(origin.value))
}

async function answerAnybody(edge: EdgeDeps, route: OpenRoute, incoming: Incoming): Promise<Reply> {
  const reply = await answerStranger(edge, route, incoming)
  return route.cors === undefined ? reply : withHeaders(reply, corsHeaders('*'))
}

/** A caller without a key is counted by its network, before its body is read. */
async function answerStranger(edge: EdgeDeps, route: OpenRoute, incoming: Incoming): Promise<Reply> {
  const serve = async (): Promise<Reply> =>
    withBody(edge, route, incoming, async ({ json }) =>
      route.handler(edge.deps, {
        ...factsOf(incoming),
        network: networkOf(hopsOf(edge, incoming)),
        body: json,
      }),
    )
  if (route.rateLimit === undefined) return serve()
  const path = `${route.path} ${networkOf(hopsOf(edge, incoming))}`
  const decision = await edge.rateLimiter.take({ brandId: NO_BRAND, path, policy: route.rateLimit })
  return decision.isGranted ? withHeaders(await serve(), rateHeaders(decision)) : refuseRate(decision)
}

/** No brand has this id: the numbers of brands begin at 1. */
const NO_BRAND = 0

type Admitted = Incoming & Pick<TenantRequest, 'caller' | 'recheck'>

/** A request counts towards its rate limit before its body is read, and every reply has the rate limit headers. */
async function answerCaller(
  edge: EdgeDeps,
  route: TenantRoute | StreamRoute,
  incoming: Admitted,
): Promise<Reply> {
  if (route.rateLimit === undefined) return answerAdmitted(edge, route, incoming)
  const { brandId } = incoming.caller
  const path = route.cors === undefined ? route.path : `${route.path} ${networkOf(hopsOf(edge, incoming))}`
  const decision = await edge.rateLimiter.take({ brandId, path, policy: route.rateLimit })
  if (!decision.isGranted) return refuseRate(decision)
  // Caught here too, so that the reply to an error has these headers.
  const reply = await answerAdmitted(edge, route, incoming).catch((cause: unknown) =>
    failed(edge, route, incoming, cause),
  )
  return withHeaders(reply, rateHeaders(decision))
}

function hopsOf({ proxyHops }: EdgeDeps, { raw, headers }: Incoming) {
  return { remote: raw.socket.remoteAddress, forwarded: headers['x-forwarded-for'], proxyHops }
}

async function answerAdmitted(
  edge: EdgeDeps,
  route: TenantRoute | StreamRoute,
  incoming: Admitted,
): Promise<Reply> {
  const misnamed = unknownParameter(route, incoming.query)
  if (misnamed !== null) return refuse({ faults: [misnamed] })
  const network = networkOf(hopsOf(edge, incoming))
  const { caller, recheck } = incoming
  const facts = { ...factsOf(incoming), caller, recheck, network }
  if (route.body === 'stream') {
    const stream = openStream(incoming.raw, route.bodyBytesMax ?? edge.bodyBytesMax)
    if (!stream.ok) return refuse(stream.rejection)
    const none = { idempotency: null, body: undefined, bytes: NO_BYTES }
    return route.handler(edge.deps, { ...facts, ...none, stream: stream.value })
  }
  return withBody(edge, route, incoming, async ({ json, bytes, idempotency }) =>
    atItsTurn(edge, route, incoming, async () =>
      route.handler(edge.deps, { ...facts, idempotency, body: json, bytes }),
    ),
  )
}

/**
 * A call that writes knows its query parameters. An unknown one, such as `?dry_run=true` beside a body, would be ignored
 * while its caller relies on it.
 */
function unknownParameter({ method, querySchema }: Route, query: URLSearchParams): Fault | null {
  if (method === 'GET' || query.size === 0) return null
  const known = querySchema === undefined ? [] : Object.keys(fieldsOf(querySchema) ?? {})
  const name = [...query.keys()].find((given) => !known.includes(given))
  if (name === undefined) return null
  const words =
    known.length === 0 ? 'The fields of this call stand in its body.' : `Known are ${known.join(', ')}.`
  return fault('unknown_parameter', name.slice(0, 100), { known: words })
}

/** A request of a slow lane waits for its turn. A caller who hangs up while it waits leaves the line. */
async function atItsTurn(
  { slowLanes }: EdgeDeps,
  { lane }: TenantRoute,
  { caller, signal }: Admitted,
  work: () => Promise<Reply>,
): Promise<Reply> {
  if (lane === undefined) return work()
  const permit = await slowLanes.take({ key: `${caller.brandId} ${lane}`, signal })
  let workDone: Promise<unknown> | undefined
  try {
    const reply = await work()
    workDone = reply.workDone
    return reply
  } finally {
    if (workDone === undefined) permit.release()
    else void workDone.finally(permit.release)
  }
}

function factsOf(incoming: Incoming): Omit<OpenRequest, 'body' | 'network'> {
  const { id, method, path, params, query, headers, signal } = incoming
  return { id, method, path, params, query, headers, signal }
}
