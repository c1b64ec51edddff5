import type { Verdict } from '../domain/push/verdict.ts'
import { PAUSE_RULES } from '../rules/push.ts'
import { systemSleep } from '../runtime/clock.ts'
import { Wake } from '../runtime/loop/wake.ts'
import type { Recipient } from '../store/push/recipient.ts'
import type { ChunkJob, SendDeps } from './chunk-job.ts'
import { ChunkLedger } from './chunk-ledger.ts'
import { DeliveryNames } from './delivery-names.ts'
import { MessageInFlight } from './message-in-flight.ts'
import { UNBOUND } from './pace.ts'
import type { SendWindow, WindowNews } from './send-window.ts'
import { writerOf } from './writer.ts'

/**
 * Hands the recipients of one chunk over, many at once, and settles their outcomes meanwhile.
 *
 * | state    | moves on                                                                            |
 * |----------|-------------------------------------------------------------------------------------|
 * | feeding  | the last recipient is handed over, the ledger is stopped, or an error: draining     |
 * | draining | the last answer in flight has come: ended                                           |
 * | ended    | `finish` writes the rest: finished; it may fail and be called again                 |
 * | finished | –                                                                                   |
 *
 * The ledger settles while the run is feeding or draining, one settlement at a time. Every entry to the send window is
 * left exactly once. Nothing is handed over after the ledger is stopped, and `run` never ends with a message in flight.
 */
export class ChunkRun {
  readonly #deps: SendDeps
  readonly #job: ChunkJob
  readonly #ledger: ChunkLedger
  readonly #write: ReturnType<typeof writerOf>
  readonly #names: DeliveryNames
  readonly #idle = new AbortController()
  /** Nudged when enough verdicts for a settlement have come, and when more may be handed over. */
  readonly #crowd = new Wake()
  readonly #room: Wake
  readonly #bounds: RunBounds
  readonly #onLanded = (message: MessageInFlight, verdict: Verdict | null): void =>
    this.#land(message, verdict)
  #inFlight = 0
  /** The messages of this run that `windows.unsettled` counts. */
  #counted = 0
  /** Set while the run is draining. */
  #drained: PromiseWithResolvers<void> | null = null

  constructor(deps: SendDeps, job: ChunkJob) {
    this.#deps = deps
    this.#job = job
    this.#ledger = new ChunkLedger(deps, job)
    this.#names = new DeliveryNames(deps, job)
    this.#room = job.windows.unsettled.room
    this.#bounds = job.claimed.isBulk ? RUN_BOUNDS.bulk : RUN_BOUNDS.small
    this.#write = writerOf({ ...job, measure: deps.measure[job.chunk.platform] })
  }

  /** Ends when nothing is in flight any more. Verdicts without a written outcome are left to `finish`. */
  async run(signal: AbortSignal): Promise<void> {
    const release = (): void => {
      this.#ledger.stop({ kind: 'later', waitMs: 0 })
      this.#room.nudge()
    }
    signal.addEventListener('abort', release, { once: true })
    if (signal.aborted) release()
    // A single message is in flight until it is settled by `finish`, so that nothing can be settled meanwhile.
    const settling = this.#job.chunk.recipients.length > 1 ? this.#settleOften() : undefined
    try {
      await this.#feed()
    } finally {
      await this.#drain()
      // Only where somebody listens: the exception that an abort makes costs more than the rest of a single message.
      if (settling !== undefined) this.#idle.abort()
      await settling
      this.#count(0)
      signal.removeEventListener('abort', release)
    }
  }

  /** Writes the rest. It may be called again after a failure. */
  async finish(): Promise<void> {
    await this.#ledger.finish()
  }

  /** A settlement that fails ends the run early; `finish` finds out what was written. */
  async #settleOften(): Promise<void> {
    try {
      while (!this.#idle.signal.aborted) {
        const seen = this.#crowd.count
        // A chunk that is lost is not written, so that its verdicts do not become fewer.
        if (this.#ledger.isStopped || this.#ledger.unwritten < this.#bounds.settleAt) {
          await this.#crowd.wait(seen, SETTLE_EVERY_MS, { signal: this.#idle.signal, sleep: systemSleep })
        }
        // A chunk that only waits for answers asks nothing, or else a silent provider would cause a crowd of statements.
        const isQuiet = this.#drained !== null && !this.#ledger.hasFresh
        if (!this.#idle.signal.aborted && !isQuiet) await this.#ledger.settle()
        this.#count(this.#inFlight + this.#ledger.unwritten)
      }
    } catch {
      // The loop calls `finish`, which tries again, and logs a second failure.
      this.#ledger.stop({ kind: 'later', waitMs: 0 })
      this.#room.nudge()
    }
  }

