import { GroupCommit } from '../runtime/limits/group-commit.ts'
import { Limiter } from '../runtime/limits/limiter.ts'
import type { Database } from '../store/db.ts'
import type { ChannelRef } from '../store/push/channels.ts'
import type { ChunkRef, ClaimedChunk } from '../store/push/chunks.ts'
import { type ChunkEnd, type EndedChunk, endChunks } from '../store/push/end-chunks.ts'
import { type OpenChunk, openChunks, openPlainChunks } from '../store/push/open-chunks.ts'
import { type Postponement, postponeChunks, postponePaused } from '../store/push/postpone.ts'
import { settleChunks } from '../store/push/settle.ts'
import type { ClaimState, Settlement } from '../store/push/settlement.ts'
import { isRolledBack } from '../store/retry.ts'
import { type DeadSubscription, retireSubscriptions } from '../store/subscriptions/retire.ts'

/**
 * Opens, settles, ends and gives back claimed chunks, and retires the dead subscriptions among them. Small chunks that come together share a transaction, of whatever brand
 * they are: a thousand notifications to one person each cost little more than one to a thousand. A lone chunk does not
 * wait. The chunks of a large broadcast are opened in a transaction each. Their settlements share one with those of their
 * channel, because most of its cost is the statement's and because chunks of one notification lock the same row. Both
 * wait for one another, so that they never have more than half of the connections.
 */
export class ChunkCommits {
  readonly #database: Database
  readonly #openings: GroupCommit<'open', ClaimedChunk, OpenChunk | null>
  readonly #settlements: GroupCommit<'settle', Settlement, ClaimState>
  readonly #bulkSettlements: GroupCommit<string, Settlement, ClaimState>
  readonly #postponements: GroupCommit<'postpone', Postponement, 'postponed'>
  readonly #paused: GroupCommit<string, PausedChunk, 'postponed'>
  readonly #ends: GroupCommit<'end', EndedChunk, 'ended'>
  readonly #dead: GroupCommit<number, readonly DeadSubscription[], 'retired'>
  readonly #bulk: Limiter

