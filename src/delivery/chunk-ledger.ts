import { isSuspect } from '../domain/push/brake.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { ChannelRef } from '../store/push/channels.ts'
import type { ChunkRef } from '../store/push/chunks.ts'
import { endChunk } from '../store/push/end-chunks.ts'
import { openChunk } from '../store/push/open-chunk.ts'
import { postponeChunk, postponePaused } from '../store/push/postpone.ts'
import { reclaimChunk } from '../store/push/reclaim.ts'
import { type Outcome, settleChunk } from '../store/push/settle.ts'
import { retireSubscriptions } from '../store/subscriptions/retire.ts'
import type { ChunkJob, SendDeps } from './chunk-job.ts'
import { LEASE_MS } from './lease.ts'
import { type Answered, entryOf } from './tally.ts'

/** Why a chunk is not handed over to its end. */
export type Stop =
  | { readonly kind: 'lost' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'expired' }
  /** The channel is paused: the rest of it waits for that. */
  | { readonly kind: 'paused' }
  /** The rest of it is given back, for after this long. */
  | { readonly kind: 'later'; readonly waitMs: number }

/**
 * What came of the recipients of one chunk, on its way into the database. An answer is kept here until it is certain
 * that it was written.
 */
export class ChunkLedger {
  readonly #deps: SendDeps
  readonly #job: ChunkJob
  #ref: ChunkRef
  #answers: readonly Answered[] = []
  #fresh: Answered[] = []
  #textsCut = 0
  #leftOutMs = 0
  #stop: Stop | null = null
  #settledAt = performance.now()
  /** A settle was begun and not seen to end: it may have been written or not. */
  #isDoubtful = false

  constructor(deps: SendDeps, job: ChunkJob) {
    this.#deps = deps
    this.#job = job
    this.#ref = job.claimed
  }

  get isStopped(): boolean {
    return this.#stop !== null
  }

  add(answered: Answered): void {
    this.#fresh.push(answered)
  }

  countCuts(cuts: number): void {
    this.#textsCut += cuts
  }

  /** A recipient was passed over; the chunk is taken up again for it. */
  leaveOut(waitMs: number): void {
    this.#leftOutMs = Math.max(this.#leftOutMs, waitMs)
  }

  /** The first reason counts, but for a claim that was lost and a cancellation, which end all others. */
  stop(reason: Stop): void {
    if (this.#stop === null || reason.kind === 'lost' || reason.kind === 'cancelled') this.#stop = reason
  }

  /** Writes what there is, and hears whether the chunk is still ours and still wanted. */
  async settle(): Promise<void> {
    const isDue = this.#fresh.length > 0 || performance.now() - this.#settledAt >= ASK_EVERY_MS
    if (isDue && this.#stop?.kind !== 'lost') await this.#write()
  }

  /** Writes the rest and lets go of the chunk. May be called again when it failed. */
  async finish(): Promise<void> {
    if (this.#isDoubtful) await this.#recover()
    const hasAnswers = this.#fresh.length + this.#answers.length > 0
    if (hasAnswers && this.#stop?.kind !== 'lost') await this.#write()
    if (this.#stop === null && this.#leftOutMs > 0) this.#stop = { kind: 'later', waitMs: this.#leftOutMs }
    await this.#letGo()
  }

  async #write(): Promise<void> {
    const { database, clock, random, channels } = this.#deps
    const { chunk, claimed, way } = this.#job
    const fresh = this.#fresh.slice()
    const answers = [...this.#answers, ...(await this.#judge(fresh))]
    // Only now, because judging asks the database too: what was lost there would be sent again.
    this.#fresh.splice(0, fresh.length)
    this.#answers = answers
    const { outcomes, dead } = entryOf(answers, {
      attempt: chunk.attempt,
      now: clock.now(),
      jitter: random(),
      expiresAt: claimed.expiresAt,
    })
    await this.#settleOutcomes(outcomes)
    if (this.#stop?.kind === 'lost') return
    this.#answers = []
    await retireSubscriptions(database, claimed.brandId, dead)
    await channels.hostNotes.note({ ref: this.#channel, way, answers: fresh, now: clock.now() })
  }

  async #settleOutcomes(outcomes: readonly Outcome[]): Promise<void> {
    const textsCut = this.#textsCut
    this.#isDoubtful = true
    const settled = await settleChunk(this.#deps.database, this.#ref, { outcomes, textsCut })
    this.#isDoubtful = false
    this.#textsCut -= textsCut
    this.#settledAt = performance.now()
    if (settled !== 'held') this.stop({ kind: settled })
  }

  /**
   * What the answers say about the channel. It is paused by a credential that was refused or by the brake, and resumed
   * by success. While the brake is on, an answer that blames the device says more about our settings: it is not counted.
   */
  async #judge(answers: readonly Answered[]): Promise<readonly Answered[]> {
    const { channels } = this.#deps
    const { way } = this.#job
    const ref = this.#channel
    const opinion = await channels.judge(
      ref,
      way,
      answers.map(({ verdict }) => verdict),
    )
    if (opinion.kind === 'mended') await channels.resume(ref, way)
    if (opinion.kind !== 'bad') return answers
    this.stop({ kind: 'paused' })
    await channels.pause(ref, way, opinion.reason)
    return answers.filter(({ verdict }) => !isSuspect(verdict))
  }

  get #channel(): ChannelRef {
    const { claimed, chunk } = this.#job
    return { brandId: claimed.brandId, platform: chunk.platform }
  }

  /** Finds out what the doubtful settle wrote: whoever has no outcome yet is still in the chunk. */
  async #recover(): Promise<void> {
    const { database } = this.#deps
    const ref = await reclaimChunk(database, this.#ref, { leaseMs: LEASE_MS })
    this.#isDoubtful = false
    if (ref === null) return this.stop({ kind: 'lost' })
    this.#ref = ref
    const chunk = await database.asEngine(async (tx) => openChunk(tx, ref))
    if (chunk === null) return this.stop({ kind: 'lost' })
    if (chunk.isCancelled) this.stop({ kind: 'cancelled' })
    const open = new Set(chunk.recipients.map(({ id }) => id))
    this.#answers = this.#answers.filter(({ recipient }) => open.has(recipient.id))
  }

  async #letGo(): Promise<void> {
    const { database } = this.#deps
    const stop = this.#stop
    if (stop === null) return
    switch (stop.kind) {
      case 'lost':
        return
      case 'cancelled':
      case 'expired':
        await endChunk(database, this.#ref, { state: stop.kind, reason: stop.kind })
        return
      case 'paused':
        await postponePaused(database, this.#ref, this.#job.chunk.platform)
        return
      case 'later':
        await postponeChunk(database, this.#ref, stop)
        return
      default:
        unreachable(stop)
    }
  }
}

/** Without anything to write, we ask this often whether the notification was cancelled. */
const ASK_EVERY_MS = 500
