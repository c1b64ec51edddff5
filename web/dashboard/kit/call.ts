import type { Api } from '../../client/api/endpoints.ts'
import { BeckonError, BeckonUnreachable } from '../../client/failure.ts'
import { encodeJson, parseJson } from '../../client/json.ts'
import { chosenBrand } from './brand.ts'
import { noteDone } from './done-calls.ts'
import { askProof } from './proof.ts'
import { suspectAway } from './reach.ts'

export type Endpoint = keyof Api

export type Input<Name extends Endpoint> = Omit<Api[Name], 'reply'>

export type ReplyOf<Name extends Endpoint> = Api[Name]['reply']

/** A call as its address, method and body. The page makes it; `curlOf` writes it down. */
export type Outgoing = { readonly method: string; readonly url: string; readonly body: string | null }

/** The fields that any endpoint may take. */
export type AnyInput = {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export type CallOptions = {
  readonly signal?: AbortSignal
  /** One key for every try of one wish, so that a second click sends nothing twice. */
  readonly idempotencyKey?: string
  /** A question that is too long for an address is a POST, and changes nothing. */
  readonly isRead?: boolean
}

/** Calls the public API as the member who is signed in, in the chosen brand. Throws a `BeckonError` when it is refused. */
export async function call<Name extends Endpoint>(
  endpoint: Name,
  input: Input<Name>,
  { signal, idempotencyKey, isRead = false }: CallOptions = {},
): Promise<ReplyOf<Name>> {
  const { method, url, body } = outgoingOf(endpoint, input)
  const headers = {
    'x-brand-id': chosenBrand(),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
  const send = async (): Promise<Response> =>
    fetchOrThrow(url, { method, headers, body, signal: signal ?? null })
  const response = await withProof(send)
  if (method !== 'GET' && !isRead) noteDone({ method, url, body, at: Date.now() })
  return Object(parseJson(await response.text()))
}

/**
 * The same for a question that answers line by line: `onLine` gets every line but the last, which is the reply. The status
 * was sent before the work was done, so the last line tells whether the question was refused.
 */
export async function callInLines<Name extends Endpoint>(
  endpoint: Name,
  input: Input<Name>,
  { signal, onLine }: { readonly signal: AbortSignal; readonly onLine: (line: ReplyOf<Name>) => void },
): Promise<ReplyOf<Name>> {
  const { method, url, body } = outgoingOf(endpoint, input)
  const headers = {
    'x-brand-id': chosenBrand(),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
  }
  const response = await fetchOrThrow(url, { method, headers, body, signal })
  let last = ''
  for await (const line of linesOf(response)) {
    if (last !== '') onLine(Object(parseJson(last)))
    last = line
  }
  const reply = readReply(last)
  if (reply['status_code'] === '200') return Object(reply)
  if (reply['status_code'] === undefined) throw new BeckonUnreachable('The answer broke off.')
  throw new BeckonError({ status: Number(reply['status_code']), retryAfterMs: null, reply })
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = `${rest}${piece.value}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** A call about a secret may need a fresh proof of who the member is; then it asks for one, and tries again. */
async function withProof(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    if (!needsProof(error) || !(await askProof())) throw error
    return sendProven(send)
  }
}

/** A process of the server may know of the proof only a moment later, since it keeps sessions for three seconds. */
async function sendProven(send: () => Promise<Response>): Promise<Response> {
  for (let triesLeft = PROVEN_TRIES; ; triesLeft -= 1) {
    try {
      return await send()
    } catch (error) {
      if (!needsProof(error) || triesLeft === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, PROVEN_PAUSE_MS))
    }
  }
}

const PROVEN_TRIES = 8
const PROVEN_PAUSE_MS = 500

function needsProof(error: unknown): boolean {
  return error instanceof BeckonError && error.code === 'proof_needed'
}

/** Calls the private addresses of the sign-in. */
export async function callAuth(path: string, body: object | null = {}, method = 'POST'): Promise<unknown> {
  const send = async (): Promise<Response> =>
    fetchOrThrow(`/auth${path}`, {
      method,
      headers: body === null ? {} : { 'content-type': 'application/json' },
      body: body === null ? null : JSON.stringify(body),
    })
  const response = await withProof(send)
  return Object(parseJson(await response.text()))
}

/** Told of every reply that says the session is gone, whichever page asked. */
const listeners = new Set<() => void>()

export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: 'same-origin' }).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause
    suspectAway()
    throw new BeckonUnreachable('The server does not answer.', { cause })
  })
  if (response.ok) return response
  const text = await response.text()
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (PROXY_STATUSES.has(response.status)) suspectAway()
  const error = new BeckonError({
    status: response.status,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    reply: readReply(text),
  })
  if (response.status === 401 && !url.startsWith('/auth')) for (const listener of listeners) listener()
  throw error
}

/** A proxy answers so in the place of a Beckon that restarts; Beckon itself says 503 when it has too much to do. */
const PROXY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** A proxy on the way may answer with a page. */
function readReply(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(parseJson(text))
  } catch {
    return {}
  }
}

export function outgoingOf(endpoint: string, input: AnyInput): Outgoing {
  const [method = '', template = ''] = endpoint.split(' ')
  const { path = {}, query = {}, body } = input
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name])),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return {
    method,
    url: search === '' ? filled : `${filled}?${search}`,
    body: body === undefined ? null : encodeJson(body),
  }
}

/** The command that does the same from a terminal. The key, or the session, is the reader's own, so it is left open. */
export function curlOf({ method, url, body }: Outgoing): string {
  const lines = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    quoted(`${location.origin}${url}`),
    ...callerLines(url),
    ...(body === null ? [] : [`-H ${quoted('content-type: application/json')}`, `-d ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** The addresses that take members only, and no key. */
const FOR_MEMBERS = /^\/api\/v1\/(me|brands|team)(\/|\?|$)/

function callerLines(url: string): readonly string[] {
  if (!FOR_MEMBERS.test(url)) return [`-H ${quoted('authorization: Bearer YOUR_API_KEY')}`]
  return [
    `-H ${quoted(`origin: ${location.origin}`)}`,
    `-H ${quoted('cookie: beckon.session_token=YOUR_SESSION')}`,
    `-H ${quoted(`x-brand-id: ${chosenBrand()}`)}`,
  ]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