  constructor(database: Database) {
    this.#database = database
    const capacity = Math.max(1, Math.floor(database.queueConnectionsMax / 2))
    this.#bulk = new Limiter({ capacity, keyCapacity: Math.max(1, capacity - 1), ...BULK_WAIT })
    this.#openings = new GroupCommit({
      commit: async (_, chunks) => this.#openSmall(chunks),
      weightOf: ({ remaining }) => remaining,
      ...SHARED,
    })
    this.#settlements = new GroupCommit({
      commit: async (_, settlements) => this.#settle(settlements),
      weightOf: settlementWeight,
      ...SHARED,
    })
    this.#bulkSettlements = new GroupCommit({
      commit: async (key, settlements) => this.#bulk.run({ key }, async () => this.#settle(settlements)),
      weightOf: settlementWeight,
      ...SHARED_BULK,
      batchesMax: capacity,
    })
    this.#postponements = new GroupCommit({
      commit: async (_, postponed) => {
        await postponeChunks(database.queue, postponed)
        return postponed.map(() => 'postponed')
      },
      ...SHARED,
    })
    this.#paused = new GroupCommit({
      commit: async (_, paused) => {
        const { channel } = only(paused.slice(0, 1))
        const chunks = paused.map(({ chunk }) => chunk)
        await postponePaused(database.queue, channel, chunks)
        return paused.map(() => 'postponed')
      },
      ...SHARED,
    })
    this.#ends = new GroupCommit({ commit: async (_, ended) => this.#end(ended), ...SHARED })
    this.#dead = new GroupCommit({
      commit: async (brandId, dead) => {
        await retireSubscriptions(database, brandId, dead.flat())
        return dead.map(() => 'retired')
      },
      weightOf: (dead) => dead.length,
      ...SHARED,
    })
  }

  /** Null when the claim was lost. */
  async open(chunk: ClaimedChunk): Promise<OpenChunk | null> {
    if (!chunk.isBulk) return this.#openings.submit('open', chunk)
    return this.#alone(chunk, async () => only(await this.#open([chunk])))
  }

  async settle(claimed: ClaimedChunk, settlement: Settlement): Promise<ClaimState> {
    if (!claimed.isBulk) return this.#settlements.submit('settle', settlement)
    return this.#bulkSettlements.submit(channelName(claimed), settlement)
  }

  /** Gives a chunk back, to be claimed again after this long. */
  async postpone(postponement: Postponement): Promise<void> {
    await this.#postponements.submit('postpone', postponement)
  }

  /** Gives a chunk of a paused channel back until the channel may be tried again. */
  async postponePaused({ brandId, platform }: ClaimedChunk, chunk: ChunkRef): Promise<void> {
    const channel = { brandId, platform }
    await this.#paused.submit(channelName(channel), { channel, chunk })
  }

  /** Counts what remains of a chunk under one state. Nothing is written when the claim was lost. */
  async end(claimed: ClaimedChunk, chunk: ChunkRef, end: ChunkEnd): Promise<void> {
    if (!claimed.isBulk) await this.#ends.submit('end', { chunk, end })
    else await this.#alone(claimed, async () => this.#end([{ chunk, end }]))
  }

  async retire(brandId: number, dead: readonly DeadSubscription[]): Promise<void> {
    if (dead.length > 0) await this.#dead.submit(brandId, dead)
  }

  async #alone<Value>(claimed: ClaimedChunk, work: () => Promise<Value>): Promise<Value> {
    return this.#bulk.run({ key: channelName(claimed) }, work)
  }

  /** A transaction costs a single send two more turns of the event loop, which are long beside a broadcast. */
  async #openSmall(chunks: readonly ChunkRef[]): Promise<readonly (OpenChunk | null)[]> {
    const plain = await openPlainChunks(this.#database.queue, chunks)
    const rest = chunks.filter((_, index) => plain[index] === undefined)
    const opened = (rest.length === 0 ? [] : await this.#open(rest)).values()
    return plain.map((chunk) => (chunk === undefined ? (opened.next().value ?? null) : chunk))
  }

  async #open(chunks: readonly ChunkRef[]): Promise<readonly (OpenChunk | null)[]> {
    return this.#database.asQueue(async (tx) => openChunks(tx, chunks))
  }

  async #settle(settlements: readonly Settlement[]): Promise<readonly ClaimState[]> {
    return settleChunks(this.#database.queue, settlements)
  }

  async #end(ended: readonly EndedChunk[]): Promise<readonly 'ended'[]> {
    await endChunks(this.#database.queue, ended)
    return ended.map(() => 'ended')
  }
}

type PausedChunk = { readonly channel: ChannelRef; readonly chunk: ChunkRef }

/** The slots of the worker's loops bound how many chunks wait, and the time of a statement how long. */
const BULK_WAIT = { waitersMax: Number.POSITIVE_INFINITY, waitMs: 10 * 60_000 } as const

/** Counted in recipients. The slots of the worker's loops bound how much can wait. */
const SHARED = {
  isUndone: isRolledBack,
  batchWeightMax: 500,
  batchesMax: 2,
  besideWeightsMin: [100],
  waitingWeightMax: Number.POSITIVE_INFINITY,
} as const

/** One batch of a channel at a time, unless a whole further batch waits. */
const SHARED_BULK = { ...SHARED, batchWeightMax: 1_000, besideWeightsMin: [500] } as const

function channelName({ brandId, platform }: ChannelRef): string {
  return `${brandId} ${platform}`
}

function settlementWeight({ outcomes }: Settlement): number {
  return Math.max(1, outcomes.length)
}

function only<Value>(values: readonly Value[]): Value {
  const [value] = values
  if (value === undefined) throw new Error('a chunk has no outcome')
  return value
}
