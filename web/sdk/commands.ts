import { within } from '../shared/database.ts'
import { fact, setFact } from '../shared/facts.ts'
import { pause } from '../shared/pause.ts'
import { flushReceipts } from '../shared/receipts.ts'
import type { InitOptions, PromptOptions } from './beckon.d.ts'
import { DROPPED, isStarted, logEvent, prepare, STORED, start, stop, tell } from './client.ts'
import { forgetSession } from './page.ts'
import { refreshPush, subscribePush, unsubscribePush } from './push.ts'
import { startTracking } from './tracker.ts'

/** Where this script came from, which is where Beckon is. */
let home = ''
let begun: Promise<unknown> | undefined
let decide: (decision: 'granted' | 'denied') => void = () => undefined

export function setHome(url: string): void {
  home = new URL(url).origin
}

/** Every word `beckon` understands. */
const COMMANDS: Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>> = {
  init,
  event: async (name, attributes, ltv) => logEvent(name, attributes, ltv),
  user: async (user, attributes = {}) => tell({ do: 'user', ...objectOf(user), user_attributes: attributes }),
  tag: async (tags) => tell({ do: 'user', tags }),
  subscribe: async (given) => subscribePush(promptOf(objectOf(given)['prompt'])),
  unsubscribe: unsubscribePush,
  consent,
  logout: async () => {
    await forgetSession()
    return tell({ do: 'logout' })
  },
  optOut,
  optIn: async () => {
    await setFact('isOptedOut', undefined)
    return STORED
  },
}

/** What pages know as `beckon`: a command and what belongs to it. */
export async function run(...[command, ...args]: readonly unknown[]): Promise<unknown> {
  const work = COMMANDS[String(command)]
  if (work === undefined) throw new Error(`beckon: there is no command ${String(command)}`)
  return work(...args)
}

/** A second one on the same page changes nothing. */
async function init(given: unknown): Promise<unknown> {
  if (!isInit(given)) throw new Error('beckon: init needs the publishable key of the brand')
  begun ??= begin(given)
  return begun
}

async function begin(given: InitOptions): Promise<unknown> {
  await shown()
  prepare(given)
  // What happens while the reader is asked is held like what the site tells.
  const tracking = startTracking()
  const consented = await consentOf(given)
  const isWanted = consented === 'granted' && (await fact('isOptedOut')) !== true
  await start(given.api ?? home, isWanted)
  if (!isWanted) return DROPPED
  void flushReceipts()
  void refreshPush()
  return tracking
}

/** A page that the browser loads ahead of time is not seen by anybody yet. */
async function shown(): Promise<void> {
  if (Reflect.get(document, 'prerendering') !== true) return
  await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }))
}

/** What was decided once holds until it is decided anew; a site that asks on every page need not ask again. */
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

/** The browser forgets all that waits, gives up its subscription, and tells nothing more until optIn. */
async function optOut(): Promise<unknown> {
  // Whether the server hears of it or not, the push service will tell it that the subscription is gone.
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
  return typeof given === 'object' && given !== null ? { ...given } : {}
}
