import { within } from '../shared/database.ts'
import { fact, setFact } from '../shared/facts.ts'
import { pause } from '../shared/pause.ts'
import { isObject } from '../shared/post.ts'
import { flushReceipts } from '../shared/receipts.ts'
import type { InitOptions, PromptOptions } from './beckon.d.ts'
import { DROPPED, enqueue, isStarted, logEvent, prepare, STORED, start, stop } from './client.ts'
import { forgetSession } from './page.ts'
import type * as PreferenceScript from './preferences.ts'
import { refreshPush, subscribePush, unsubscribePush } from './push.ts'
import { startTracking } from './tracker.ts'

/** The origin of this script, which is the address of Beckon. */
let home = ''
let begun: Promise<unknown> | undefined
let decide: (decision: 'granted' | 'denied') => void = () => undefined

export function setHome(url: string): void {
  home = new URL(url).origin
}

/** Every command of `beckon`. */
const COMMANDS: Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>> = {
  init,
  event: async (name, attributes, ltv) => logEvent(name, attributes, ltv),
  user: async (user, attributes = {}) =>
    enqueue({ do: 'user', ...objectOf(user), user_attributes: attributes }),
  tag: async (tags) => enqueue({ do: 'user', tags }),
  preferences,
  subscribe: async (given) => subscribePush(promptOf(objectOf(given)['prompt'])),
  unsubscribe: unsubscribePush,
  consent,
  logout: async () => {
    await forgetSession()
    return enqueue({ do: 'logout' })
  },
  optOut,
  optIn: async () => {
    await setFact('isOptedOut', undefined)
    return STORED
  },
}

/** Waits until everything before it is committed, such as a login: the preferences are those of the person by then. */
async function preferences(given: unknown): Promise<unknown> {
  const { state } = await enqueue({ do: 'user' })
  if (state === 'dropped') return DROPPED
  const script: typeof PreferenceScript = await import(`${home}/preferences.mjs`)
  return script.preferences(objectOf(given)['opt_outs'])
}

/** The function that pages know as `beckon`: a command and its arguments. */
export async function run(...[command, ...args]: readonly unknown[]): Promise<unknown> {
  const work = COMMANDS[String(command)]
  if (work === undefined) throw new Error(`beckon: there is no command ${String(command)}`)
  return work(...args)
}

/** A second `init` on the same page changes nothing. */
async function init(given: unknown): Promise<unknown> {
  if (!isInit(given)) throw new Error('beckon: init needs the publishable key of the brand')
  begun ??= begin(given)
  return begun
}

async function begin(given: InitOptions): Promise<unknown> {
  await shown()
  prepare(given)
  // Events that happen while consent is pending wait like the commands of the site.
  const tracking = startTracking()
  const consented = await consentOf(given)
  const isWanted = consented === 'granted' && (await fact('isOptedOut')) !== true
  await start(given.api ?? home, isWanted)
  if (!isWanted) return DROPPED
  void flushReceipts()
  void refreshPush()
  return tracking
}

/** A page that the browser prerenders is not shown to the visitor yet. */
async function shown(): Promise<void> {
  if (Reflect.get(document, 'prerendering') !== true) return
  await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }))
}

/** A stored decision counts until the visitor decides again. */
async function consentOf({ consent: given = 'granted' }: InitOptions): Promise<string> {
  if (given !== 'pending') return given
  const decision = new Promise<'granted' | 'denied'>((resolve) => {
    decide = resolve
  })
  return (await fact('consent')) ?? decision
}

async function consent(decision: unknown): Promise<unknown> {
  if (decision !== 'granted' && decision !== 'denied') throw new Error('beckon: consent is granted or denied')
  await setFact('consent', decision)
  decide(decision)
  if (decision === 'denied') await stopAll()
  return STORED
}

/** Discards all unsent commands, gives up the push subscription, and sends nothing until optIn. */
async function optOut(): Promise<unknown> {
  // If the server cannot be reached, it learns from the push service that the subscription is gone.
  if (isStarted()) await Promise.race([unsubscribePush().catch(() => undefined), pause(GIVE_UP_MS)])
  await stopAll()
  await setFact('isOptedOut', true)
  return STORED
}

const GIVE_UP_MS = 3_000

async function stopAll(): Promise<void> {
  stop()
  await within('outbox', (store) => store.clear())
}

function isInit(given: unknown): given is InitOptions {
  return typeof objectOf(given)['key'] === 'string'
}

function promptOf(given: unknown): PromptOptions {
  if (given === 'native' || given === 'soft') return { kind: given }
  return objectOf(given)
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  return isObject(given) ? given : {}
}
