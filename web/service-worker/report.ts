import type { SystemEvent } from '../../src/rules/system-events.ts'
import { backoffMs } from '../shared/backoff.ts'
import { systemEntry } from '../shared/event.ts'
import { fact } from '../shared/facts.ts'
import { addEntry, flush } from '../shared/outbox.ts'
import { pause } from '../shared/pause.ts'
import { addReceipt, flushReceipts } from '../shared/receipts.ts'
import type { Message } from './message.ts'

declare const self: ServiceWorkerGlobalScope

export type Told = { readonly kind: string; readonly event: SystemEvent; readonly button?: number }

/** Writes down what happened before it is sent, so that a worker that is killed loses nothing. */
export async function tell(
  { delivery_id: id, receipt }: Pick<Message, 'delivery_id' | 'receipt'>,
  ...told: readonly Told[]
): Promise<void> {
  const isTracked = (await fact('site'))?.tracksPush === true && (await fact('isOptedOut')) !== true
  for (const { kind, event, button } of told) {
    await addReceipt({ receipt, kind, ...(button === undefined ? {} : { button }) })
    const attributes = { delivery_id: id, ...(button === undefined ? {} : { button }) }
    if (isTracked) await addEntry(systemEntry({ event, attributes, at: Date.now(), id: `${kind}-${id}` }))
  }
  await report()
}

/** Sends what is written down. What nobody hears stays, for the next push, page or connection. */
export async function report(): Promise<void> {
  const tabs = new BroadcastChannel('beckon')
  for (let failures = 0; failures < TRIES_MAX; failures++) {
    const isHeard = await flushReceipts()
    const flushed = await flush((settled) => tabs.postMessage(settled))
    if (isHeard && flushed.kind !== 'later') break
    await pause(backoffMs(failures + 1, Math.random()))
    if (failures === TRIES_MAX - 1) await askForLater()
  }
  tabs.close()
}

const TRIES_MAX = 3

/** Chromium wakes a worker when there is a connection again; others wait for the next push or page. */
async function askForLater(): Promise<void> {
  const sync: unknown = Reflect.get(self.registration, 'sync')
  if (typeof sync !== 'object' || sync === null || !('register' in sync)) return
  const { register } = sync
  if (typeof register === 'function')
    await Promise.resolve(register.call(sync, 'beckon')).catch(() => undefined)
}