  /** Recipients whose send window is full come last, so that a full window of one push host keeps nobody else waiting. */
  async #feed(): Promise<void> {
    const { chunk, pace, turns } = this.#job
    const endAt = performance.now() + PASS_MS.usual
    const late: Placed[] = []
    for (const [place, recipient] of chunk.recipients.entries()) {
      if (place >= pace.count) break
      // A promise for each message, only to wait for nothing, would cost as much as the headers.
      if (pace !== UNBOUND && !this.#isOver(endAt)) await pace.turn(place)
      if (turns.isOver) await turns.next()
      if (this.#isFull) await this.#untilRoom(endAt)
      if (this.#isOver(endAt)) return
      if (!this.#hand(recipient, place)) late.push({ recipient, place })
    }
    for (const one of late) {
      if (turns.isOver) await turns.next()
      if (this.#isFull) await this.#untilRoom(endAt)
      if (this.#isOver(endAt)) return
      await this.#handLate(one, endAt)
    }
    const { count } = pace
    if (chunk.recipients.length > count) this.#ledger.stop({ kind: 'later', waitMs: pace.leftMs(count) })
  }

  /** Tells how many messages of this run are sent and not settled, which may make room for other runs. */
  #count(unsettled: number): void {
    this.#job.windows.unsettled.add(unsettled - this.#counted)
    this.#counted = unsettled
    this.#room.nudge()
  }

  /** Waits while too many messages are sent and not settled: a killed worker repeats no more than these. */
  async #untilRoom(endAt: number): Promise<void> {
    while (this.#isFull && !this.#isOver(endAt)) {
      const leftMs = Math.max(1, endAt - performance.now())
      await this.#room.wait(this.#room.count, leftMs, { signal: this.#idle.signal, sleep: systemSleep })
    }
  }

  get #isFull(): boolean {
    const own = this.#inFlight + this.#ledger.unwritten
    return own >= this.#bounds.unwrittenMax || this.#job.windows.unsettled.isFull
  }

  /** Whether nothing more may be handed over. */
  #isOver(endAt: number): boolean {
    if (this.#isPassOver(endAt)) this.#ledger.stop({ kind: 'later', waitMs: 0 })
    if (this.#deps.clock.now() >= this.#job.claimed.expiresAt) this.#ledger.stop({ kind: 'expired' })
    return this.#ledger.isStopped
  }

  /** The messages to a silent push host stay in flight for half a minute, in which the rest could not be handed over. */
  #isPassOver(endAt: number): boolean {
    const lateMs = performance.now() - endAt
    if (lateMs <= 0) return false
    return lateMs > PASS_MS.besideSilence || !this.#job.windows.isAnySilent
  }

  async #drain(): Promise<void> {
    if (this.#inFlight === 0) return
    this.#drained = Promise.withResolvers()
    await this.#drained.promise
  }

  /** False if the recipient's send window is full. */
  #hand(recipient: Recipient, place: number): boolean {
    // The cool-downs are those of the brand's credential, and the sandbox is not sent to with it.
    const { coolDowns } = this.#deps.channels
    const waitMs = recipient.isVirtual ? 0 : coolDowns.waitMs(this.#job.sender, recipient)
    const window = this.#windowOf(recipient)
    if (waitMs > 0 || window === null) {
      // The recipient stays in the chunk, untried, until the cool-down is over.
      this.#ledger.leaveOut(waitMs > 0 ? waitMs : HOSTS_WAIT_MS)
      this.#rest(recipient)
      return true
    }
    if (!window.tryEnter()) return false
    this.#deliver({ recipient, place }, window)
    return true
  }

  /** Waits for room, and leaves the recipient out if the push host does not answer. */
  async #handLate({ recipient, place }: Placed, endAt: number): Promise<void> {
    const window = this.#windowOf(recipient)
    if (window === null) return this.#ledger.leaveOut(HOSTS_WAIT_MS)
    if (!(await window.enter())) {
      return this.#ledger.leaveOut(window.waitMs)
    }
    if (this.#isOver(endAt)) return window.leave('none')
    return this.#deliver({ recipient, place }, window)
  }

  /** While the main push host cools down, no chunk of the channel is worth opening. */
  #rest(recipient: Recipient): void {
    const { sender, use } = this.#job
    if (sender.hostOf(recipient) !== sender.mainHost) return
    use.rest(() => this.#deps.channels.coolDowns.waitMs(sender, recipient) > 0)
  }

  #windowOf(recipient: Recipient): SendWindow | null {
    const { sender, windows } = this.#job
    return windows.of(sender.hostOf(recipient))
  }

  /** A message in flight has no promise of its own: its answer calls `#land`, whatever becomes of it, once. */
  #deliver({ recipient, place }: Placed, window: SendWindow): void {
    this.#inFlight += 1
    this.#counted += 1
    this.#job.windows.unsettled.add(1)
    const message = new MessageInFlight({ recipient, window }, this.#onLanded)
    try {
      this.#send(message, place)
    } catch {
      message.onError()
    }
  }

  #land({ recipient, window }: MessageInFlight, verdict: Verdict | null): void {
    try {
      if (verdict !== null) this.#note(recipient, verdict)
      // Our own machinery failed, most likely the database with the tokens. The recipient was not tried.
      else this.#ledger.stop({ kind: 'later', waitMs: PAUSE_AFTER_ERROR_MS })
    } finally {
      window.leave(verdict === null ? 'none' : newsOf(verdict))
      this.#inFlight -= 1
      if (this.#inFlight === 0) this.#drained?.resolve()
    }
  }

  #send(message: MessageInFlight, place: number): void {
    const { recipient } = message
    if (recipient.absence !== null) return message.onVerdict({ kind: 'refused', reason: recipient.absence })
    const ids = this.#names.of(place)
    const written = this.#write({ recipient, ids, now: this.#deps.clock.now() })
    if (written.kind === 'unwritable') return message.onVerdict({ kind: 'refused', reason: written.reason })
    this.#ledger.countCuts(written.cuts)
    return written.send(recipient, ids, message)
  }

