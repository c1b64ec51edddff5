import { heldVerdict } from '../domain/push/brake.ts'
import { isSuspect } from '../domain/push/health.ts'
import { unreachable } from '../domain/unreachable.ts'
import { PAUSE_RULES, RETRY_RULES } from '../rules/push.ts'
import type { ChannelRef } from '../store/push/channels.ts'
import { type ChunkRef, reclaimChunk } from '../store/push/chunks.ts'
import { loadUnsettled } from '../store/push/open-chunks.ts'
import type { RecipientOutcome } from '../store/push/settlement.ts'
import { type ChunkJob, LEASE_MS, type SendDeps } from './chunk-job.ts'
import { deadAmong, ofChannel, outcomesOf, type RecipientVerdict } from './outcomes.ts'
import { reportShown } from './virtual-devices.ts'

/** Why the rest of a chunk is not handed over. */
type StopReason =
  | { readonly kind: 'lost' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'expired' }
  /** The channel is paused: the rest waits for its next probe. */
  | { readonly kind: 'paused' }
  /** The rest is given back, to be claimed again after this long. */
  | { readonly kind: 'later'; readonly waitMs: number }

/**
 * The verdicts on the recipients of one chunk, until their outcomes are written.
 *
 * | verdict   | moves on                                                                              |
 * |-----------|---------------------------------------------------------------------------------------|
 * | fresh     | judged: unsettled; or dropped, if it is suspect and the channel is paused             |
 * | unsettled | a settlement succeeds: written; it fails: unsettled, until `#recover` looks it up     |
 * | written   | forgotten; its dead subscription is retired, its refusing push host reported          |
 *
 * | ledger    | moves on                                                                              |
 * |-----------|---------------------------------------------------------------------------------------|
 * | open      | `stop`: stopped; a settlement fails: doubtful; `finish`: done                         |
 * | stopped   | goes on taking verdicts of messages in flight; otherwise as open                      |
 * | doubtful  | `finish` claims the chunk anew, and drops the verdicts that were written: open or stopped |
 * | lost      | another worker has the chunk: `finish` writes nothing, and is done                    |
 * | done      | the chunk is deleted, ended, or given back for later                                  |
 *
 * A verdict is never forgotten before its outcome is known to be in the database. Two settlements never run at once:
 * `ChunkRun` awaits each, and calls `finish` after the last. A chunk that is lost is never written.
 */
export class ChunkLedger {
  readonly #deps: SendDeps
  readonly #job: ChunkJob
  #ref: ChunkRef
  #unsettled: readonly RecipientVerdict[] = []
  #fresh: RecipientVerdict[] = []
  #textsCut = 0
  #leftOutMs = Number.POSITIVE_INFINITY
  #stop: StopReason | null = null
  #settledAt = performance.now()
  /** A settlement was begun and not seen to end: its outcomes may have been written or not. */
  #isDoubtful = false

  constructor(deps: SendDeps, job: ChunkJob) {
    this.#deps = deps
    this.#job = job
    this.#ref = job.claimed
  }

  get isStopped(): boolean {
    return this.#stop !== null
  }

  add(verdict: RecipientVerdict): void {
    this.#fresh.push(verdict)
  }

  countCuts(cuts: number): void {
    this.#textsCut += cuts
  }

  /** Whether there are verdicts that no settlement has begun to write. */
  get hasFresh(): boolean {
    return this.#fresh.length > 0
  }

  /** The verdicts whose outcomes are not known to be in the database. */
  get unwritten(): number {
    return this.#fresh.length + this.#unsettled.length
  }

  /** A recipient was passed over. The chunk is claimed again for the first that may go, whatever the others wait for. */
  leaveOut(waitMs: number): void {
    this.#leftOutMs = Math.min(this.#leftOutMs, waitMs)
  }

