import { cutBatch } from './batch.ts'
import { addRow, dropRows, firstRows } from './database.ts'
import { type Facts, fact, setFact } from './facts.ts'
import { isObject, post } from './post.ts'
import type { Row } from './row.ts'

/** A command that waits to be sent. `id` is unique in all tabs; the command has the form that the server reads. */
export type Entry = { readonly id: string; readonly at: number; readonly command: Row }

/** The result of a flush. `waitMs` is the wait that the server asked for. */
export type Flushed =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly waitMs: number; readonly error?: string }

/** The result of one entry, sent to every tab, because the sending tab is not always the waiting one. */
export type Settled = { readonly id: string; readonly error: string | null }

const ENTRIES_MAX = 1000
const BATCH_MAX = 50
/** Well below the server's limit, whatever the characters are. */
const BATCH_CHARS_MAX = 100_000
const RETRY_REFUSED_MS = 300_000
const AGE_MAX_MS = 7 * 86_400_000
const LOCK = 'beckon-outbox'
/** The browser starts anew as another visitor. */
const LOST_VISITOR = new Set<unknown>(['visitor_invalid', 'visitor_expired'])

export async function addEntry(entry: Entry): Promise<void> {
  await addRow('outbox', entry, ENTRIES_MAX)
}

/** Sends the outbox in order, batch by batch. One tab at a time does so, under a lock of the whole site. */
export async function flush(notify: (settled: readonly Settled[]) => void): Promise<Flushed> {
  return navigator.locks.request(LOCK, async () => {
    for (;;) {
      const rows = cutBatch(await firstRows('outbox', BATCH_MAX), BATCH_CHARS_MAX)
      const last = rows.at(-1)?.['seq']
      if (typeof last !== 'number') return { kind: 'done' }
      const flushed = await sendBatch(rows, notify)
      if (flushed.kind === 'later') return flushed
      await dropRows('outbox', last)
    }
  })
}

async function sendBatch(
  rows: readonly Row[],
  notify: (settled: readonly Settled[]) => void,
): Promise<Flushed> {
  const site = await fact('site')
  if (site === undefined) return { kind: 'later', waitMs: 0 }
  // Without a visitor the call is refused too, with the reason: the key is wrong for both.
  const visitor = (await fact('visitor')) ?? (await openVisitor(), (await fact('visitor')) ?? '')
  const now = Date.now()
  const fresh = rows.filter(({ at }) => now - Number(at) < AGE_MAX_MS)
  const commands = fresh.map(({ at, command }) => ({ ...(isObject(command) ? command : {}), at }))
  if (commands.length === 0) return { kind: 'done' }
  const body = { visitor, sent_at: now, endpoint: await fact('endpoint'), commands }
  const answer = await post(commandsUrl(site), body)
  const { status } = answer
  if (LOST_VISITOR.has(answer.body['code'])) {
    await setFact('visitor', undefined)
    return { kind: 'later', waitMs: 0 }
  }
  if (status === 0 || status === 429 || status >= 500) return { kind: 'later', waitMs: answer.waitMs }
  if (status !== 200) {
    const error = String(answer.body['message'])
    notify(fresh.map(({ id }) => ({ id: String(id), error })))
    // The site can correct a key or an origin, so the entries stay; any other refusal would come again.
    return status === 401 || status === 403
      ? { kind: 'later', waitMs: RETRY_REFUSED_MS, error }
      : { kind: 'done' }
  }
  await saveVisitor(answer.body)
  notify(settle(fresh, answer.body['unprocessed']))
  return { kind: 'done' }
}

export function commandsUrl({ api, key }: Facts['site']): string {
  return `${api}/api/v1/visitors/commands?key=${key}`
}

/** Asks the server for a visitor token and a push key, and gives its reply; empty when none comes. */
export async function openVisitor(): Promise<Row> {
  const site = await fact('site')
  if (site === undefined) return {}
  const { body } = await post(`${site.api}/api/v1/visitors?key=${site.key}`, null)
  const value = body['push_key']
  if (typeof value === 'string') await setFact('pushKey', { value, askedAt: Date.now() })
  if ((await fact('visitor')) === undefined) await saveVisitor(body)
  return body
}

/** The server sends a new visitor token when another person logs in, and when the token is getting old. */
async function saveVisitor({ visitor }: Row): Promise<void> {
  const token = isObject(visitor) ? visitor['token'] : undefined
  if (typeof token === 'string') await setFact('visitor', token)
}

function settle(rows: readonly Row[], unprocessed: unknown): readonly Settled[] {
  const errors = new Map<unknown, string>()
  for (const one of Array.isArray(unprocessed) ? unprocessed : []) {
    if (isObject(one)) errors.set(one['index'], String(one['message']))
  }
  return rows.map(({ id }, index) => ({ id: String(id), error: errors.get(index) ?? null }))
}
