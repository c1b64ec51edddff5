import { beckon } from './beckon.ts'
import { logStep } from './log.ts'

/** A browser that cannot reach its push service may keep us waiting for ever. */
const PATIENCE_MS = 10_000

/** What a subscription's outcome means to somebody who reads this page. */
const MEANING: Readonly<Record<string, string>> = {
  subscribed: 'subscribed: this browser is now a subscription of the brand, and can be sent to',
  declined: 'not now: the shop asks again in two weeks at the earliest',
  not_now: 'not asked: somebody said no to this question lately',
  denied: 'the browser was told no',
  blocked: 'the browser blocks notifications of this site; its settings can change that',
  unsupported: 'this browser knows no web push here; it needs https or localhost',
  dropped: 'not wanted, by consent or by optOut',
}

/** Subscribes, and says in words what came of it. Gives whether pushes will come. */
export async function subscribe(): Promise<boolean> {
  const subscribing = beckon('subscribe', { prompt: 'soft' })
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error(NO_SERVICE)), PATIENCE_MS))
  const outcome = Promise.race([subscribing, late]).catch((error: unknown) => {
    // Browsers name it so when their push service is out of reach.
    throw error instanceof DOMException ? new Error(NO_SERVICE, { cause: error }) : error
  })
  const step = {
    what: 'Somebody wants news. The shop asks first, then the browser does.',
    code: "await beckon('subscribe', { prompt: 'soft' })",
    outcome: outcome.then(({ state }) => MEANING[state] ?? state),
  }
  await logStep(step)
  return outcome.then(
    ({ state }) => state === 'subscribed',
    () => false,
  )
}

const NO_SERVICE =
  'This browser cannot reach the push service of its maker, which needs the internet. With it, Beckon would now store ' +
  'the subscription. “Send one now” sends to the demo phone of the sandbox instead.'
