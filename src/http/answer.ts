import type { IncomingMessage } from 'node:http'
import { accept, type Result } from '../domain/result.ts'
import { authenticate, authorize, type FindKey } from './auth.ts'
import { readBytes } from './body.ts'
import { openStream } from './body-stream.ts'
import type { Deps } from './deps.ts'
import { parseJsonBody } from './json-body.ts'
import { requireJson } from './media-type.ts'
import { type Reply, refuse } from './reply.ts'
import type { Caller, OpenRequest } from './request.ts'
import type { Route, StreamRoute, TenantRoute } from './route.ts'

/** A request as it stands when its row is known and nothing of its body has been read. */
export type Incoming = Omit<OpenRequest, 'body'> & { readonly raw: IncomingMessage }

/** What every request passes on its way to a handler. */
export type Gate = {
  readonly deps: Deps
  readonly findKey: FindKey
  readonly bodyBytesMax: number
  readonly bodyTimeoutMs: number
}

/**
 * One request, from row to reply. Who asks is settled before a byte of the body is read, so strangers cannot
 * make us work.
 */
export async function answer(gate: Gate, route: Route, incoming: Incoming): Promise<Reply> {
  if (route.scopes === null) {
    const body = await readJson(gate, route, incoming.raw)
    if (!body.ok) return refuse(body.rejection)
    return route.handler(gate.deps, { ...factsOf(incoming), body: body.value })
  }
  const caller = await authenticate(gate.findKey, incoming.headers)
  if (!caller.ok) return refuse(caller.rejection, CHALLENGE)
  const allowed = authorize(caller.value, route.scopes)
  if (!allowed.ok) return refuse(allowed.rejection)
  return answerCaller(gate, route, { ...incoming, caller: allowed.value })
}

/** RFC 9110 wants every 401 to say how to do better. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="beckon"' }

type Admitted = Incoming & { readonly caller: Caller }

async function answerCaller(
  gate: Gate,
  route: TenantRoute | StreamRoute,
  incoming: Admitted,
): Promise<Reply> {
  const { caller, raw } = incoming
  const facts = { ...factsOf(incoming), caller, idempotency: null }
  if (route.body === 'stream') {
    const stream = openStream(raw, route.bodyBytesMax ?? gate.bodyBytesMax)
    if (!stream.ok) return refuse(stream.rejection)
    return route.handler(gate.deps, { ...facts, body: undefined, stream: stream.value })
  }
  const body = await readJson(gate, route, raw)
  if (!body.ok) return refuse(body.rejection)
  return route.handler(gate.deps, { ...facts, body: body.value })
}

function factsOf(incoming: Incoming): Omit<OpenRequest, 'body'> {
  const { id, method, path, params, query, headers, signal } = incoming
  return { id, method, path, params, query, headers, signal }
}

async function readJson(gate: Gate, route: Route, raw: IncomingMessage): Promise<Result<unknown>> {
  if (route.body !== 'json') return accept(undefined)
  const media = requireJson(raw.headers['content-type'])
  if (!media.ok) return media
  const bytesMax = route.bodyBytesMax ?? gate.bodyBytesMax
  const bytes = await readBytes(raw, { bytesMax, timeoutMs: gate.bodyTimeoutMs })
  return bytes.ok ? parseJsonBody(bytes.value) : bytes
}
