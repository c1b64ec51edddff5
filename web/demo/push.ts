import { beckon } from './beckon.ts'
import { logStep } from './log.ts'

/** A browser that cannot reach its push service may never answer. */
const PATIENCE_MS = 10_000

/** Explains the result of `subscribe` in words. */
const MEANING: Readonly<Record<string, string>> = {
  subscribed: 'subscribed: this browser is now a subscription of the brand, and can be sent to',
  declined: 'not now. Without days: 0 the shop could not ask again for two weeks',
  denied: 'the browser was told no',
  blocked: 'the browser blocks notifications of this site; its settings can change that',
  unsupported: 'this browser knows no web push here; it needs https or localhost',
  dropped: 'not wanted, by consent or by optOut',
}

/** Subscribes and logs the result. Returns whether the browser is subscribed. */
export async function subscribe(): Promise<boolean> {
  const subscribing = beckon('subscribe', { prompt: { ...PROMPT, theme: THEME } })
  const outcome = Promise.race([subscribing, tooLate()]).catch((error: unknown) => {
    // Browsers throw a DOMException when their push service cannot be reached.
    throw error instanceof DOMException ? new Error(NO_SERVICE, { cause: error }) : error
  })
  const step = {
    what: 'Somebody wants news. The shop asks first, in its own colours, then the browser does.',
    code: `await beckon('subscribe', { prompt: {\n  title: '${PROMPT.title}',\n  days: ${PROMPT.days}, theme,\n} })`,
    outcome: outcome.then(({ state }) => MEANING[state] ?? state),
  }
  await logStep(step)
  return outcome.then(
    ({ state }) => state === 'subscribed',
    () => false,
  )
}

/** Rejects if the subscription takes too long after the visitor's yes; the decision itself may take any time. */
async function tooLate(): Promise<never> {
  const permission = await navigator.permissions.query({ name: 'notifications' })
  while (permission.state !== 'granted') {
    await new Promise((resolve) => permission.addEventListener('change', resolve, { once: true }))
  }
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  throw new Error(NO_SERVICE)
}

/** Whether this browser is already subscribed. */
export async function isSubscribed(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false
  const registration = await navigator.serviceWorker.getRegistration(WORKER)
  const subscription = await registration?.pushManager.getSubscription()
  return subscription !== null && subscription !== undefined
}

/** The path of the demo's service worker; its scope is only a part of the site. */
export const WORKER = '/demo/sw.js'

/** `days: 0`: a visitor who clicks may be asked again right after a no. */
const PROMPT = { title: 'News about teas?', days: 0 } as const
const THEME = {
  background: 'var(--raised)',
  color: 'var(--ink)',
  accent: 'var(--accent)',
  'accent-color': 'var(--on-accent)',
} as const

const NO_SERVICE =
  'This browser cannot reach the push service of its maker, which needs the internet. With it, Beckon would now store ' +
  'the subscription. “Send one now” sends to the demo phone of the sandbox instead.'
