import { accept, type Result } from '../../domain/result.ts'
import { parseJsonBytes } from '../../domain/values/json-bytes.ts'
import { LIMITS } from '../../rules/limits.ts'
import type { Room } from '../../runtime/limits/budget.ts'
import { collectGarbage } from '../../runtime/processes/collect-garbage.ts'
import { hashRequest, parseIdempotencyKey } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Idempotency } from '../request.ts'
import type { Route } from '../route.ts'
import { readBytes } from './body.ts'
import type { Gate, Incoming } from './gate.ts'
import { requireJson, requireJsonText } from './media-type.ts'

/** What a request brought beside its headers. */
type Body = {
  readonly json: unknown
  /** Empty when it is too large to be kept beside what it says. */
  readonly bytes: Uint8Array
  readonly idempotency: Idempotency | null
}

export const NO_BYTES = new Uint8Array()
const NO_BODY: Body = { json: undefined, bytes: NO_BYTES, idempotency: null }

/** Reads the body of a request and works with it; the room that a large one takes is given back when that is done. */
export async function withBody(
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
  const json = parseJsonBytes(bytes.value)
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
