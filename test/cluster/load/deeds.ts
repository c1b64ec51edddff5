import type { Client } from '../../../web/client/client.ts'
import { fieldsOf } from '../fields.ts'
import { deviceOf, eventOf, notificationIn, processedIn, pushOf, random, textOf } from './bodies.ts'
import type { LabClient, LabReply } from './client.ts'
import type { Ledger } from './ledger.ts'
import { logByLibrary, sendByLibrary } from './library.ts'
import { logAndAsk } from './questions.ts'
import { JOURNEY_EVENT, SUBSCRIPTIONS, type World } from './world.ts'

export type DeedContext = {
  readonly client: LabClient
  readonly library: Client
  readonly world: World
  readonly ledger: Ledger
  /** The beginning of all marks. */
  readonly round: string
  readonly signal: AbortSignal
  /** A name that nothing else in this run has. */
  readonly newMark: () => string
}

type Deed = {
  readonly name: string
  /** Clients that do this one after the other. */
  readonly clients: number
  /** The pause after each. Pushes have a limit of 500 a minute for each endpoint. */
  readonly pauseMs: number
  readonly run: (context: DeedContext) => Promise<void>
}

const EVENTS_PER_CALL = 25
const ROWS_PER_IMPORT = 20
/** The event of people who will be erased, who have one each. */
export const ERASED_EVENT = 'left'
const PLANNED_SECONDS = 3_600
/** A fault may last that long, and the call is repeated meanwhile. */
const ERASE_MAX_MS = 180_000

/** The mixed load, as rows. */
export const DEEDS: readonly Deed[] = [
  { name: 'events with ids', clients: 3, pauseMs: 5, run: logWithIds },
  { name: 'events under a key', clients: 1, pauseMs: 60, run: logUnderKey },
  { name: 'events without id or key', clients: 1, pauseMs: 60, run: logPlainly },
  { name: 'sends with a key', clients: 1, pauseMs: 200, run: sendWithKey },
  { name: 'sends without a key', clients: 1, pauseMs: 200, run: sendPlainly },
  { name: 'broadcasts', clients: 1, pauseMs: 1_500, run: broadcast },
  { name: 'schedules', clients: 1, pauseMs: 400, run: schedule },
  { name: 'journeys', clients: 1, pauseMs: 300, run: enterJourney },
  { name: 'imports', clients: 1, pauseMs: 700, run: importDevices },
  { name: 'merges', clients: 1, pauseMs: 150, run: merge },
  { name: 'erasures', clients: 1, pauseMs: 400, run: erase },
  { name: 'events by the client library', clients: 1, pauseMs: 100, run: logByLibrary },
  { name: 'sends by the client library', clients: 1, pauseMs: 700, run: sendByLibrary },
  { name: 'questions that a standby may answer', clients: 1, pauseMs: 300, run: logAndAsk },
]

