import { accept, type Result } from '../../domain/result.ts'
import { BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { LIMITS } from '../../rules/limits.ts'
import type { Limiter, Permit } from '../../runtime/limits/limiter.ts'
import { collectGarbage } from '../../runtime/processes/collect-garbage.ts'
import { hashRequest, parseIdempotencyKey } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { Caller, Idempotency } from '../request.ts'
import type { Route } from '../route.ts'
import { type BodyMemory, readBytes } from './body.ts'
import { freeBytes } from './body-buffer.ts'
import type { EdgeDeps, Incoming } from './edge-deps.ts'
import { parseLargeJson } from './large-json.ts'
import { requireForm, requireJson, requireJsonText } from './media-type.ts'

/** The body of a request, read and parsed. */
type Body = {
  readonly json: unknown
  /** Empty for a body larger than `LIMITS.keptBodyBytesMax`, which is not kept beside its JSON. */
  readonly bytes: Uint8Array
  readonly idempotency: Idempotency | null
}

export const NO_BYTES = new Uint8Array()
const NO_BODY: Body = { json: undefined, bytes: NO_BYTES, idempotency: null }

/** Reads the body of a request and works with it; the memory reserved for a large body is released at the end. */
export async function withBody(
  edge: EdgeDeps,
  route: Route,
  incoming: Incoming | (Incoming & { readonly caller: Caller }),
  work: (body: Body) => Promise<Reply>,
): Promise<Reply> {
  const key = 'caller' in incoming ? String(incoming.caller.brandId) : ''
  const memory = openMemory(edge.largeBodies, { key, signal: incoming.signal })
  try {
    const body = await readBody(edge, route, { ...incoming, memory, key })
    return body.ok ? await work(body.value) : refuse(body.rejection)
  } finally {
    // In a later turn, when nothing refers to the values any more.
    if (memory.reserved() >= VERY_LARGE_BYTES) setImmediate(collectGarbage)
    memory.release()
  }
}

/**
 * Garbage of such a body is collected as soon as it is stored. Not before: a collection while its values are in use has to
 * visit each of them, which kept the loop for longer than anything else of the call.
 */
const VERY_LARGE_BYTES = 16 * 1024 * 1024

/** Brands take turns in the memory for large bodies. */
type BodyOwner = { readonly key: string; readonly signal: AbortSignal }

type OpenMemory = BodyMemory & { readonly reserved: () => number; readonly release: () => void }

/** A permit that comes after the release is released too: the caller may have hung up while it waited. */
function openMemory(largeBodies: Limiter, owner: BodyOwner): OpenMemory {
  const permits: Permit[] = []
  let isReleased = false
  return {
    reserve: async (bytes) => {
      const permit = await largeBodies.take({ weight: bytes, ...owner })
      permits.push(permit)
      if (isReleased) permit.release()
    },
    reserved: () => permits.reduce((sum, { weight }) => sum + weight, 0),
    release: () => {
      isReleased = true
      for (const permit of permits) permit.release()
    },
  }
}

async function readBody(
  edge: EdgeDeps,
  route: Route,
  incoming: Incoming & { readonly memory: BodyMemory; readonly key: string },
): Promise<Result<Body>> {
  if (route.body !== 'json' && route.body !== 'form') {
    const idempotency = parseIdempotency(route, incoming, NO_BYTES)
    return idempotency.ok ? accept({ ...NO_BODY, idempotency: idempotency.value }) : idempotency
  }
  const { raw, memory } = incoming
  const media = requireMedia(route)(raw.headers['content-type'])
  if (!media.ok) return media
  const bytesMax = route.bodyBytesMax ?? edge.bodyBytesMax
  const bounds = { bytesMax, timeoutMs: edge.bodyTimeoutMs, json: route.bodyBounds ?? BODY_BOUNDS, memory }
  const scanned = await readBytes(raw, bounds)
  if (!scanned.ok) return scanned
  const { bytes, longLists } = scanned.value
  if (route.body === 'form') return accept({ ...NO_BODY, json: new URLSearchParams(bytes.toString()) })
  const idempotency = parseIdempotency(route, incoming, bytes)
  if (!idempotency.ok) return idempotency
  const parse = async (): Promise<Result<unknown>> => parseLargeJson(bytes, longLists)
  const { key, signal } = incoming
  const isSmall = bytes.length <= LIMITS.sharedBodyBytesMin
  const json = await (isSmall ? parse() : edge.deps.loopShare.run({ key, signal }, parse))
  const isKept = bytes.length <= LIMITS.keptBodyBytesMax
  if (!isKept) freeBytes(bytes)
  if (!json.ok) return json
  return accept({ json: json.value, bytes: isKept ? bytes : NO_BYTES, idempotency: idempotency.value })
}

function requireMedia({ body, cors }: Route): (contentType: string | undefined) => Result<null> {
  if (body === 'form') return requireForm
  return cors === undefined ? requireJson : requireJsonText
}

function parseIdempotency(route: Route, incoming: Incoming, body: Uint8Array): Result<Idempotency | null> {
  if (route.isIdempotent !== true) return accept(null)
  const key = parseIdempotencyKey(incoming.headers)
  if (!key.ok || key.value === null) return key.ok ? accept(null) : key
  return accept({ key: key.value, requestHash: hashRequest(incoming, body) })
}
