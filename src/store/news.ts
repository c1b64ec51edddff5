import { setTimeout } from 'node:timers/promises'
import { systemSleep } from '../runtime/clock.ts'
import { type Backoff, backoffMs } from '../runtime/loop/backoff.ts'

/** What a loop may be waiting for: a notification that is to be cut into chunks, or a chunk that is to be sent. */
export const NEWS = ['plan', 'send'] as const

export type News = (typeof NEWS)[number]

/**
 * Tells the workers, in whatever process, that there is something to do. It is a hint and is given after the commit:
 * what it speaks of stands in the tables, where whoever missed it finds it with the next look. Given inside the
 * transaction, it would make all commits of the server wait for one another.
 */
export class Herald {
  readonly #db: Sql
  readonly #pauseMs: number
  /** What is on its way, and what has to follow it. */
  readonly #telling = new Set<News>()
  readonly #next = new Set<News>()

  constructor(db: Sql, { pauseMs }: { readonly pauseMs: number } = { pauseMs: PAUSE_MS }) {
    this.#db = db
    this.#pauseMs = pauseMs
  }

  /** The first goes at once; all that comes while it is on its way, or within the pause after it, goes as one. */
  tell(news: News): void {
    if (this.#telling.has(news)) this.#next.add(news)
    else void this.#tell(news)
  }

  async #tell(news: News): Promise<void> {
    this.#telling.add(news)
    // Nobody depends on it; that the database cannot be reached, others will tell.
    await this.#db.query(TELL, [CHANNEL, news]).catch(() => undefined)
    await setTimeout(this.#pauseMs, undefined, { ref: false })
    this.#telling.delete(news)
    if (this.#next.delete(news)) void this.#tell(news)
  }
}

/**
 * Tells whoever remembers API keys that some are gone, when the transaction commits: that is rare, so nobody waits. It
 * has a channel of its own, since they need not hear of every send.
 */
export async function tellKeysGone(tx: Sql): Promise<void> {
  await tx.query(TELL, [KEYS_CHANNEL, ''])
}

/** As much of the database as a herald needs. */
type Sql = { readonly query: (statement: typeof TELL, values: readonly string[]) => Promise<unknown> }

type Listening = {
  /** One connection that hears the channel, from its beginning to its end. */
  readonly hearChannel: (channel: string, ear: Ear) => Promise<void>
  readonly signal: AbortSignal
}

export type Ear = { readonly onReady: () => void; readonly onMessage: (message: string) => void }

/** Hears the news until the signal aborts. What was missed while nobody heard is supposed. */
export async function listenForNews(listening: Listening, hear: (news: News) => void): Promise<void> {
  await listen(listening, CHANNEL, {
    onReady: () => NEWS.forEach(hear),
    onMessage: (message) => NEWS.filter((news) => news === message).forEach(hear),
  })
}

/** Hears until the signal aborts that keys are gone, or may be. */
export async function listenForKeysGone(listening: Listening, hear: () => void): Promise<void> {
  await listen(listening, KEYS_CHANNEL, { onReady: hear, onMessage: hear })
}

/** A connection that breaks is made anew. */
async function listen({ hearChannel, signal }: Listening, channel: string, ear: Ear): Promise<void> {
  let failures = 0
  const onReady = (): void => {
    failures = 0
    ear.onReady()
  }
  while (!signal.aborted) {
    // Looking without being told goes on, and whoever looks says what is wrong with the database.
    await hearChannel(channel, { ...ear, onReady }).catch(() => undefined)
    failures += 1
    await systemSleep(backoffMs(AGAIN, failures, Math.random()), signal)
  }
}

/** Many accept at once on a busy server: to be told two hundred times a second is enough. */
const PAUSE_MS = 5
const CHANNEL = 'beckon_news'
const KEYS_CHANNEL = 'beckon_keys'
const TELL = { name: 'tell news', text: 'select pg_notify($1, $2)' }
const AGAIN: Backoff = { minMs: 100, maxMs: 10_000 }
