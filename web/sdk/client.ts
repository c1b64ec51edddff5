import { SYSTEM_EVENTS, type SystemEvent, type TrackSwitch } from '../../src/rules/system-events.ts'
import { systemEntry } from '../shared/event.ts'
import { setFact } from '../shared/facts.ts'
import type { Entry } from '../shared/outbox.ts'
import { isObject } from '../shared/post.ts'
import type { Row } from '../shared/row.ts'
import type { InitOptions, Stored } from './beckon.d.ts'
import { type Arrival, arrivalOf, contextOf, type PageFacts } from './context.ts'
import { forget, keep, startCourier, take, watchLeaving } from './courier.ts'
import { pageFacts, touchSession } from './page.ts'

/** One page has one client. `off`: by consent, or because the reader opted out; nothing is kept or sent then. */
let options: InitOptions = { key: '' }
let isOff = false
let isPrivate = false
let hasBegun = false
let held = 0
/** How the reader came, once this page knows it. */
let arrival: Arrival | undefined
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

/** What the site wants is known, what the reader wants may not be: from here on the page can be left. */
export function prepare(given: InitOptions): void {
  options = given
  isPrivate = given.gpc !== 'ignore' && Reflect.get(navigator, 'globalPrivacyControl') === true
  if (given.consent === 'denied') stop()
  watchLeaving(() => (given.consent === 'pending' && !hasBegun ? sessionStorage : localStorage))
}

/** Lets the commands that waited go on; from now on the answer to consent and opt-out is known. */
export async function start(api: string, isWanted: boolean): Promise<void> {
  if (isWanted) {
    await setFact('site', { api, key: options.key, tracksPush: isOn('push') })
    await startCourier()
  } else stop()
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
  const entry = { id: crypto.randomUUID(), at: Date.now(), command: copyOf(command) }
  return inTurn({ id: entry.id, hurried: () => entry, calm: async () => entry, delayMs: 0 })
}

/** An event of the site's own; when and where it was counts from the moment of the call. */
export async function logEvent(
  name: unknown,
  attributes: unknown = {},
  ltv?: unknown,
  { at, page }: Moment = { at: Date.now(), page: pageFacts() },
): Promise<Stored> {
  const id = crypto.randomUUID()
  const told = copyOf({ do: 'event', event_name: name, attributes, ltv, event_id: id })
  const entry = (context: object): Entry => ({ id, at, command: { ...told, context } })
  return inTurn({
    id,
    hurried: () => entry(contextNow(scrubbed(page))),
    calm: async () => entry(await arrive(scrubbed(page), at)),
    delayMs: EVENT_DELAY_MS,
  })
}

export type Moment = { readonly at: number; readonly page: PageFacts }

/**
 * A system event, worth nothing; the caller has looked whether it is wanted. Nobody has to listen: the site did not
 * ask for it, so a refusal is no error of its own. Not `async`, which would give a promise that nobody listens to.
 */
export function happen(event: SystemEvent, attributes: Row = {}): Promise<Stored> {
  const told = logEvent(SYSTEM_EVENTS[event], attributes, '0')
  told.catch(() => undefined)
  return told
}

/** An entry in the making: as far as it is known when the page is left at once, and whole when there is time. */
type Telling = {
  readonly id: string
  readonly hurried: () => Entry
  readonly calm: () => Promise<Entry>
  readonly delayMs: number
}

async function inTurn({ id, hurried, calm, delayMs }: Telling): Promise<Stored> {
  if (isOff || (!hasBegun && ++held > HELD_MAX)) return DROPPED
  const committed = take(id, hurried)
  const mine = turn.then(async () => (isOff ? undefined : keep(await calm(), delayMs)))
  turn = mine.catch(() => undefined)
  await mine
  await committed
  return isOff ? DROPPED : STORED
}

/** As it is sent, at the moment of the call: a site may go on with its object, and what cannot be sent is refused. */
function copyOf(told: Row): Row {
  const copy: unknown = JSON.parse(JSON.stringify(told))
  return isObject(copy) ? copy : {}
}

function scrubbed(page: PageFacts): PageFacts {
  const { scrub = (url: string) => url } = options
  return { ...page, url: scrub(page.url), referrer: page.referrer === '' ? '' : scrub(page.referrer) }
}

function contextNow(page: PageFacts): object {
  return contextOf(page, arrival ?? arrivalOf(page), isPrivate)
}

/** Whatever somebody does is a sign of life: it goes on with the session, or begins one. */
async function arrive(page: PageFacts, at: number): Promise<object> {
  const { session, ended } = await touchSession({ page, now: at, newId: crypto.randomUUID() })
  ;({ arrival } = session)
  const context = contextNow(page)
  if (ended === undefined || !isOn('sessions')) return context
  if (ended === null) await note(systemEntry({ event: 'firstVisit', attributes: {}, at }, context))
  else if (ended.id !== '') {
    const seconds = Math.round((ended.lastAt - ended.startedAt) / 1000)
    const attributes = { session_id: ended.id, duration_seconds: seconds }
    const happening = { event: 'sessionEnd', attributes, at: ended.lastAt, id: `end-${ended.id}` } as const
    await note(systemEntry(happening))
  }
  await note(systemEntry({ event: 'sessionStart', attributes: { session_id: session.id }, at }, context))
  return context
}

async function note(entry: Entry): Promise<void> {
  void take(entry.id, () => entry)
  await keep(entry, EVENT_DELAY_MS)
}
