import type { IncomingMessage } from 'node:http'
import { accept, type Result } from '../domain/result.ts'
import { LIMITS } from '../rules/limits.ts'
import type { ByteBudget, Room } from '../runtime/byte-budget.ts'
import { collectGarbage } from '../runtime/collect-garbage.ts'
import { authenticate, authorize, type FindKey } from './auth.ts'
import { readBytes } from './body.ts'
import { openStream } from './body-stream.ts'
import { networkOf } from './client-address.ts'
import { allowedOrigin, corsHeaders } from './cors.ts'
import type { Deps } from './deps.ts'
import { replyFailure } from './failure.ts'
import { hashRequest, parseIdempotencyKey } from './idempotency.ts'
import { parseJsonBody } from './json-body.ts'
import { requireJson, requireJsonText } from './media-type.ts'
import { type RateLimiter, rateHeaders, refuseRate } from './rate-limit.ts'
import { type Reply, refuse, withHeaders } from './reply.ts'
import type { Caller, Idempotency, OpenRequest } from './request.ts'
import type { OpenRoute, Route, StreamRoute, TenantRoute } from './route.ts'

/** A request as it stands when its row is known and nothing of its body has been read. */
export type Incoming = Omit<OpenRequest, 'body'> & { readonly raw: IncomingMessage }

/** What every request passes on its way to a handler. */
export type Gate = {
  readonly deps: Deps
  readonly findKey: FindKey
  readonly limiter: RateLimiter
  readonly bodyBytesMax: number
  readonly bodyTimeoutMs: number
  readonly proxyHops: number
  readonly largeBodies: ByteBudget
}

/**
 * One request, from row to reply. Who asks is settled before a byte of the body is read, so strangers cannot
 * make us work. Whatever is thrown on the way ends here as a reply.
 */
export async function answer(gate: Gate, route: Route, incoming: Incoming): Promise<Reply> {
  try {
    if (route.scopes === null) return await answerAnybody(gate, route, incoming)
    if (route.cors !== undefined) return await answerPage(gate, route, incoming)
    const caller = await authenticate(gate.findKey, { headers: incoming.headers })
    if (!caller.ok) return refuse(caller.rejection)
    const allowed = authorize(caller.value, route.scopes)
    if (!allowed.ok) return refuse(allowed.rejection)
    return await answerCaller(gate, route, { ...incoming, caller: caller.value })
  } catch (cause) {
    return replyFailure(gate.deps, incoming, cause)
  }
}

/** A page of an allowed origin may read whatever it is told, failures too; any other learns only that it may not. */
async function answerPage(gate: Gate, route: TenantRoute | StreamRoute, incoming: Incoming): Promise<Reply> {
  const caller = await authenticate(gate.findKey, incoming)
  if (!caller.ok) return withHeaders(refuse(caller.rejection), corsHeaders('brand', null))
  const origin = allowedOrigin(caller.value, incoming)
  if (!origin.ok) return withHeaders(refuse(origin.rejection), corsHeaders('brand', null))
  const allowed = authorize(caller.value, route.scopes)
  const reply = allowed.ok
    ? await answerCaller(gate, route, { ...incoming, caller: caller.value }).catch((cause: unknown) =>
        replyFailure(gate.deps, incoming, cause),
      )
    : refuse(allowed.rejection)
  return withHeaders(reply, corsHeaders('brand', origin.value))
}

async function answerAnybody(gate: Gate, route: OpenRoute, incoming: Incoming): Promise<Reply> {
  const reply = await withBody(gate, route, incoming, async ({ json }) =>
    route.handler(gate.deps, { ...factsOf(incoming), body: json }),
  )
  return route.cors === undefined ? reply : withHeaders(reply, corsHeaders('anyone', null))
}

type Admitted = Incoming & { readonly caller: Caller }

/** A request that is limited counts before its body is looked at, and every reply to it tells what is left. */
async function answerCaller(
  gate: Gate,
  route: TenantRoute | StreamRoute,
  incoming: Admitted,
): Promise<Reply> {
  if (route.rateLimit === undefined) return answerAdmitted(gate, route, incoming)
  const { brandId } = incoming.caller
  const path = route.cors === undefined ? route.path : `${route.path} ${networkOf(hopsOf(gate, incoming))}`
  const place = await gate.limiter.take({ brandId, path, policy: route.rateLimit })
  if (!place.isGranted) return refuseRate(place)
  // Caught here too, so that a failure carries these headers as well.
  const reply = await answerAdmitted(gate, route, incoming).catch((cause: unknown) =>
    replyFailure(gate.deps, incoming, cause),
  )
  return withHeaders(reply, rateHeaders(place))
}

