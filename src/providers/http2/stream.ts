import { AnswerBody } from '../answer-body.ts'
import type { PoolLimits } from '../pool-limits.ts'
import type { OnAnswer, ProviderAnswer } from '../transport.ts'
import type { AnswerHead } from './answer-head.ts'
import type { ByteRange } from './frame.ts'

/**
 * One request under way. Once a status has come, that is the answer, whatever happens to the body. Before that, the
 * answer depends on whether the peer may have processed the request.
 */
export class Stream {
  readonly id: number
  readonly since = performance.now()
  /** The part of the request's body that has not left yet. */
  unsent: Uint8Array = NOTHING
  /** How many bytes of the body the peer accepts now. */
  window: number
  readonly #onAnswer: OnAnswer
  readonly #answerBytesMax: number
  readonly #isAcceptedBodyRead: boolean
  #body: AnswerBody | null = null
  #droppedBytes = 0
  #head: AnswerHead | null = null
  /** When the status came; endless until then. */
  #headAt = Number.POSITIVE_INFINITY

  constructor({ id, window, answerBytesMax, isAcceptedBodyRead, onAnswer }: StreamOptions) {
    this.id = id
    this.window = window
    this.#answerBytesMax = answerBytesMax
    this.#isAcceptedBodyRead = isAcceptedBodyRead
    this.#onAnswer = onAnswer
  }

  /** Trailers come as a second head and are ignored; an interim answer (1xx) is followed by the real one. */
  takeHead(head: AnswerHead): void {
    if (this.#head !== null || head.status < 200) return
    this.#head = head
    this.#headAt = performance.now()
  }

  /** Whether the time is up, for the status or for the body that should follow it. */
  isOverdue(now: number, { answerMs, bodyMs, acceptedBodyMs }: StreamTimes): boolean {
    return now - this.since >= answerMs || now - this.#headAt >= (this.#isAccepted ? acceptedBodyMs : bodyMs)
  }

  /** False once enough has been read. */
  takeBody({ bytes, start, end }: ByteRange): boolean {
    if (this.#isAccepted && !this.#isAcceptedBodyRead) {
      this.#droppedBytes += end - start
      return this.#droppedBytes < this.#answerBytesMax
    }
    this.#body ??= new AnswerBody(this.#answerBytesMax)
    return this.#body.take(bytes.subarray(start, end))
  }

  /** Gives the answer, or `otherwise` while no status has come. */
  finish(otherwise: ProviderAnswer): void {
    if (this.#head === null) return this.#onAnswer(otherwise)
    const { status, retryAfter } = this.#head
    return this.#onAnswer({ kind: 'answered', status, retryAfter, body: this.#body?.text() ?? '' })
  }

  get #isAccepted(): boolean {
    return this.#head !== null && this.#head.status < 300
  }
}

type StreamTimes = Pick<PoolLimits, 'answerMs' | 'bodyMs' | 'acceptedBodyMs'>

type StreamOptions = {
  readonly id: number
  readonly window: number
  readonly answerBytesMax: number
  readonly isAcceptedBodyRead: boolean
  readonly onAnswer: OnAnswer
}

const NOTHING = new Uint8Array()
