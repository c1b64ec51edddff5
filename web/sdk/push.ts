import { fact, setFact } from '../shared/facts.ts'
import { openVisitor } from '../shared/outbox.ts'
import { pause } from '../shared/pause.ts'
import { isSameKey } from '../shared/push-key.ts'
import { inTurn } from '../shared/push-turn.ts'
import type { Row } from '../shared/row.ts'
import type { PromptOptions, Subscribed } from './beckon.d.ts'
import { browserName } from './browser.ts'
import { DROPPED, enqueue, isOn, ready, STORED, settings, track } from './client.ts'
import { askSoftly } from './prompt.ts'
import { mayAsk } from './prompt-rules.ts'

const DAY_MS = 86_400_000
const LOOK_MS = 50
/** A browser that cannot reach its push service may never answer, and a visitor waits. */
const PATIENCE_MS = 30_000

/** Asks the visitor, as the site wants it, and registers the browser's push subscription with the server. */
export async function subscribePush(prompt: PromptOptions): Promise<Subscribed> {
  if (!(await ready())) return { state: 'dropped' }
  if (!isSupported()) return { state: 'unsupported' }
  const state = Notification.permission === 'default' ? await ask(prompt) : Notification.permission
  if (state === 'granted') return { state: await register() }
  if (state === 'denied') note('push_prompt_blocked')
  return { state: state === 'denied' ? 'blocked' : state }
}

/** On every page: renews a push subscription that was lost, replaced or made with another key. */
export async function refreshPush(): Promise<void> {
  if (!isSupported() || Notification.permission !== 'granted') return
  if ((await fact('endpoint')) === undefined) return
  const { askedAt = 0 } = (await fact('pushKey')) ?? {}
  if (Date.now() - askedAt > DAY_MS) await openVisitor()
  await register(true).catch(() => undefined)
}

export async function unsubscribePush(): Promise<unknown> {
  if (!(await ready())) return DROPPED
  const [stored] = await inTurn(async () => {
    const registration = isSupported()
      ? await navigator.serviceWorker.getRegistration(workerPath())
      : undefined
    const subscription = await registration?.pushManager.getSubscription()
    const endpoint = subscription?.endpoint ?? (await fact('endpoint'))
    await subscription?.unsubscribe()
    await setFact('endpoint', undefined)
    if (endpoint === undefined) return []
    note('push_unregistered')
    return [enqueue({ do: 'unsubscribe', endpoint })]
  })
  return stored ?? STORED
}

function isSupported(): boolean {
  return settings().worker !== false && 'serviceWorker' in navigator && 'PushManager' in globalThis
}

function workerPath(): string {
  const { worker } = settings()
  return typeof worker === 'string' ? worker : '/sw.js'
}

function note(event: Parameters<typeof track>[0], attributes: Row = {}): void {
  if (isOn('push')) void track(event, attributes)
}

type Asked = 'granted' | 'denied' | 'declined' | 'not_now'

async function ask(prompt: PromptOptions): Promise<Asked> {
  const { kind = 'soft', delayMs = 0 } = prompt
  if (delayMs > 0) await pause(delayMs)
  if (kind === 'soft') {
    const moment = { path: location.pathname, declinedAt: await fact('promptDeclinedAt'), now: Date.now() }
    if (!mayAsk(prompt, moment)) return 'not_now'
    note('push_prompt_shown', { prompt: kind })
    if (!(await askSoftly(prompt))) {
      note('push_prompt_denied', { prompt: kind })
      await setFact('promptDeclinedAt', Date.now())
      return 'declined'
    }
    note('push_prompt_accepted', { prompt: kind })
  }
  note('push_prompt_shown', { prompt: 'native' })
  const permission = await Notification.requestPermission()
  note(permission === 'granted' ? 'push_prompt_accepted' : 'push_prompt_denied', { prompt: 'native' })
  return permission === 'default' ? 'declined' : permission
}

/** `isQuiet`: no visitor asked, so only a change is sent, or the same subscription after a day. */
async function register(isQuiet = false): Promise<'subscribed'> {
  const registration = await navigator.serviceWorker.register(workerPath())
  // A browser can subscribe only when its service worker is active.
  while (registration.active === null && (registration.installing ?? registration.waiting) !== null)
    await pause(LOOK_MS)
  const key = (await fact('pushKey'))?.value ?? (await askPushKey())
  const [stored] = await inTurn(async () => {
    const previous = await fact('endpoint')
    // The visitor may have opted out in the meantime.
    if (isQuiet && previous === undefined) return []
    const old = await registration.pushManager.getSubscription()
    if (old !== null && !isSameKey(old.options.applicationServerKey, key)) await old.unsubscribe()
    const subscription = await Promise.race([
      registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }),
      pause(PATIENCE_MS).then(() => fail('the push service does not answer')),
    ])
    const { endpoint } = subscription
    const isKnown = endpoint === previous && Date.now() - ((await fact('endpointSentAt')) ?? 0) < DAY_MS
    if (isQuiet && isKnown) return []
    await setFact('endpoint', endpoint)
    if (endpoint !== previous) note('push_registered')
    const command = {
      do: 'subscribe',
      subscription: subscription.toJSON(),
      previous: endpoint === previous ? undefined : previous,
      language: navigator.language,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      browser: browserName(navigator.userAgent),
    }
    return [enqueue(command)]
  })
  if (stored !== undefined) {
    await stored
    await setFact('endpointSentAt', Date.now())
  }
  return 'subscribed'
}

async function askPushKey(): Promise<string> {
  const { push_key: key, message = 'no server' } = await openVisitor()
  return typeof key === 'string' ? key : fail(message)
}

function fail(reason: unknown): never {
  throw new Error(`beckon: ${String(reason)}`)
}
