import type { SystemEvent } from '../../src/rules/system-events.ts'
import { backoffMs } from '../shared/backoff.ts'
import { systemEntry } from '../shared/event.ts'
import { fact } from '../shared/facts.ts'
import { addEntry, flush } from '../shared/outbox.ts'
import { pause } from '../shared/pause.ts'
import { addReceipt, flushReceipts } from '../shared/receipts.ts'
import type { Message } from './message.ts'

declare const self: ServiceWorkerGlobalScope

export type PushEvent = { readonly kind: string; readonly event: SystemEvent; readonly button?: number }

/** Stores receipts and events before they are sent, so that a killed worker loses nothing. */
export async function record(
  { delivery_id: id, receipt }: Pick<Message, 'delivery_id' | 'receipt'>,
  ...events: readonly PushEvent[]
): Promise<void> {
  const isTracked = (await fact('site'))?.tracksPush === true && (await fact('isOptedOut')) !== true
  for (const { kind, event, button } of events) {
    await addReceipt({ receipt, kind, ...(button === undefined ? {} : { button }) })
    const attributes = { delivery_id: id, ...(button === undefined ? {} : { button }) }
    if (isTracked) await addEntry(systemEntry({ event, attributes, at: Date.now(), id: `${kind}-${id}` }))
  }
  await report()
}

/** Sends the stored receipts and events. What cannot be sent stays for the next push, page or connection. */
export async function report(): Promise<void> {
  const tabs = new BroadcastChannel('beckon')
  for (let failures = 0; failures < TRIES_MAX; failures++) {
    const isSent = await flushReceipts()
    const flushed = await flush((settled) => tabs.postMessage(settled))
    if (isSent && flushed.kind !== 'later') break
    await pause(backoffMs(failures + 1, Math.random()))
    if (failures === TRIES_MAX - 1) await requestSync()
  }
  tabs.close()
}

const TRIES_MAX = 3

/** Chromium wakes a worker when the browser is online again; in others the next push or page does. */
async function requestSync(): Promise<void> {
  const sync: unknown = Reflect.get(self.registration, 'sync')
  if (typeof sync !== 'object' || sync === null || !('register' in sync)) return
  const { register } = sync
  if (typeof register === 'function')
    await Promise.resolve(register.call(sync, 'beckon')).catch(() => undefined)
}
