import { cutBatch } from './batch.ts'
import { addRow, dropRows, firstRows } from './database.ts'
import { fact, setFact } from './facts.ts'
import { isObject, post } from './post.ts'
import type { Row } from './row.ts'

/** What waits to be told to the server. `id` tells it apart in every tab; the command is as the server reads it. */
export type Entry = { readonly id: string; readonly at: number; readonly command: Row }

/** What became of entries. `waitMs` is how long the server wants to be left alone. */
export type Flushed =
  | { readonly kind: 'done' }
  | { readonly kind: 'later'; readonly waitMs: number; readonly error?: string }

/** Told to every tab, because the one that sends is not always the one that waits. */
export type Settled = { readonly id: string; readonly error: string | null }

const ENTRIES_MAX = 1000
const BATCH_MAX = 50
/** Well below what the server takes, whatever the characters are. */
const BATCH_CHARS_MAX = 100_000
const MEND_MS = 300_000
const HELD_MAX_MS = 7 * 86_400_000
const LOCK = 'beckon-outbox'

export async function addEntry(entry: Entry): Promise<void> {
  await addRow('outbox', entry, ENTRIES_MAX)
}

/** Sends what waits, in its order, one batch after another. One tab at a time: the lock is the site's, not the tab's. */
export async function flush(tell: (settled: readonly Settled[]) => void): Promise<Flushed> {
  return navigator.locks.request(LOCK, async () => {
    for (;;) {
      const rows = cutBatch(await firstRows('outbox', BATCH_MAX), BATCH_CHARS_MAX)
      const last = rows.at(-1)?.['seq']
      if (typeof last !== 'number') return { kind: 'done' }
      const flushed = await sendBatch(rows, tell)
      if (flushed.kind === 'later') return flushed
      await dropRows('outbox', last)
    }
  })
}

async function sendBatch(
  rows: readonly Row[],
  tell: (settled: readonly Settled[]) => void,
): Promise<Flushed> {
  const site = await fact('site')
  if (site === undefined) return { kind: 'later', waitMs: 0 }
  // Without a name the call is refused as well, and says why: the same key is wrong for both.
  const visitor = (await fact('visitor')) ?? (await openVisitor()) ?? ''
  const now = Date.now()
  const fresh = rows.filter(({ at }) => now - Number(at) < HELD_MAX_MS)
  const commands = fresh.map(({ at, command }) => ({ ...(isObject(command) ? command : {}), at }))
  if (commands.length === 0) return { kind: 'done' }
  const body = { visitor, sent_at: now, endpoint: await fact('endpoint'), commands }
  const answer = await post(`${site.api}/api/v1/visitors/commands?key=${site.key}`, body)
  const { status } = answer
  if (answer.body['code'] === 'visitor_invalid') {
    await setFact('visitor', undefined)
    return { kind: 'later', waitMs: 0 }
  }
  if (status === 0 || status === 429 || status >= 500) return { kind: 'later', waitMs: answer.waitMs }
  if (status !== 200) {
    const error = String(answer.body['message'])
    tell(fresh.map(({ id }) => ({ id: String(id), error })))
    // A key or an origin can be mended, and what waits is not lost until then; anything else would be refused again.
    return status === 401 || status === 403 ? { kind: 'later', waitMs: MEND_MS, error } : { kind: 'done' }
  }
  await keepVisitor(answer.body)
  tell(settle(fresh, answer.body['unprocessed']))
  return { kind: 'done' }
}

/** A browser without a name asks for one. Undefined when nobody answers. */
export async function openVisitor(): Promise<string | undefined> {
  const site = await fact('site')
  if (site === undefined) return undefined
  const { body } = await post(`${site.api}/api/v1/visitors?key=${site.key}`, null)
  const value = body['push_key']
  if (typeof value === 'string') await setFact('pushKey', { value, askedAt: Date.now() })
  if ((await fact('visitor')) === undefined) await keepVisitor(body)
  return fact('visitor')
}

/** The server gives a browser another name when it changes hands. */
async function keepVisitor({ visitor }: Row): Promise<void> {
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