async function logWithIds({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const marks = Array.from({ length: EVENTS_PER_CALL }, newMark)
  const nv = marks.map((mark) => ({ ...eventOf(world, mark), event_id: mark }))
  const reply = await client.insist({ path: '/api/event', body: { nv } }, signal)
  if (processedIn(reply) === marks.length) ledger.events.push(...marks)
}

async function logUnderKey({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const mark = newMark()
  const call = { path: '/api/event', body: { nv: [eventOf(world, mark)] }, key: mark }
  if (processedIn(await client.insist(call, signal)) === 1) ledger.events.push(mark)
}

/** Said once: a call that fails may have been stored, and only what was acknowledged is counted. */
async function logPlainly({ client, world, ledger, newMark }: DeedContext): Promise<void> {
  const mark = newMark()
  const reply = await client.try({ path: '/api/event', body: { nv: [eventOf(world, mark)] } })
  if (processedIn(reply) === 1) ledger.events.push(mark)
}

/** Somebody who has a profile gives the address of somebody else: two profiles turn out to be one person. */
async function merge({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const marks = [newMark(), newMark()]
  const email = `mail-${random(world.people.length)}@x.example`
  const userId = `mail-${marks[0]}`
  for (const [place, mark] of marks.entries()) {
    const event = { userID: userId, event_name: 'seen', attributes: { mark }, event_id: mark }
    const entry = place === 0 ? event : { ...event, email }
    if (processedIn(await client.insist({ path: '/api/event', body: { nv: [entry] } }, signal)) !== 1) return
    ledger.events.push(mark)
  }
  ledger.merged.push({ userId, email, marks })
}

/**
 * Erases somebody who has an event, a device and a planned notification; in a round of the upgrade only an event, because the old
 * version cannot erase a device. An erasure that was begun is finished after the end of the load too: the notification must not stay planned.
 */
async function erase({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const mark = newMark()
  const event = { userID: mark, event_name: ERASED_EVENT, attributes: { mark }, event_id: mark }
  if (processedIn(await client.insist({ path: '/api/event', body: { nv: [event] } }, signal)) !== 1) return
  if (!world.isOldVersion) await planForDevice({ client, world, signal, mark })
  const call = { path: '/api/v1/user/delete', body: { nv: [{ userID: mark }] } }
  const reply = await client.insist(call, AbortSignal.timeout(ERASE_MAX_MS))
  // A 404 is the echo of an erasure whose reply was lost.
  if (reply?.status !== 200 && reply?.status !== 404) return
  ledger.erased.push(mark)
  ledger.gone.push(mark)
}

type Planned = Pick<DeedContext, 'client' | 'world' | 'signal'> & { readonly mark: string }

async function planForDevice({ client, world, signal, mark }: Planned): Promise<void> {
  const name = deviceOf(mark)
  const device = { platform: 'android', token: world.newToken(), user_id: mark, subscription_id: name }
  await client.insist({ path: SUBSCRIPTIONS, body: device, key: name }, signal)
  const body = { user_id: mark, title: 'Hello', message: textOf(mark), time: PLANNED_SECONDS }
  await client.insist({ path: '/api/v1/android/send', body, key: mark }, signal)
}

async function sendWithKey(context: DeedContext): Promise<void> {
  const { client, signal } = context
  await push(context, async (call) => client.insist({ ...call, key: call.mark }, signal))
}

async function sendPlainly(context: DeedContext): Promise<void> {
  await push(context, async (call) => context.client.try(call))
}

async function schedule(context: DeedContext): Promise<void> {
  const { client, signal } = context
  const ahead = { time: 1 + random(10) }
  await push(context, async (call) =>
    client.insist({ ...call, body: { ...call.body, ...ahead }, key: call.mark }, signal),
  )
}

type PushCall = { readonly path: string; readonly body: object; readonly mark: string }

async function push(
  { world, ledger, newMark }: DeedContext,
  say: (call: PushCall) => Promise<LabReply | null>,
): Promise<void> {
  const { mark, platform, body, wanted } = pushOf(world, newMark())
  const id = notificationIn(await say({ path: `/api/v1/${platform}/send`, body, mark }))
  if (id !== null) ledger.pushes.push({ mark, id, wanted })
}

async function broadcast({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const mark = newMark()
  const [platform, wanted] = random(2) === 0 ? (['ios', world.ios] as const) : (['web', world.web] as const)
  const body = { title: 'Hello', message: textOf(mark) }
  const reply = await client.insist({ path: `/api/v1/${platform}/broadcast/all`, body, key: mark }, signal)
  const id = notificationIn(reply)
  if (id !== null) ledger.pushes.push({ mark, id, wanted })
}

/** Somebody new with a device enters the journey. */
async function enterJourney({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const mark = newMark()
  const token = world.newToken()
  const device = { platform: 'android', token, user_id: mark, subscription_id: deviceOf(mark) }
  const made = await client.insist({ path: SUBSCRIPTIONS, body: device }, signal)
  if (made?.status !== 200) return
  const event = { userID: mark, event_name: JOURNEY_EVENT, attributes: { mark }, event_id: mark }
  const reply = await client.insist({ path: '/api/event', body: { nv: [event] } }, signal)
  if (processedIn(reply) !== 1) return
  ledger.events.push(mark)
  ledger.walkers.push({ mark, token })
}

/** The same list may be sent again: a device that is there is updated. */
async function importDevices({ client, world, ledger, signal, newMark }: DeedContext): Promise<void> {
  const ids = Array.from({ length: ROWS_PER_IMPORT }, newMark)
  const rows = ids.map((id, place) => ({
    platform: 'android',
    token: world.newToken(),
    subscription_id: id,
    tags: ['imported', `tag-${place % 3}`],
  }))
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  while (!signal.aborted) {
    const reply = await client.insist({ path: `${SUBSCRIPTIONS}/import`, body }, signal)
    // An import that breaks off says so in its last line; its status was sent before.
    const last = reply?.text.trimEnd().split('\n').at(-1) ?? ''
    const { imported, updated } = fieldsOf(fieldsOf(last.startsWith('{') ? JSON.parse(last) : null)['report'])
    if (Number(imported) + Number(updated) !== ids.length) continue
    ledger.imported.push(...ids)
    return
  }
}
