import type { SystemEvent, TrackSwitch } from '../../src/rules/system-events.ts'
import { systemEntry } from '../shared/event.ts'
import { setFact } from '../shared/facts.ts'
import type { Row } from '../shared/row.ts'
import type { InitOptions, Stored } from './beckon.d.ts'
import { contextOf, type PageFacts } from './context.ts'
import { forget, send, startCourier } from './courier.ts'
import { pageFacts, touchSession } from './page.ts'

/** One page has one client. `off`: by consent, or because the reader opted out; nothing is kept or sent then. */
let options: InitOptions = { key: '' }
let isOff = false
let isPrivate = false
let hasBegun = false
let held = 0
let begin: (value?: unknown) => void = () => undefined
const begun = new Promise((resolve) => {
  begin = resolve
})
/** Everything that is told waits for what was told before it, and the first for `init` and consent. */
let turn: Promise<unknown> = begun

/** Somebody who is asked for consent may take their time, but not all of our memory. */
const HELD_MAX = 500
const EVENT_DELAY_MS = 200

export const STORED: Stored = { state: 'stored' }
export const DROPPED: Stored = { state: 'dropped' }

export function settings(): InitOptions {
  return options
}

/** Lets the commands that waited go on; from now on the answer to consent and opt-out is known. */
export async function start(given: InitOptions, api: string, isWanted: boolean): Promise<void> {
  options = given
  isPrivate = given.gpc !== 'ignore' && Reflect.get(navigator, 'globalPrivacyControl') === true
  isOff = !isWanted
  if (isWanted) {
    await setFact('site', { api, key: given.key, tracksPush: isOn('push') })
    startCourier()
  }
  hasBegun = true
  begin()
}

/** Waits for `init` and consent; false when nothing may be told. */
export async function ready(): Promise<boolean> {
  await begun
  return !isOff
}

/** Whether consent is settled, and there is something to stop. */
export function isStarted(): boolean {
  return hasBegun
}

export function stop(): void {
  isOff = true
  forget()
}

/** Whether a part of automatic tracking is wanted, by the site and by the reader. */
export function isOn(part: TrackSwitch): boolean {
  const { track = true } = options
  if (isOff || isPrivate) return false
  return typeof track === 'boolean' ? track : track[part] !== false
}

/** Something the site tells: it is kept in the order of the calls, and resolves when the server has committed. */
export async function tell(command: Row): Promise<Stored> {
  const entry = { id: crypto.randomUUID(), at: Date.now(), command }
  return inTurn(async () => send(entry, 0))
}

/** An event of the site's own; where the page is counts from the moment of the call. */
export async function logEvent(name: unknown, attributes: unknown = {}, ltv?: unknown): Promise<Stored> {
  const id = crypto.randomUUID()
  const at = Date.now()
  const page = pageFacts()
  return inTurn(async () => {
    const context = await arrive(page, at)
    const command = { do: 'event', event_name: name, attributes, ltv, event_id: id, context }
    return send({ id, at, command }, EVENT_DELAY_MS)
  })
}

/** A system event; the caller has looked whether it is wanted. */
export async function happen(event: SystemEvent, attributes: Row = {}): Promise<Stored> {
  const at = Date.now()
  const page = pageFacts()
  return inTurn(async () => {
    const context = await arrive(page, at)
    return send(systemEntry({ event, attributes, at }, context), EVENT_DELAY_MS)
  })
}

type Kept = { readonly committed: Promise<unknown> }

async function inTurn(work: () => Promise<Kept>): Promise<Stored> {
  if (!hasBegun && ++held > HELD_MAX) return DROPPED
  const mine = turn.then(async () => (isOff ? null : work()))
  turn = mine.catch(() => undefined)
  const kept = await mine
  await kept?.committed
  return kept === null ? DROPPED : STORED
}

/** Whatever somebody does is a sign of life: it goes on with the session, or begins one. */
async function arrive(raw: PageFacts, at: number): Promise<object> {
  const { scrub = (url: string) => url } = options
  const page = { ...raw, url: scrub(raw.url), referrer: raw.referrer === '' ? '' : scrub(raw.referrer) }
  const { session, ended } = await touchSession({ page, now: at, newId: crypto.randomUUID() })
  const context = contextOf(page, session.arrival, isPrivate)
  if (ended === undefined || !isOn('sessions')) return context
  if (ended === null) await note('firstVisit', {})
  else if (ended.id !== '') {
    const seconds = Math.round((ended.lastAt - ended.startedAt) / 1000)
    const attributes = { session_id: ended.id, duration_seconds: seconds }
    const happening = { event: 'sessionEnd', attributes, at: ended.lastAt, id: `end-${ended.id}` } as const
    await send(systemEntry(happening), EVENT_DELAY_MS)
  }
  await note('sessionStart', { session_id: session.id })
  return context

  async function note(event: SystemEvent, attributes: Row): Promise<void> {
    await send(systemEntry({ event, attributes, at }, context), EVENT_DELAY_MS)
  }
}
