/** Sends the bodies that it is told, from a process of its own: building 60 MB must not be charged to the server. */
import { gzipSync } from 'node:zlib'
import { bodyOf, type Recipe } from './worst-recipe.ts'

export type WorstCall = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly recipe: Recipe
  /** How the body goes: as JSON, as lines of JSON, as CSV, or in the query. */
  readonly form: 'json' | 'lines' | 'csv' | 'query'
  readonly bytesMax: number
}

/**
 * `status` 0: the body is larger than the route takes, and was not sent. `bytes` is the larger of body and reply. `replyMs` is
 * the time until the reply was read to its end.
 */
export type WorstAnswer = { readonly status: number; readonly bytes: number; readonly replyMs: number }

/** The request is built when it is told, and sent at the next word, so that only the sending is measured. */
let prepared: () => Promise<WorstAnswer> = async () => NOTHING

process.on('message', (call: WorstCall | 'send') => {
  const answering = call === 'send' ? prepared() : prepare(call)
  const counted = answering.catch((cause: unknown) => {
    if (isUncounted(cause)) return NOTHING
    throw cause
  })
  void counted.then((answered) => process.send?.(answered))
})

const NOTHING: WorstAnswer = { status: 0, bytes: 0, replyMs: 0 }

async function prepare(call: WorstCall): Promise<WorstAnswer> {
  prepared = async () => NOTHING
  prepared = build(call)
  return NOTHING
}

/** A text that is longer than Node allows, or an upload that the server refused and cut off. */
function isUncounted(cause: unknown): boolean {
  if (cause instanceof RangeError) return true
  return cause instanceof TypeError && ['ECONNRESET', 'EPIPE'].includes(Object(cause.cause).code)
}

function build(call: WorstCall): () => Promise<WorstAnswer> {
  const { url, method, headers, recipe, form, bytesMax } = call
  // Changes inside of each other multiply, and would never end.
  const values = recipe.mutations.reduce((product, { size }) => product * size, 1)
  if (values > bytesMax) return async () => NOTHING
  if (form === 'query') {
    const query = new URLSearchParams(
      Object.entries(recipe.body).map(([name, value]) => [name, String(value)]),
    )
    return async () => ask(`${url}?${query.toString()}`, { method, headers }, 0)
  }
  const body = Buffer.from(textOf(bodyOf(recipe), form))
  if (body.length > bytesMax) return async () => NOTHING
  const typed = { ...headers, 'content-type': TYPES[form] }
  const sent =
    form === 'json'
      ? { body: gzipSync(body, { level: 1 }), headers: { ...typed, 'content-encoding': 'gzip' } }
      : { body, headers: typed }
  return async () => ask(url, { method, ...sent }, body.length)
}

const TYPES = { json: 'application/json', lines: 'application/x-ndjson', csv: 'text/csv' } as const

function textOf(body: unknown, form: keyof typeof TYPES): string {
  const { rows } = Object(body)
  if (form === 'json' || !Array.isArray(rows)) return JSON.stringify(body)
  if (form === 'lines') return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const columns = Object.keys(Object(rows[0]))
  return [columns, ...rows.map((row) => Object.values(Object(row)))]
    .map((cells) => `${cells.map(cellOf).join()}\n`)
    .join('')
}

function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${text.replaceAll('"', '""')}"`
}

async function ask(url: string, request: RequestInit, sentBytes: number): Promise<WorstAnswer> {
  const beganAt = performance.now()
  const reply = await fetch(url, request)
  let bytes = 0
  for await (const chunk of reply.body ?? []) bytes += chunk.length
  const replyMs = performance.now() - beganAt
  return { status: reply.status, bytes: Math.max(sentBytes, bytes), replyMs }
}
