import type { FindTypeLocks } from '../../domain/events/type-locks.ts'
import { type Clock, systemSleep } from '../../runtime/clock.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import { GroupCommit } from '../../runtime/limits/group-commit.ts'
import type { Database, Db } from '../../store/db.ts'
import {
  type DuplicateEntry,
  type EventCall,
  type MistypedValue,
  type NewcomerEvent,
  type OverruledValue,
  type Stored,
  storeEvents,
} from '../../store/events/intake.ts'
import { loadLocks } from '../../store/events/lock-claims.ts'
import { loadJourneyStarts } from '../../store/journeys/reads.ts'
import { isRolledBack, retryTransaction, type TransactionAttempt } from '../../store/retry.ts'
import { isUnavailable } from '../../store/unavailable.ts'
import { TypeLockCache } from './type-lock-cache.ts'

export type EventIntakeOptions = { readonly database: Database; readonly clock: Clock }

/** The entries of one call, by index, that were processed and are not stored as the caller sent them. */
export type EventNotices = {
  readonly mistyped: readonly Omit<MistypedValue, 'call'>[]
  readonly duplicates: readonly Omit<DuplicateEntry, 'call'>[]
  readonly overruled: readonly Omit<OverruledValue, 'call'>[]
  readonly newcomers: readonly Omit<NewcomerEvent, 'call'>[]
}

/** As much as one call may bring, so that a crowd of small calls costs what one large call does. */
const BATCH_ENTRIES_MAX = 1000
/** Enough to keep the database busy while the next batch is being put together. */
const BATCHES_MAX = 5
/** One of them is always left for another brand. */
const BRAND_BATCHES_MAX = 4
/**
 * Small calls gain more by sharing a commit than by running beside each other, but a second batch keeps the database
 * busy while the replies of the first are written. A third and a fourth are for calls of a quarter of a full batch.
 */
const BESIDE_ENTRIES_MIN = [32, 250] as const
/** Beyond this a caller is better told to come back: at full speed it is about a second of work. */
const WAITING_ENTRIES_MAX = 50_000
const LOCKS_MAX = 200_000
/** A journey that is activated is known here after this long. */
const STARTS_FRESH_MS = 3_000
/** Less than the time that a client gives a call. */
const UNHEARD_MS_MAX = 15_000
const NO_STARTS: ReadonlySet<string> = new Set()

/**
 * The way of events into the database. Calls of one brand that arrive together share a transaction, and each is
 * answered only after that transaction has committed.
 */
export class EventIntake {
  readonly #options: EventIntakeOptions
  readonly #locks = new TypeLockCache(LOCKS_MAX)
  /** The events that start a journey, by brand. */
  readonly #starts = new TtlCache<ReadonlySet<string>>({ ttlMs: STARTS_FRESH_MS })
  readonly #commits: GroupCommit<number, EventCall, EventNotices>

  constructor(options: EventIntakeOptions) {
    this.#options = options
    this.#commits = new GroupCommit({
      commit: async (brandId, calls) => this.#commit(brandId, calls),
      isUndone: isRolledBack,
      weightOf: ({ entries, rejected }) => entries.length + rejected.length,
      batchWeightMax: BATCH_ENTRIES_MAX,
      batchesMax: BATCHES_MAX,
      keyBatchesMax: BRAND_BATCHES_MAX,
      besideWeightsMin: BESIDE_ENTRIES_MIN,
      waitingWeightMax: WAITING_ENTRIES_MAX,
    })
  }

  /** Stores a call. */
  async submit(brandId: number, call: EventCall): Promise<EventNotices> {
    return this.#commits.submit(brandId, call)
  }

  /** Stores a call inside the caller's transaction. The type locks it finds are not cached, because it may be rolled back. */
  async storeIn(tx: Db, brandId: number, call: EventCall): Promise<EventNotices> {
    const stored = await this.#store(tx, brandId, [call])
    // The commit is near, and a reader that is woken looks several times.
    this.#options.database.notify('events')
    return stored
  }

  /**
   * The events of unknown people that would have started a journey of the brand. Only a call with such people asks the
   * database, and at most once in a few seconds. A caller with a transaction asks in it, as it must not wait for another
   * connection. One without has its events stored.
   */
  async unheard(brandId: number, { newcomers }: EventNotices, tx?: Db): Promise<EventNotices['newcomers']> {
    if (newcomers.length === 0) return []
    const starts =
      tx === undefined ? await this.#loadStartsIfThere(brandId) : await loadJourneyStarts(tx, brandId)
    return newcomers.filter(({ eventName }) => starts.has(eventName))
  }

  /** The locks this process knows of, for others who fit attributes to them. */
  findLocks(brandId: number): FindTypeLocks {
    return this.#locks.of(brandId)
  }

  /** Reads the locks of an event anew, because one of them was changed. */
  forgetLocks(brandId: number, eventName: string): void {
    this.#locks.forget(brandId, eventName)
  }

  /** Loads the locks of attributes, by event, so that `findLocks` knows them. */
  async loadLocks(brandId: number, names: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    const wanted = [...names].flatMap(([eventName, attributes]) =>
      [...attributes].map((attribute) => ({ eventName, attribute })),
    )
    const readAt = this.#locks.now()
    const locks = await this.#options.database.asBrand(brandId, async (tx) => loadLocks(tx, brandId, wanted))
    this.#locks.learn(brandId, locks, readAt)
  }

  /**
   * This catches the error because the events are stored by now: a caller who is told that the database is away sends them again, and a lost
   * warning does less harm. For the same reason the caller does not wait until a database that is being replaced answers again.
   */
  async #loadStartsIfThere(brandId: number): Promise<ReadonlySet<string>> {
    const loaded = this.#loadStarts(brandId).catch((cause: unknown) => {
      if (!isUnavailable(cause)) throw cause
      return NO_STARTS
    })
    const answered = new AbortController()
    const late = systemSleep(UNHEARD_MS_MAX, answered.signal).then(() => NO_STARTS)
    return Promise.race([loaded, late]).finally(() => answered.abort())
  }

  async #loadStarts(brandId: number): Promise<ReadonlySet<string>> {
    return this.#starts.get(String(brandId), async () =>
      this.#options.database.asBrand(brandId, async (tx) => loadJourneyStarts(tx, brandId)),
    )
  }

  async #commit(brandId: number, calls: readonly EventCall[]): Promise<readonly EventNotices[]> {
    const readAt = this.#locks.now()
    const stored = await retryTransaction(async (which) =>
      this.#options.database.asBrand(brandId, async (tx) =>
        this.#store(
          tx,
          brandId,
          calls.map((call) => forTry(which, call)),
        ),
      ),
    )
    this.#options.database.notify('events')
    this.#locks.learn(brandId, stored.learned, readAt)
    return calls.map((_, call) => ({
      mistyped: stored.mistyped.filter((one) => one.call === call),
      duplicates: stored.duplicates.filter((one) => one.call === call),
      overruled: stored.overruled.filter((one) => one.call === call),
      newcomers: stored.newcomers.filter((one) => one.call === call),
    }))
  }

  async #store(tx: Db, brandId: number, calls: readonly EventCall[]): Promise<Stored> {
    const now = this.#options.clock.now()
    return storeEvents(tx, { brandId, calls, now, findLocks: this.#locks.of(brandId) })
  }
}

/** The call as one try stores it: only the first try hands the bytes of the body on as they came. */
export function forTry(which: TransactionAttempt, call: EventCall): EventCall {
  return which === 'first' ? call : { ...call, body: undefined }
}
