import { setTimeout } from 'node:timers/promises'
import { systemSleep } from '../runtime/clock.ts'
import { type Backoff, backoffMs } from '../runtime/loop/backoff.ts'

/**
 * The kinds of work that a loop may be waiting for: notifications to cut into chunks, chunks to send, events to read,
 * steps of journeys, webhook messages, campaigns that go on, and expired chunks or deleted brands.
 */
export const WORK_KINDS = ['plan', 'send', 'events', 'journeys', 'webhooks', 'campaigns', 'upkeep'] as const

export type WorkKind = (typeof WORK_KINDS)[number]

/**
 * Notifies the workers of all processes that there is work. A notification is a hint and follows the commit: the work
 * is in the tables, where a worker that missed the hint finds it with its next look. Inside the transaction, NOTIFY
 * would make all commits of the server wait for one another.
 *
 * For each kind: idle → sending → pausing → idle. A call in the idle state sends at once. Calls in the other two states
 * are remembered as one, which is sent after the pause. A failure is dropped; nothing is ever sent twice at once.
 */
export class Notifier {
  readonly #db: Sql
  readonly #pauseMs: (kind: WorkKind) => number
  /** The kinds that are in the states sending and pausing, and those of them that were called for again. */
  readonly #busy = new Set<WorkKind>()
  readonly #again = new Set<WorkKind>()

  constructor(db: Sql, { pauseMs }: { readonly pauseMs?: number } = {}) {
    this.#db = db
    this.#pauseMs = (kind) => pauseMs ?? (kind === 'events' ? EVENTS_PAUSE_MS : PAUSE_MS)
  }

  notify(kind: WorkKind): void {
    if (this.#busy.has(kind)) this.#again.add(kind)
    else void this.#send(kind)
  }

  async #send(kind: WorkKind): Promise<void> {
    this.#busy.add(kind)
    // No work depends on the hint, and a database that cannot be reached is reported by everybody else who needs it.
    await this.#db.query(NOTIFY, [WORK_CHANNEL, kind]).catch(() => undefined)
    await setTimeout(this.#pauseMs(kind), undefined, { ref: false })
    this.#busy.delete(kind)
    if (this.#again.delete(kind)) void this.#send(kind)
  }
}

/**
 * Notifies the processes that cache API keys that some keys are gone, when the transaction commits. Keys go rarely, so
 * commits need not wait for one another here. The channel is another one: an API process has no use for the hints.
 */
export async function notifyKeysGone(tx: Sql): Promise<void> {
  await tx.query(NOTIFY, [KEYS_CHANNEL, ''])
}

/** The part of the database that a notifier needs. */
type Sql = { readonly query: (statement: typeof NOTIFY, values: readonly string[]) => Promise<unknown> }

type ListenConnection = {
  /** Listens to a channel with one connection, from its beginning to its end. */
  readonly listenOnce: (channel: string, listener: Listener) => Promise<void>
  readonly signal: AbortSignal
}

export type Listener = { readonly onReady: () => void; readonly onMessage: (message: string) => void }

/** Listens for work until the signal aborts. A new connection assumes that it missed work of every kind. */
export async function listenForWork(
  connection: ListenConnection,
  onWork: (kind: WorkKind) => void,
): Promise<void> {
  await listen(connection, WORK_CHANNEL, {
    onReady: () => WORK_KINDS.forEach(onWork),
    onMessage: (message) => WORK_KINDS.filter((kind) => kind === message).forEach(onWork),
  })
}

/** Listens, until the signal aborts, for API keys that are gone. A new connection assumes that some are. */
export async function listenForKeysGone(connection: ListenConnection, onGone: () => void): Promise<void> {
  await listen(connection, KEYS_CHANNEL, { onReady: onGone, onMessage: onGone })
}

/** Listens again whenever the connection breaks. */
async function listen(
  { listenOnce, signal }: ListenConnection,
  channel: string,
  listener: Listener,
): Promise<void> {
  let failures = 0
  const onReady = (): void => {
    failures = 0
    listener.onReady()
  }
  while (!signal.aborted) {
    // Workers look for work without hints too, and their loops report what is wrong with the database.
    await listenOnce(channel, { ...listener, onReady }).catch(() => undefined)
    failures += 1
    await systemSleep(backoffMs(AGAIN, failures, Math.random()), signal)
  }
}

/** A busy server accepts many notifications at once: two hundred hints a second are enough. */
const PAUSE_MS = 5
/** Events of many small calls are read together, and a reader that finds events goes on without hints. */
const EVENTS_PAUSE_MS = 250
const WORK_CHANNEL = 'beckon_work'
const KEYS_CHANNEL = 'beckon_keys'
const NOTIFY = { name: 'notify', text: 'select pg_notify($1, $2)' }
const AGAIN: Backoff = { minMs: 100, maxMs: 10_000 }
