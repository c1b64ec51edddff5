import type { Pool } from 'pg'
import { errorCode } from '../../runtime/errors.ts'
import { readDatabaseUrl, type SessionOptions, sessionSettings } from '../session-settings.ts'
import { isAway, isUnavailable } from '../unavailable.ts'
import { borrow, openPool } from './pool.ts'
import { PrimaryHosts } from './primary-hosts.ts'
import { answerQuestion, type QuestionCaller, type QuestionSession } from './question.ts'
import {
  type LogPlace,
  loadPlace,
  loadReplayedTimeline,
  loadReplayState,
  STANDBY_BEHIND,
  StandbyBehind,
  TimelineHidden,
} from './replay.ts'
import type { SqlSession } from './session.ts'

type StandbyOptions = {
  readonly hosts: PrimaryHosts
  readonly pools: Readonly<Record<StandbyRole, Pool>>
  readonly lagMaxMs: number
}

type StandbyRole = 'tenants' | 'engine'

type StandbyRead = {
  readonly role: StandbyRole
  /** The statement that begins the transaction. */
  readonly begin: string
  readonly primary: SqlSession
  /** The caller of a question that may be cut off; a read without one always ends by itself. */
  readonly caller?: QuestionCaller
}

type ReadSettings = SessionOptions & {
  readonly connectionsMax: number
  readonly readUrl?: string
  readonly readLagMaxMs?: number
}

/** The standby of the settings; null if they name none. */
export function openStandby(settings: ReadSettings): Standby | null {
  const { readUrl: url, readLagMaxMs: lagMaxMs = 0, connectionsMax } = settings
  if (url === undefined) return null
  const options = { ...settings, url, name: `${settings.name} reader` }
  const engine = sessionSettings(options, 'beckon_engine')
  const hosts = new PrimaryHosts(readDatabaseUrl(url, 'reads'), engine, 'reads')
  const pools = {
    tenants: openPool(hosts, sessionSettings(options, 'beckon_app'), connectionsMax),
    engine: openPool(hosts, engine, connectionsMax),
  }
  return new Standby({ hosts, pools, lagMaxMs })
}

/**
 * A standby for reads that may be a little old.
 *
 * Its age is measured without any clock but our own: about once a second the place in the write-ahead log that the
 * primary has reached is noted with the time. The standby is fresh when it has replayed at least the oldest place that was
 * noted within the allowed lag. Without such a note it must have replayed everything up to now.
 *
 * A place counts on its own timeline only. A standby that follows a server which was replaced is not read, and neither is a server that
 * takes writes, unless it is the primary itself.
 */
export class Standby {
  readonly hosts: PrimaryHosts
  readonly pools: StandbyOptions['pools']
  readonly #lagMaxMs: number
  #notes: readonly Note[] = []
  /**
   * A standby that did not answer is left alone until then, because a silent machine costs each reader a timeout. So is one that
   * hides its timeline, because each reader would ask for it in vain.
   */
  #restsUntil = Number.NEGATIVE_INFINITY
  /** The standby that was last asked for its timeline. While it runs, it never goes back to an older one. */
  #asked: AskedStandby | null = null

  constructor({ hosts, pools, lagMaxMs }: StandbyOptions) {
    this.hosts = hosts
    this.pools = pools
    this.#lagMaxMs = lagMaxMs
  }

  /** Undefined when the standby is behind or away; the work is then done on the primary. */
  async read<Value>(
    { role, begin, primary, caller = STAYS }: StandbyRead,
    work: (tx: QuestionSession) => Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined> {
    if (performance.now() < this.#restsUntil || this.hosts.isSilent) return undefined
    try {
      const place = await this.#findPlace(primary)
      const value = await borrow({ pool: this.pools[role], hosts: this.hosts }, async (client) =>
        answerQuestion({ client, begin }, caller, async (tx) => {
          await this.#expectReplayed(tx, place)
          return work(tx)
        }),
      )
      return { value }
    } catch (cause) {
      // The primary has all rows and answers instead, if there is still somebody to answer.
      if (caller.signal.aborted || !isForPrimary(cause)) throw cause
      if (isAway(cause) || cause instanceof TimelineHidden) this.#restsUntil = performance.now() + REST_MS
      return undefined
    }
  }

  /** The place that a standby must have replayed to be read now. */
  async #findPlace(primary: SqlSession): Promise<LogPlace> {
    const now = performance.now()
    this.#notes = this.#notes.filter(({ notedAt }) => now - notedAt < this.#lagMaxMs)
    const newest = this.#notes.at(-1)
    const [oldest] = this.#notes
    if (oldest !== undefined && newest !== undefined && now - newest.notedAt < NOTE_MS) return oldest.place
    const place = await loadPlace(primary)
    // The note is dated before the question, so that it never looks younger than it is. Notes of another primary are of no use.
    this.#notes = [...this.#notes.filter((note) => isSameServer(note.place, place)), { place, notedAt: now }]
    return this.#notes[0]?.place ?? place
  }

  /** Throws unless the server of the session has replayed the place, or is the primary. */
  async #expectReplayed(tx: SqlSession, place: LogPlace): Promise<void> {
    const { isStandby, isReplayed, startedAt } = await loadReplayState(tx, place)
    const isGood = isStandby
      ? isReplayed && (await this.#isOnTimeline(tx, startedAt, place))
      : startedAt === place.startedAt
    if (!isGood) throw new StandbyBehind('the standby is behind')
  }

  async #isOnTimeline(tx: SqlSession, startedAt: string, { timeline }: LogPlace): Promise<boolean> {
    if (timeline === null) return true
    if (this.#asked?.startedAt !== startedAt || this.#asked.timeline !== timeline)
      this.#asked = { startedAt, timeline: await loadReplayedTimeline(tx) }
    return this.#asked.timeline === timeline
  }
}

type Servers = {
  readonly standby: Standby | null
  readonly place: { readonly pool: Pool; readonly hosts: PrimaryHosts }
}

/** Answers a question on the standby, if there is one that can, or else on the primary. */
export async function askEither<Value>(
  { standby, place }: Servers,
  read: StandbyRead & { readonly caller: QuestionCaller },
  work: (tx: QuestionSession) => Promise<Value>,
): Promise<Value> {
  const { begin, caller } = read
  try {
    const found = await standby?.read(read, work)
    if (found !== undefined) return found.value
    return await borrow(place, async (client) => answerQuestion({ client, begin }, caller, work))
  } catch (cause) {
    // A connection that was cut fails its statement. The reason to give is that the caller went away.
    caller.signal.throwIfAborted()
    throw cause
  }
}

function isSameServer(one: LogPlace, other: LogPlace): boolean {
  return one.startedAt === other.startedAt && one.timeline === other.timeline
}

type Note = { readonly place: LogPlace; readonly notedAt: number }

type AskedStandby = { readonly startedAt: string; readonly timeline: number | null }

/** A caller who never goes away. */
const STAYS: QuestionCaller = { signal: new AbortController().signal }

const NOTE_MS = 1_000
const REST_MS = 5_000

/**
 * Whether the primary can do what a standby could not: the standby is behind, away, cancelled the statement because it
 * stood in the way of its replay (40001), or runs out of time.
 */
function isForPrimary(cause: unknown): boolean {
  const code = errorCode(cause)
  return code === STANDBY_BEHIND || code === '40001' || code === '40P01' || isUnavailable(cause)
}
