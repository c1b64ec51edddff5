import type { IncomingMessage } from 'node:http'
import { accept, type Result } from '../domain/result.ts'
import { authenticate, authorize, type FindKey } from './auth.ts'
import { readBytes } from './body.ts'
import { openStream } from './body-stream.ts'
import type { Deps } from './deps.ts'
import { replyFailure } from './failure.ts'
import { hashRequest, parseIdempotencyKey } from './idempotency.ts'
import { parseJsonBody } from './json-body.ts'
import { requireJson } from './media-type.ts'
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
}

/**
 * One request, from row to reply. Who asks is settled before a byte of the body is read, so strangers cannot
 * make us work. Whatever is thrown on the way ends here as a reply.
 */
export async function answer(gate: Gate, route: Route, incoming: Incoming): Promise<Reply> {
  try {
    if (route.scopes === null) return await answerAnybody(gate, route, incoming)
    const caller = await authenticate(gate.findKey, incoming.headers)
    if (!caller.ok) return refuse(caller.rejection)
    const allowed = authorize(caller.value, route.scopes)
    if (!allowed.ok) return refuse(allowed.rejection)
    return await answerCaller(gate, route, { ...incoming, caller: caller.value })
  } catch (cause) {
    return replyFailure(gate.deps, incoming, cause)
  }
}

async function answerAnybody(gate: Gate, route: OpenRoute, incoming: Incoming): Promise<Reply> {
  const body = await readBody(gate, route, incoming.raw)
  if (!body.ok) return refuse(body.rejection)
  return route.handler(gate.deps, { ...factsOf(incoming), body: body.value.json })
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
  const place = await gate.limiter.take({ brandId, path: route.path, policy: route.rateLimit })
  if (!place.isGranted) return refuseRate(place)
  // Caught here too, so that a failure carries these headers as well.
  const reply = await answerAdmitted(gate, route, incoming).catch((cause: unknown) =>
    replyFailure(gate.deps, incoming, cause),
  )
  return withHeaders(reply, rateHeaders(place))
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
    const none = { idempotency: null, body: undefined, bytes: NO_BODY.bytes }
    return route.handler(gate.deps, { ...facts, ...none, stream: stream.value })
  }
  const body = await readBody(gate, route, incoming.raw)
  if (!body.ok) return refuse(body.rejection)
  const idempotency = parseIdempotency(route, incoming, body.value.bytes)
  if (!idempotency.ok) return refuse(idempotency.rejection)
  const { json, bytes } = body.value
  return route.handler(gate.deps, { ...facts, idempotency: idempotency.value, body: json, bytes })
}

function factsOf(incoming: Incoming): Omit<OpenRequest, 'body'> {
  const { id, method, path, params, query, headers, signal } = incoming
  return { id, method, path, params, query, headers, signal }
}

type Body = { readonly bytes: Uint8Array; readonly json: unknown }

const NO_BODY: Body = { bytes: new Uint8Array(), json: undefined }

async function readBody(gate: Gate, route: Route, raw: IncomingMessage): Promise<Result<Body>> {
  if (route.body !== 'json') return accept(NO_BODY)
  const media = requireJson(raw.headers['content-type'])
  if (!media.ok) return media
  const bytesMax = route.bodyBytesMax ?? gate.bodyBytesMax
  const bytes = await readBytes(raw, { bytesMax, timeoutMs: gate.bodyTimeoutMs })
  if (!bytes.ok) return bytes
  const json = parseJsonBody(bytes.value)
  return json.ok ? accept({ bytes: bytes.value, json: json.value }) : json
}

function parseIdempotency(
  route: TenantRoute,
  incoming: Incoming,
  body: Uint8Array,
): Result<Idempotency | null> {
  if (route.isIdempotent !== true) return accept(null)
  const key = parseIdempotencyKey(incoming.headers)
  if (!key.ok || key.value === null) return key.ok ? accept(null) : key
  return accept({ key: key.value, requestHash: hashRequest(incoming, body) })
}
