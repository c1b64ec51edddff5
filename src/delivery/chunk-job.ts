import type { MeasurePayload } from '../domain/push/payload.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import type { Platform } from '../rules/platforms.ts'
import type { DatabaseClock } from '../runtime/database-clock.ts'
import type { LoopTurns } from '../runtime/limits/loop-turns.ts'
import type { ReceiptSigner } from '../runtime/secrets/receipt-token.ts'
import type { Database } from '../store/db.ts'
import type { ClaimedChunk } from '../store/push/chunks.ts'
import type { OpenChunk } from '../store/push/open-chunks.ts'
import type { ReadySender } from './channel-sender.ts'
import type { SlotUse } from './channel-slots.ts'
import type { Channels } from './channels.ts'
import type { ChunkCommits } from './chunk-commits.ts'
import type { Pace } from './pace.ts'
import type { ChannelWindows } from './send-windows.ts'

/** The dependencies of sending, the same for every chunk of a process. */
export type SendDeps = {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly channels: Channels
  readonly commits: ChunkCommits
  readonly receipts: ReceiptSigner
  readonly measure: Readonly<Record<Platform, MeasurePayload>>
  readonly random: () => number
  readonly onVerdict: (platform: Platform, verdict: Verdict) => void
}

/** An open chunk, with its channel's sender and the pace that it keeps. */
export type ChunkJob = {
  readonly claimed: ClaimedChunk
  readonly chunk: OpenChunk
  readonly sender: ReadySender
  readonly pace: Pace
  readonly windows: ChannelWindows
  /** Shared by all chunks of the process. */
  readonly turns: LoopTurns
  readonly use: SlotUse
}

/** How long a chunk stays with a worker that is silent: the longest delay that the death of a worker causes. */
export const LEASE_MS = 15_000
