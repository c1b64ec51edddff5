import type { Clock } from '../../runtime/clock.ts'
import type { Caller } from '../request.ts'
import type { FindKey } from './auth.ts'

export type KeyCacheOptions = {
  readonly clock: Clock
  /** An answer is old this long after its question was *sent*: a revocation may commit while it travels. */
  readonly keepMs: number
  readonly entriesMax: number
}

export type KeyCache = {
  readonly find: FindKey
  /** Every key is looked up anew, also those that are being looked up at this moment. */
  readonly forget: () => void
}

/**
 * Remembers who owns which key for a moment, wrong keys too. Requests that come together with one key share one
 * question. Wrong keys are kept apart from right ones, so that a flood of guesses cannot push real callers out.
 */
export function cacheKeys(find: FindKey, options: KeyCacheOptions): KeyCache {
  const known = new Map<string, Entry>()
  const unknown = new Map<string, Entry>()
  const asked = new Map<string, Promise<Caller | null>>()
  /** How often all was forgotten: an answer to a question from before that is not kept. */
  let epoch = 0

  const ask = async (hash: Uint8Array, name: string): Promise<Caller | null> => {
    const askedAt = options.clock.now()
    const begun = epoch
    try {
      const caller = await find(hash)
      if (begun !== epoch) return caller
      known.delete(name)
      unknown.delete(name)
      keep(caller === null ? unknown : known, name, { caller, askedAt }, options.entriesMax)
      return caller
    } finally {
      if (begun === epoch) asked.delete(name)
    }
  }

  const forget = (): void => {
    epoch += 1
    for (const entries of [known, unknown, asked]) entries.clear()
  }

  const findCached: FindKey = async (hash) => {
    const name = Buffer.from(hash).toString('base64')
    const entry = known.get(name) ?? unknown.get(name)
    if (entry !== undefined && options.clock.now() - entry.askedAt < options.keepMs) return entry.caller
    const running = asked.get(name) ?? ask(hash, name)
    asked.set(name, running)
    return running
  }
  return { find: findCached, forget }
}

type Entry = { readonly caller: Caller | null; readonly askedAt: number }

/** A map keeps its order, so the first entry is the oldest. */
function keep(entries: Map<string, Entry>, name: string, entry: Entry, entriesMax: number): void {
  entries.set(name, entry)
  if (entries.size <= entriesMax) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}
