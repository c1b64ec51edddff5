import { backoffMs } from '../shared/backoff.ts'
import { fact } from '../shared/facts.ts'
import { addEntry, type Entry, flush, type Settled } from '../shared/outbox.ts'
import type { Row } from '../shared/row.ts'
import { adoptLeft, dropLeft, leave } from './left.ts'

/** What was told and is not committed yet. `settle` takes null, or the server's word against it. */
type Waiter = {
  /** Asked only when the page is left, because much of it is not known at the moment of the call. */
  readonly entry: () => Entry
  readonly isKept: boolean
  readonly settle: (error: string | null) => void
}

const WAITING_MAX = 1000
const waiting = new Map<string, Waiter>()
const tabs = new BroadcastChannel('beckon')
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0
/** For the moment a page closes, when there is no time to look it up. */
let address: { readonly url: string; readonly visitor: string } | undefined

/** Notes an entry at the moment it is told, so that it outlives the page from here on. Resolves when it is committed. */
export function take(id: string, entry: () => Entry): Promise<void> {
  const committed = new Promise<void>((resolve, reject) => {
    waiting.set(id, {
      entry,
      isKept: false,
      settle: (error) => (error === null ? resolve() : reject(new Error(`beckon: ${error}`))),
    })
  })
  // As much as the outbox holds; what was pushed out of it is not waited for.
  const [oldest] = waiting.keys()
  if (waiting.size > WAITING_MAX && oldest !== undefined) {
    settle([{ id: oldest, error: 'too much waits to be sent' }])
  }
  // Nobody has to listen; a caller who does still hears of it, because this is no `async` function.
  committed.catch(() => undefined)
  return committed
}

/** Puts an entry into the outbox, and sends it soon. */
export async function keep(entry: Entry, delayMs: number): Promise<void> {
  await addEntry(entry)
  const waiter = waiting.get(entry.id)
  if (waiter !== undefined) waiting.set(entry.id, { ...waiter, entry: () => entry, isKept: true })
  schedule(delayMs)
}

/** Nothing told before the page is left is lost. Until there is consent it stays with the tab, and ends with it. */
export function watchLeaving(placeNow: () => Storage): void {
  addEventListener('pagehide', () => {
    sendLastWords()
    const loose = [...waiting.values()].filter(({ isKept }) => !isKept)
    leave(
      loose.map(({ entry }) => entry()),
      placeNow(),
    )
  })
}

/** Starts to send what earlier pages left behind, and what other tabs do not get to. */
export async function startCourier(): Promise<void> {
  await adoptLeft()
  tabs.onmessage = ({ data }: MessageEvent<readonly Settled[]>) => settle(data)
  addEventListener('online', () => schedule(0))
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') sendLastWords()
    else schedule(0)
  })
  schedule(0)
}

/** What waits is given up: the reader does not want to be followed. */
export function forget(): void {
  clearTimeout(timer)
  for (const { settle: give } of waiting.values()) give(null)
  waiting.clear()
  dropLeft()
}

function schedule(delayMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void deliver(), delayMs)
}

async function deliver(): Promise<void> {
  timer = undefined
  const flushed = await flush((settled) => {
    settle(settled)
    tabs.postMessage(settled)
  })
  const site = await fact('site')
  const visitor = await fact('visitor')
  if (site !== undefined && visitor !== undefined) {
    address = { url: `${site.api}/api/v1/visitors/commands?key=${site.key}`, visitor }
  }
  if (flushed.kind !== 'later') {
    failures = 0
    return
  }
  if (flushed.error !== undefined) console.warn(`beckon: ${flushed.error}`)
  failures++
  // What was told meanwhile has its own time, and must hear of it then; its try waits in turn if it fails as well.
  if (timer === undefined) schedule(backoffMs(failures, Math.random(), flushed.waitMs))
}

function settle(settled: readonly Settled[]): void {
  for (const { id, error } of settled) {
    waiting.get(id)?.settle(error)
    waiting.delete(id)
  }
}

/**
 * A page that closes may never run again, so what waits goes out at once. It is kept as well: the next
 * page sends it again, and the server knows it by its event_id. Anything but events can wait for that.
 */
function sendLastWords(): void {
  const entries = [...waiting.values()].map(({ entry }) => entry())
  if (address === undefined || entries.length === 0) return
  if (entries.some(({ command }) => command['do'] !== 'event')) return
  const commands: Row[] = entries.slice(0, LAST_WORDS_MAX).map(({ at, command }) => ({ ...command, at }))
  const body = JSON.stringify({ visitor: address.visitor, sent_at: Date.now(), commands })
  if (body.length < BEACON_CHARS_MAX) navigator.sendBeacon(address.url, body)
}

const LAST_WORDS_MAX = 50
/** Browsers take 64 KiB, in bytes. */
const BEACON_CHARS_MAX = 20_000