  /** The first reason counts; only a lost claim and a cancellation replace another. */
  stop(reason: StopReason): void {
    if (this.#stop === null || reason.kind === 'lost' || reason.kind === 'cancelled') this.#stop = reason
  }

  /** Writes the outcomes so far, and learns whether the chunk is still ours and may go on. */
  async settle(): Promise<void> {
    const isDue = this.#fresh.length > 0 || performance.now() - this.#settledAt >= ASK_EVERY_MS
    if (isDue && this.#stop?.kind !== 'lost') await this.#write()
  }

  /** Writes the rest and lets go of the chunk. It may be called again after a failure. */
  async finish(): Promise<void> {
    if (this.#isDoubtful) await this.#recover()
    const hasVerdicts = this.#fresh.length + this.#unsettled.length > 0
    if (hasVerdicts && this.#stop?.kind !== 'lost') await this.#write()
    const wasAnyLeftOut = Number.isFinite(this.#leftOutMs)
    // The chunks that wait for the same cool-down come back one after the other.
    const apartMs = this.#deps.random() * Math.min(this.#leftOutMs, RETRY_RULES.firstWaitMs)
    const waitMs = this.#leftOutMs + apartMs
    if (this.#stop === null && wasAnyLeftOut) this.#stop = { kind: 'later', waitMs }
    await this.#letGo()
  }

  async #write(): Promise<void> {
    const { clock, random, channels, commits } = this.#deps
    const { chunk, claimed, sender } = this.#job
    const fresh = this.#fresh.slice()
    const verdicts = [...this.#unsettled, ...(await this.#judge(fresh))]
    // Not before: `#judge` asks the database and may fail, and a verdict that is dropped here means a second message.
    this.#fresh.splice(0, fresh.length)
    this.#unsettled = verdicts
    const outcomes = outcomesOf(verdicts, {
      attempt: chunk.attempt,
      unknowns: chunk.unknowns,
      now: clock.now(),
      jitter: random(),
      expiresAt: claimed.expiresAt,
      choices: chunk.choices,
    })
    await this.#settleOutcomes(outcomes)
    if (this.#stop?.kind === 'lost') return
    this.#unsettled = []
    await commits.retire(claimed.brandId, deadAmong(verdicts))
    await reportShown(this.#deps, claimed, verdicts)
    const reported = { ref: this.#channel, sender, verdicts: ofChannel(fresh), now: clock.now() }
    await channels.hostHealth.report(reported)
    await channels.failures.report(reported)
  }

  async #settleOutcomes(outcomes: readonly RecipientOutcome[]): Promise<void> {
    const textsCut = this.#textsCut
    this.#isDoubtful = true
    const { claimed, chunk } = this.#job
    const kind = { isBulk: claimed.isBulk, attempt: chunk.attempt, zone: chunk.zone }
    const settlement = { chunk: this.#ref, outcomes, textsCut, kind }
    const claim = await this.#deps.commits.settle(claimed, settlement)
    this.#isDoubtful = false
    this.#textsCut -= textsCut
    this.#settledAt = performance.now()
    if (claim === 'stopped') this.stop({ kind: 'later', waitMs: 0 })
    else if (claim !== 'claimed') this.stop({ kind: claim })
  }

  /**
   * Lets the verdicts decide about the channel: a refused credential or the brake pauses it, success resumes it. A
   * verdict that the brake holds back is replaced, or left out, so that its device stays live.
   */
  async #judge(verdicts: readonly RecipientVerdict[]): Promise<readonly RecipientVerdict[]> {
    const { channels, clock } = this.#deps
    const { sender } = this.#job
    const ref = this.#channel
    const { held, ...move } = await channels.judge(ref, sender, {
      verdicts: ofChannel(verdicts),
      now: clock.now(),
    })
    if (move.to === 'paused') this.stop({ kind: 'paused' })
    await channels.move(ref, sender, move)
    if (move.to !== 'paused' && held.size === 0) return verdicts
    return verdicts.flatMap((given) => {
      const isUntried = move.to === 'paused' && isSuspect(given.verdict)
      if (!isUntried && !held.has(given)) return [given]
      const verdict = heldVerdict(given.verdict, sender)
      if (verdict !== null) return [{ ...given, verdict }]
      this.leaveOut(PAUSE_RULES.pauseMs)
      return []
    })
  }

  get #channel(): ChannelRef {
    const { claimed, chunk } = this.#job
    return { brandId: claimed.brandId, platform: chunk.platform }
  }

  /** Finds out what the doubtful settlement wrote: a recipient without an outcome is still in the chunk. */
  async #recover(): Promise<void> {
    const { database, commits } = this.#deps
    const ref = await reclaimChunk(database, this.#ref, { leaseMs: LEASE_MS })
    this.#isDoubtful = false
    if (ref === null) return this.stop({ kind: 'lost' })
    this.#ref = ref
    const chunk = await commits.open({ ...this.#job.claimed, ...ref })
    if (chunk === null) return this.stop({ kind: 'lost' })
    if (chunk.isCancelled) this.stop({ kind: 'cancelled' })
    const open = new Set(await loadUnsettled(database, ref))
    this.#unsettled = this.#unsettled.filter(({ recipient }) => open.has(recipient.id))
  }

  async #letGo(): Promise<void> {
    const { commits } = this.#deps
    const stop = this.#stop
    if (stop === null) return
    switch (stop.kind) {
      case 'lost':
        return
      case 'cancelled':
      case 'expired':
        await commits.end(this.#job.claimed, this.#ref, { state: stop.kind, reason: stop.kind })
        return
      case 'paused':
        await commits.postponePaused(this.#job.claimed, this.#ref)
        return
      case 'later':
        await commits.postpone({ chunk: this.#ref, waitMs: stop.waitMs })
        return
      default:
        unreachable(stop)
    }
  }
}

/** Without anything to write, we ask this often whether the notification was cancelled. */
const ASK_EVERY_MS = 500
