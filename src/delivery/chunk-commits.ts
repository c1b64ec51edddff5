import { GroupCommit } from '../runtime/limits/group-commit.ts'
import type { Database } from '../store/db.ts'
import type { ChunkRef, ClaimedChunk } from '../store/push/chunks.ts'
import { type OpenChunk, openChunks } from '../store/push/open-chunks.ts'
import { type ClaimState, type Settlement, settleChunks } from '../store/push/settle.ts'
import { isRolledBack } from '../store/retry.ts'

/**
 * Opens and settles claimed chunks. Small chunks that come together share a transaction, of whatever brand they are: a
 * thousand notifications to one person each cost little more than one to a thousand. A lone chunk does not wait. The
 * chunks of a large broadcast are worth a transaction each, and nobody waits for theirs.
 */
export class ChunkCommits {
  readonly #database: Database
  readonly #openings: GroupCommit<'open', ClaimedChunk, OpenChunk | null>
  readonly #settlements: GroupCommit<'settle', Settlement, ClaimState>

  constructor(database: Database) {
    this.#database = database
    this.#openings = new GroupCommit({
      commit: async (_, chunks) => this.#open(chunks),
      weightOf: ({ remaining }) => remaining,
      ...SHARED,
    })
    this.#settlements = new GroupCommit({
      commit: async (_, settlements) => this.#settle(settlements),
      weightOf: ({ outcomes }) => Math.max(1, outcomes.length),
      ...SHARED,
    })
  }

  /** Null when the claim was lost. */
  async open(chunk: ClaimedChunk): Promise<OpenChunk | null> {
    if (!chunk.isBulk) return this.#openings.submit('open', chunk)
    return only(await this.#open([chunk]))
  }

  async settle({ isBulk }: ClaimedChunk, settlement: Settlement): Promise<ClaimState> {
    if (!isBulk) return this.#settlements.submit('settle', settlement)
    return only(await this.#settle([settlement]))
  }

  async #open(chunks: readonly ChunkRef[]): Promise<readonly (OpenChunk | null)[]> {
    return this.#database.asQueue(async (tx) => openChunks(tx, chunks))
  }

  async #settle(settlements: readonly Settlement[]): Promise<readonly ClaimState[]> {
    return settleChunks(this.#database.queue, settlements)
  }
}

/** Counted in recipients. The slots of the worker's loops bound how much can wait. */
const SHARED = {
  isUndone: isRolledBack,
  batchWeightMax: 500,
  batchesMax: 2,
  besideWeightsMin: [100],
  waitingWeightMax: Number.POSITIVE_INFINITY,
} as const

function only<Value>(values: readonly Value[]): Value {
  const [value] = values
  if (value === undefined) throw new Error('a chunk has no outcome')
  return value
}