  /** A recipient whose credential is refused stays in the chunk, untried. One host's refusal stops nobody else. */
  #note(recipient: Recipient, verdict: Verdict): void {
    const { sender, chunk } = this.#job
    const { channels, clock, onVerdict } = this.#deps
    onVerdict(chunk.platform, verdict)
    this.#ledger.add({ recipient, verdict, at: clock.now() })
    if (this.#ledger.unwritten >= this.#bounds.settleAt) this.#crowd.nudge()
    if (recipient.isVirtual) return
    channels.coolDowns.learn(sender, recipient, verdict)
    if (verdict.kind !== 'paused') return
    if (sender.hasManyHosts) this.#ledger.leaveOut(PAUSE_RULES.pauseMs)
    else this.#ledger.stop({ kind: 'paused' })
  }
}

/** A recipient and its place in the chunk. */
type Placed = { readonly recipient: Recipient; readonly place: number }

type RunBounds = {
  /** The messages of a chunk that may be sent and not settled. */
  readonly unwrittenMax: number
  /** The verdicts that are worth a settlement. */
  readonly settleAt: number
}

/** A settlement of many costs little more than one of few, and a large chunk waits for others of its channel anyway. */
const RUN_BOUNDS = {
  small: { unwrittenMax: 125, settleAt: 60 },
  bulk: { unwrittenMax: 480, settleAt: 240 },
} as const satisfies Record<string, RunBounds>
/** A settlement notices a cancellation, so that it takes effect within a second. */
const SETTLE_EVERY_MS = 400
/**
 * After this long the rest is looked up anew: a device may have unsubscribed, or have another person by now. A pass
 * beside a silent push host may go on for longer.
 */
const PASS_MS = { usual: 3_000, besideSilence: 10_000 } as const
const PAUSE_AFTER_ERROR_MS = 2_000
/** A channel with messages to very many push hosts in flight tries further hosts after this long. */
const HOSTS_WAIT_MS = 1_000

function newsOf({ kind }: Verdict): WindowNews {
  if (kind === 'unknown') return 'unanswered'
  return kind === 'retry' ? 'none' : 'answered'
}
