import { backoffMs } from '../shared/backoff.ts'
import { fact } from '../shared/facts.ts'
import { addEntry, commandsUrl, type Entry, flush, type Settled } from '../shared/outbox.ts'
import type { Row } from '../shared/row.ts'
import { adoptUnsent, dropUnsent, saveUnsent } from './unsent.ts'

/** A command that is not committed yet. `settle` takes null, or the error of the server. */
type Waiter = {
  /** Called only when the page closes, because the session is not known at the moment of the call. */
  readonly entry: () => Entry
  readonly isStored: boolean
  readonly settle: (error: string | null) => void
}

const WAITING_MAX = 1000
const waiting = new Map<string, Waiter>()
const tabs = new BroadcastChannel('beckon')
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0
/** The refusal that the console shows, so that it shows it once. */
let said = ''
/** Kept in memory for the moment a page closes, when there is no time to read it from IndexedDB. */
let address: { readonly url: string; readonly visitor: string } | undefined

/** Registers an entry at the moment of the call, so that it survives the page. Resolves when the server has committed. */
export function awaitCommit(id: string, entry: () => Entry): Promise<void> {
  const committed = new Promise<void>((resolve, reject) => {
    waiting.set(id, {
      entry,
      isStored: false,
      settle: (error) => (error === null ? resolve() : reject(new Error(`beckon: ${error}`))),
    })
  })
  // At most as many as the outbox holds; an entry that the outbox dropped is not waited for.
  const [oldest] = waiting.keys()
  if (waiting.size > WAITING_MAX && oldest !== undefined) {
    settle([{ id: oldest, error: 'too much waits to be sent' }])
  }
  // A caller need not handle the promise. One who does still gets the error, because this function is not `async`.
  committed.catch(() => undefined)
  return committed
}

/** Writes an entry to the outbox, and sends it soon. */
export async function persist(entry: Entry, delayMs: number): Promise<void> {
  await addEntry(entry)
  const waiter = waiting.get(entry.id)
  if (waiter !== undefined) waiting.set(entry.id, { ...waiter, entry: () => entry, isStored: true })
  schedule(delayMs)
}

/** Saves unsent entries when the page closes. Without consent they go to the tab's storage, and end with the tab. */
export function watchPageHide(storageNow: () => Storage): void {
  addEventListener('pagehide', () => {
    sendBeacon()
    const unsent = [...waiting.values()].filter(({ isStored }) => !isStored)
    saveUnsent(
      unsent.map(({ entry }) => entry()),
      storageNow(),
    )
  })
}

/** Starts sending: the entries of earlier pages first, then those of this page and of closed tabs. */
export async function startSending(): Promise<void> {
  await adoptUnsent()
  tabs.onmessage = ({ data }: MessageEvent<readonly Settled[]>) => settle(data)
  addEventListener('online', () => schedule(0))
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') sendBeacon()
    else schedule(0)
  })
  schedule(0)
}

/** Discards all unsent entries, because the visitor does not want to be tracked. */
export function discardAll(): void {
  clearTimeout(timer)
  for (const { settle: resolve } of waiting.values()) resolve(null)
  waiting.clear()
  dropUnsent()
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
    address = { url: commandsUrl(site), visitor }
  }
  if (flushed.kind !== 'later') {
    failures = 0
    return
  }
  if (flushed.error !== undefined) refused(flushed.error)
  failures++
  // A newer entry may have set an earlier timer; its own failure will set the back-off again.
  if (timer === undefined) schedule(backoffMs(failures, Math.random(), flushed.waitMs))
}

/** The server refuses the key or the page. More may wait than the refused batch held, and none of it can be sent. */
function refused(error: string): void {
  settle([...waiting].flatMap(([id, { isStored }]) => (isStored ? [{ id, error }] : [])))
  if (error !== said) console.warn(`beckon: ${error}`)
  said = error
}

function settle(settled: readonly Settled[]): void {
  for (const { id, error } of settled) {
    waiting.get(id)?.settle(error)
    waiting.delete(id)
  }
}

/**
 * Sends the unsent events at once, because a page that closes may never run again. The entries also stay stored: the
 * next page sends them again, and the server drops the repeat by its event_id. Other commands wait for the next page.
 */
function sendBeacon(): void {
  const entries = [...waiting.values()].map(({ entry }) => entry())
  if (address === undefined || entries.length === 0) return
  if (entries.some(({ command }) => command['do'] !== 'event')) return
  const commands: Row[] = entries.slice(0, BEACON_ENTRIES_MAX).map(({ at, command }) => ({ ...command, at }))
  const body = JSON.stringify({ visitor: address.visitor, sent_at: Date.now(), commands })
  if (body.length < BEACON_CHARS_MAX) navigator.sendBeacon(address.url, body)
}

const BEACON_ENTRIES_MAX = 50
/** Browsers accept 64 KiB, in bytes. */
const BEACON_CHARS_MAX = 20_000
