import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { chosenBrand } from './brand.ts'
import { LiveConnection } from './live-connection.ts'
import { isLiveNews, type LiveMessage, type LiveNews } from './live-news.ts'
import { refresh } from './queries.ts'
import { suspectAway } from './reach.ts'

/**
 * The newest state of a subject of `GET /api/v1/live`, such as `overview` or `campaign:12`; undefined until it came, and
 * for a null subject. All tabs of a browser share one stream.
 */
export function useLive(subject: string | null): LiveMessage | undefined {
  useWanted(subject)
  return useSyncExternalStore(
    (listener) => TABS.listen(listener),
    () => (subject === null ? undefined : TABS.latest.get(subject)),
  )
}

/** Tells every message about a subject, in order; for `events`, whose messages follow one another. */
export function useLiveEach(subject: string | null, listener: (message: LiveMessage) => void): void {
  const tell = useEffectEvent(listener)
  useWanted(subject)
  useEffect(() => {
    if (subject === null) return undefined
    return TABS.listen((message) => {
      if (message.subject === subject) tell(message)
    })
  }, [subject])
}

function useWanted(subject: string | null): void {
  useEffect(() => (subject === null ? undefined : TABS.want(subject)), [subject])
}

type Listener = (message: LiveMessage) => void

/**
 * The tabs of one browser in one brand. The tab with the lock holds the connection and passes its messages on; the others
 * say what they want every few seconds, so that a tab that is gone is forgotten.
 */
class LiveTabs {
  readonly latest = new Map<string, LiveMessage>()
  readonly #id = String(Math.random())
  readonly #listeners = new Set<Listener>()
  /** How many pieces of this page want a subject. */
  readonly #wanted = new Map<string, number>()
  /** The wishes of the other tabs, in the tab that holds the connection. */
  readonly #others = new Map<string, { readonly subjects: readonly string[]; readonly at: number }>()
  #channel: BroadcastChannel | null = null
  #connection: LiveConnection | null = null

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  want(subject: string): () => void {
    this.#join()
    this.#wanted.set(subject, (this.#wanted.get(subject) ?? 0) + 1)
    this.#tellWishes()
    return () => {
      const left = (this.#wanted.get(subject) ?? 1) - 1
      if (left > 0) this.#wanted.set(subject, left)
      else this.#wanted.delete(subject)
      if (left === 0) this.latest.delete(subject)
      this.#tellWishes()
    }
  }

  /** Once for a page, with the first wish. */
  #join(): void {
    if (this.#channel !== null) return
    const name = `beckon.live.${chosenBrand()}`
    this.#channel = new BroadcastChannel(name)
    this.#channel.addEventListener('message', ({ data }) => {
      if (isLiveNews(data)) this.#take(data)
    })
    setInterval(() => this.#tellWishes(), WISHES_MS)
    // Browsers have locks on https and on this machine only. Elsewhere each tab has a stream of its own.
    if ('locks' in navigator) void navigator.locks.request(name, async () => this.#hold())
    else void this.#hold()
  }

  /** Never resolves: the browser gives the lock to another tab when this one is closed. */
  async #hold(): Promise<void> {
    this.#connection = new LiveConnection((news) => {
      this.#channel?.postMessage(news)
      this.#take(news)
    })
    this.#channel?.postMessage({ kind: 'who' } satisfies LiveNews)
    this.#connectWanted()
    await new Promise(() => undefined)
  }

  #take(news: LiveNews): void {
    switch (news.kind) {
      case 'who':
        return this.#tellWishes()
      case 'wishes':
        return this.#takeWishes(news.tab, news.subjects)
      case 'message':
        return this.#takeMessage(news.message)
      case 'access':
        // The reply tells whether the session or only the role is gone, and the frame acts on it.
        return void refresh('GET /api/v1/me')
      case 'broken':
        return suspectAway()
    }
  }

  #takeMessage(message: LiveMessage): void {
    const { subject } = message
    if (subject !== 'events' && this.#wanted.has(subject)) this.latest.set(subject, message)
    for (const listener of this.#listeners) listener(message)
  }

  #tellWishes(): void {
    const subjects = [...this.#wanted.keys()]
    if (this.#connection !== null) return this.#connectWanted()
    this.#channel?.postMessage({ kind: 'wishes', tab: this.#id, subjects } satisfies LiveNews)
  }

  #takeWishes(tab: string, subjects: readonly string[]): void {
    const connection = this.#connection
    if (connection === null) return
    const before = this.#others.get(tab)?.subjects ?? []
    this.#others.set(tab, { subjects, at: Date.now() })
    for (const subject of subjects.filter((name) => !before.includes(name))) {
      const message = connection.latest.get(subject)
      if (message !== undefined) this.#channel?.postMessage({ kind: 'message', message } satisfies LiveNews)
    }
    this.#connectWanted()
  }

  #connectWanted(): void {
    for (const [tab, { at }] of this.#others) if (Date.now() - at > GONE_MS) this.#others.delete(tab)
    const others = [...this.#others.values()].flatMap(({ subjects }) => subjects)
    this.#connection?.want([...new Set([...this.#wanted.keys(), ...others])])
  }
}

const WISHES_MS = 10_000
/** Browsers slow the timers of hidden tabs down to one a minute. */
const GONE_MS = 150_000

const TABS = new LiveTabs()
