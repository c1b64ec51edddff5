import type { DeliveryState } from '../../rules/push.ts'
import type { ChunkRef } from './chunks.ts'
import type { ChunkKind } from './packing-sql.ts'

/** The outcome of one recipient of a chunk. */
export type RecipientOutcome = {
  readonly recipientId: bigint
  readonly state: DeliveryState
  readonly reason: string | null
  /** When a `retrying` delivery is ready again; null in every other state. Retries of one instant become one chunk. */
  readonly retryAt: number | null
  /** How many attempts had an outcome that nobody knows, for a `retrying` delivery. */
  readonly unknowns: number
  /** The language of the message; null when the notification is written in one language only. */
  readonly language: string | null
  /** The place of the variant that the recipient got; null when the notification has none. */
  readonly variant: number | null
}

/** Outcomes of recipients of one claimed chunk. */
export type Settlement = {
  readonly chunk: ChunkRef
  readonly outcomes: readonly RecipientOutcome[]
  /** How many of their texts had to be cut to be shown. */
  readonly textsCut: number
  /** The kind of the chunk, if it is known: the statement for accepted recipients alone is of no use to some. */
  readonly kind?: ChunkKind
}

/**
 * The state of the claim, as a settlement finds it. `claimed`: the chunk is still ours. `cancelled`: nothing more of it may be handed
 * over; end the chunk. `stopped`: the same, because the brand is being deleted; give the chunk back. `lost`: another
 * worker has it, and nothing was written.
 */
export type ClaimState = 'claimed' | 'cancelled' | 'stopped' | 'lost'
