import type { SystemEvent, TrackSwitch } from '../../src/rules/system-events.ts'
import { systemEntry } from '../shared/event.ts'
import { setFact } from '../shared/facts.ts'
import type { Entry } from '../shared/outbox.ts'
import { isObject } from '../shared/post.ts'
import type { Row } from '../shared/row.ts'
import type { InitOptions, Stored } from './beckon.d.ts'
import { type Arrival, arrivalOf, contextOf, type PageFacts } from './context.ts'
import { pageFacts, touchSession } from './page.ts'
import { awaitCommit, discardAll, persist, startSending, watchPageHide } from './sender.ts'

/** A page has one client. While `isOff` (no consent, or an opt-out), nothing is stored or sent. */
let options: InitOptions = { key: '' }
let isOff = false
let isPrivate = false
let hasBegun = false
let pendingCount = 0
/** How the visitor came to the site, once this page knows it. */
let arrival: Arrival | undefined
let begin: (value?: unknown) => void = () => undefined
const begun = new Promise((resolve) => {
  begin = resolve
})
/** Every command waits for the command before it, and the first one for `init` and consent. */
let turn: Promise<unknown> = begun

/** While consent is pending, the page keeps at most this many commands in memory. */
const PENDING_MAX = 500
const EVENT_DELAY_MS = 200

export const STORED: Stored = { state: 'stored' }
export const DROPPED: Stored = { state: 'dropped' }

export function settings(): InitOptions {
  return options
}

/** Applies the site's options. Consent may still be pending; commands survive a page change from here on. */
export function prepare(given: InitOptions): void {
  options = given
  isPrivate = given.gpc !== 'ignore' && Reflect.get(navigator, 'globalPrivacyControl') === true
  if (given.consent === 'denied') stop()
  watchPageHide(() => (given.consent === 'pending' && !hasBegun ? sessionStorage : localStorage))
}

/** Starts the waiting commands, now that consent and opt-out are known. */
export async function start(api: string, isWanted: boolean): Promise<void> {
  if (isWanted) {
    await setFact('site', { api, key: options.key, tracksPush: isOn('push') })
    await startSending()
  } else stop()
  hasBegun = true
  begin()
}

/** Waits for `init` and consent; false if nothing may be sent. */
export async function ready(): Promise<boolean> {
  await begun
  return !isOff
}

/** Whether consent is known, so that a subscription may exist. */
export function isStarted(): boolean {
  return hasBegun
}

export function stop(): void {
  isOff = true
  discardAll()
}

/** Whether a part of automatic tracking is allowed, by the site and by the visitor. */
export function isOn(part: TrackSwitch): boolean {
  const { track: switches = true } = options
  if (isOff || isPrivate) return false
  return typeof switches === 'boolean' ? switches : switches[part] !== false
}

/** Queues a command of the site, in the order of the calls. Resolves when the server has committed. */
export async function enqueue(command: Row): Promise<Stored> {
  const entry = { id: crypto.randomUUID(), at: Date.now(), command: copyOf(command) }
  return inTurn({ id: entry.id, hurried: () => entry, calm: async () => entry, delayMs: 0 })
}

/** Queues an event of the site. Its time and page are those of the call. */
export async function logEvent(
  name: unknown,
  attributes: unknown = {},
  ltv?: unknown,
  { at, page }: Moment = { at: Date.now(), page: pageFacts() },
): Promise<Stored> {
  const id = crypto.randomUUID()
  const command = copyOf({ do: 'event', event_name: name, attributes, ltv, event_id: id })
  const entry = (context: object): Entry => ({ id, at, command: { ...command, context } })
  return inTurn({
    id,
    hurried: () => entry(contextNow(scrubbed(page))),
    calm: async () => entry(await arrive(scrubbed(page), at)),
    delayMs: EVENT_DELAY_MS,
  })
}

export type Moment = { readonly at: number; readonly page: PageFacts }

/**
 * Queues a system event, with ltv 0; the caller has checked its switch. The site did not ask for the event, so a refusal
 * must not become an unhandled rejection. Not `async`, because that would make a second promise without a handler.
 */
export function track(event: SystemEvent, attributes: Row = {}): Promise<Stored> {
  const stored = logEvent(event, attributes, '0')
  stored.catch(() => undefined)
  return stored
}

/** An entry in two forms: `hurried` for a page that closes at once, `calm` with the session. */
type Queued = {
  readonly id: string
  readonly hurried: () => Entry
  readonly calm: () => Promise<Entry>
  readonly delayMs: number
}

async function inTurn({ id, hurried, calm, delayMs }: Queued): Promise<Stored> {
  if (isOff || (!hasBegun && ++pendingCount > PENDING_MAX)) return DROPPED
  const committed = awaitCommit(id, hurried)
  const mine = turn.then(async () => (isOff ? undefined : persist(await calm(), delayMs)))
  turn = mine.catch(() => undefined)
  await mine
  await committed
  return isOff ? DROPPED : STORED
}

/** Copies a command at the moment of the call, because the site may change its object; refuses what JSON cannot hold. */
function copyOf(command: Row): Row {
  const copy: unknown = JSON.parse(JSON.stringify(command))
  return isObject(copy) ? copy : {}
}

function scrubbed(page: PageFacts): PageFacts {
  const { scrub = (url: string) => url } = options
  return { ...page, url: scrub(page.url), referrer: page.referrer === '' ? '' : scrub(page.referrer) }
}

function contextNow(page: PageFacts): object {
  return contextOf(page, arrival ?? arrivalOf(page), isPrivate)
}

/** Every event continues the session, or begins a new one. */
async function arrive(page: PageFacts, at: number): Promise<object> {
  const { session, ended } = await touchSession({ page, now: at, newId: crypto.randomUUID() })
  ;({ arrival } = session)
  const context = contextNow(page)
  if (ended === undefined || !isOn('sessions')) return context
  if (ended === null) await note(systemEntry({ event: 'first_visit', attributes: {}, at }, context))
  else if (ended.id !== '') {
    const seconds = Math.round((ended.lastAt - ended.startedAt) / 1000)
    const attributes = { session_id: ended.id, duration_seconds: seconds }
    const end = { event: 'session_ended', attributes, at: ended.lastAt, id: `end-${ended.id}` } as const
    await note(systemEntry(end))
  }
  await note(systemEntry({ event: 'session_started', attributes: { session_id: session.id }, at }, context))
  return context
}

async function note(entry: Entry): Promise<void> {
  void awaitCommit(entry.id, () => entry)
  await persist(entry, EVENT_DELAY_MS)
}