function hopsOf({ proxyHops }: Gate, { raw, headers }: Incoming) {
  return { remote: raw.socket.remoteAddress, forwarded: headers['x-forwarded-for'], proxyHops }
}

async function answerAdmitted(
  gate: Gate,
  route: TenantRoute | StreamRoute,
  incoming: Admitted,
): Promise<Reply> {
  const facts = { ...factsOf(incoming), caller: incoming.caller }
  if (route.body === 'stream') {
    const stream = openStream(incoming.raw, route.bodyBytesMax ?? gate.bodyBytesMax)
    if (!stream.ok) return refuse(stream.rejection)
    const none = { idempotency: null, body: undefined, bytes: NO_BYTES }
    return route.handler(gate.deps, { ...facts, ...none, stream: stream.value })
  }
  return withBody(gate, route, incoming, async ({ json, bytes, idempotency }) =>
    route.handler(gate.deps, { ...facts, idempotency, body: json, bytes }),
  )
}

function factsOf(incoming: Incoming): Omit<OpenRequest, 'body'> {
  const { id, method, path, params, query, headers, signal } = incoming
  return { id, method, path, params, query, headers, signal }
}

type Body = {
  readonly json: unknown
  /** Empty when it is too large to be kept beside what it says. */
  readonly bytes: Uint8Array
  readonly idempotency: Idempotency | null
}

const NO_BYTES = new Uint8Array()
const NO_BODY: Body = { json: undefined, bytes: NO_BYTES, idempotency: null }

/** The room a large body takes is given back when the work with it is done. */
async function withBody(
  gate: Gate,
  route: Route,
  incoming: Incoming,
  work: (body: Body) => Promise<Reply>,
): Promise<Reply> {
  const room = gate.largeBodies.open()
  try {
    const body = await readBody(gate, route, { ...incoming, room })
    if (room.held() >= VERY_LARGE_BYTES) collectGarbage()
    return body.ok ? await work(body.value) : refuse(body.rejection)
  } finally {
    if (room.held() >= VERY_LARGE_BYTES) collectGarbage()
    room.release()
  }
}

/** From here on the bytes, once they are parsed, and all of it, once it is stored, are not left to chance. */
const VERY_LARGE_BYTES = 16 * 1024 * 1024

async function readBody(
  gate: Gate,
  route: Route,
  incoming: Incoming & { readonly room: Room },
): Promise<Result<Body>> {
  if (route.body !== 'json') {
    const idempotency = parseIdempotency(route, incoming, NO_BYTES)
    return idempotency.ok ? accept({ ...NO_BODY, idempotency: idempotency.value }) : idempotency
  }
  const { raw, room } = incoming
  const require = route.cors === undefined ? requireJson : requireJsonText
  const media = require(raw.headers['content-type'])
  if (!media.ok) return media
  const bytesMax = route.bodyBytesMax ?? gate.bodyBytesMax
  const bytes = await readBytes(raw, { bytesMax, timeoutMs: gate.bodyTimeoutMs, room })
  if (!bytes.ok) return bytes
  const idempotency = parseIdempotency(route, incoming, bytes.value)
  if (!idempotency.ok) return idempotency
  const json = parseJsonBody(bytes.value)
  if (!json.ok) return json
  const isKept = bytes.value.length <= LIMITS.keptBodyBytesMax
  return accept({ json: json.value, bytes: isKept ? bytes.value : NO_BYTES, idempotency: idempotency.value })
}

function parseIdempotency(route: Route, incoming: Incoming, body: Uint8Array): Result<Idempotency | null> {
  if (route.isIdempotent !== true) return accept(null)
  const key = parseIdempotencyKey(incoming.headers)
  if (!key.ok || key.value === null) return key.ok ? accept(null) : key
  return accept({ key: key.value, requestHash: hashRequest(incoming, body) })
}
