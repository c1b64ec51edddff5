import { BeckonError, BeckonUnreachable, type Refusal } from './failure.ts'
import { parseJson } from './json.ts'
import { planRetry, type Try } from './retry.ts'

/** A request as it goes out, again and again if need be. */
export type Outgoing = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
  readonly isSafe: boolean
  readonly attemptsMax: number
  /** For all tries together; null: as many as `attemptsMax`. */
  readonly deadlineMs: number | null
  /** For one try. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Sends until there is an answer worth keeping. Throws what Beckon refused with, or that it was not reached. */
export async function send(outgoing: Outgoing): Promise<Response> {
  const beganAt = performance.now()
  const { deadlineMs, timeoutMs: ownMs } = outgoing
  const left = (): number | null => (deadlineMs === null ? null : deadlineMs - (performance.now() - beganAt))
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.ceil(Math.max(1, Math.min(ownMs, left() ?? ownMs)))
    const response = await tryOnce({ ...outgoing, timeoutMs })
    if (response instanceof Response && response.ok) return response
    const refusal = response instanceof Response ? await readRefusal(response) : null
    const waitMs = planRetry(tryOf(refusal), { ...outgoing, attempt, leftMs: left(), jitter: Math.random() })
    // A stream that was read is gone.
    if (waitMs === null || outgoing.body instanceof ReadableStream)
      throw failureOf(outgoing, refusal, response)
    await sleep(waitMs, outgoing.signal)
  }
}

/** The answer, or why there was none. Catching here is what trying again is made of. */
async function tryOnce({
  url,
  method,
  headers,
  body,
  timeoutMs,
  signal,
}: Outgoing): Promise<Response | Error> {
  const patience = AbortSignal.timeout(timeoutMs)
  const until = signal === undefined ? patience : AbortSignal.any([signal, patience])
  const duplex = body instanceof ReadableStream ? { duplex: 'half' as const } : {}
  try {
    return await fetch(url, { method, headers, body, signal: until, redirect: 'error', ...duplex })
  } catch (error) {
    signal?.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function readRefusal(response: Response): Promise<Refusal> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null
  return { status: response.status, retryAfterMs, reply: replyOf(await response.text()) }
}

/** A proxy may answer with a page, which is as good as nothing. */
function replyOf(text: string): Refusal['reply'] {
  try {
    return Object(parseJson(text))
  } catch {
    return {}
  }
}

function tryOf(refusal: Refusal | null): Try {
  if (refusal === null) return { kind: 'unanswered' }
  const status = TAKEN_FOR.get(refusal.reply.code) ?? refusal.status
  return { kind: 'answered', status, retryAfterMs: refusal.retryAfterMs }
}

/** Codes that count as another status here: the call's own first try still runs; or nobody knows whether it was done. */
const TAKEN_FOR: ReadonlyMap<string | undefined, number> = new Map([
  ['idempotency_running', 503],
  ['outcome_unknown', 504],
])

function failureOf({ method, url }: Outgoing, refusal: Refusal | null, cause: unknown): Error {
  return refusal === null
    ? new BeckonUnreachable(`${method} ${url} got no answer`, { cause })
    : new BeckonError(refusal)
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = (): void => reject(signal?.reason)
  const timer = setTimeout(resolve, ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
