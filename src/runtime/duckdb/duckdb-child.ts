import type { ChildProcess } from 'node:child_process'
import { reasonOf } from '../errors.ts'
import { DuckDbError, endOf, isFatal } from './duckdb-error.ts'
import { forkProgram } from './fork-program.ts'
import type { DuckDbCell, DuckDbPlan, DuckDbStatement, MessageFromDuckDb } from './messages.ts'
import { leaveTheCpu, preferForOutOfMemory, takeIdleCpu } from './process-priority.ts'
import { removeSpilled } from './spilled.ts'

export type DuckDbOptions = DuckDbPlan & {
  /** An idle process is ended after this time. */
  readonly idleMs: number
  /** Work that nobody waits for gets the CPU that others leave, until that was too little for a statement. */
  readonly isBackground?: boolean
}

export type DuckDbRunOptions = {
  readonly timeoutMs: number
  readonly rowsMax: number
  /** A caller who is gone interrupts the statement. */
  readonly signal?: AbortSignal
  /** Called when the statement's turn has come and its time begins. */
  readonly onTurn?: (() => void) | undefined
  /** Takes the time that the statement waited until those before it were done, once, also if its turn did not come. */
  readonly onWait?: ((ms: number) => void) | undefined
  /** Takes the part of the work that is done, from 0 to 1, a few times a second. It is DuckDB's estimate. */
  readonly onProgress?: ((share: number) => void) | undefined
  /** Statements of different keys take turns, so that many of one do not keep the others waiting. */
  readonly key?: string
  /** The next statement of the same question: the other questions of its key wait until the question is over. */
  readonly isContinued?: boolean
}

const READY_MAX_MS = 60_000
/** DuckDB looks at interrupts between blocks of rows. */
const INTERRUPT_MAX_MS = 2_000

/** One process, from its start to its end. */
export class DuckDbChild {
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  #rest = Promise.withResolvers<void>()
  #restBound: NodeJS.Timeout | undefined
  #isOver = false
  #isWorn = false
  #asked: Asked | null = null
  #lastId = 0

  constructor({ isBackground = false, ...plan }: Omit<DuckDbOptions, 'idleMs'>) {
    this.#process = forkProgram(plan)
    this.#rest.resolve()
    const exited = Promise.withResolvers<void>()
    this.exited = exited.promise
    // A caller that waits for the process gets the rejection; without a caller the rejection is of no interest.
    this.#ready.promise.catch(() => undefined)
    const bound = setTimeout(() => {
      if (isBackground) this.#fail(new DuckDbError('late', `not ready within ${READY_MAX_MS} ms`))
      this.kill()
    }, READY_MAX_MS)
    this.#process.unref()
    this.#process.channel?.unref()
    preferForOutOfMemory(this.#process.pid)
    if (isBackground) leaveTheCpu(this.#process.pid)
    this.#process.on('error', (cause) => {
      // A message to a process that has just died fails too; then `exit` tells of the death.
      if (this.#process.pid !== undefined) return
      clearTimeout(bound)
      this.#isOver = true
      this.#fail(new DuckDbError('ended', `the process did not start: ${reasonOf(cause)}`))
      exited.resolve()
    })
    this.#process.on('message', (message: MessageFromDuckDb) => {
      if (message.kind === 'ready') {
        clearTimeout(bound)
        if (isBackground) takeIdleCpu(this.#process.pid)
        this.#ready.resolve()
      } else if (message.kind === 'progress') this.#tell(message)
      else if (message.kind === 'rested') this.#endRest(message)
      else this.#settle(message)
    })
    this.#process.once('exit', (code, signal) => {
      clearTimeout(bound)
      this.#isOver = true
      this.#fail(endOf(code, signal))
      this.#endRest({ isWorn: false })
      void removeSpilled(plan.scratch, this.#process.pid).finally(() => exited.resolve())
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the process was ended because it kept too much memory of former statements. */
  get isWorn(): boolean {
    return this.#isWorn
  }

  /** Resolves when the process can run the next statement, or will never run one. */
  get rested(): Promise<void> {
    return this.#rest.promise
  }

  get pid(): number | null {
    return this.#isOver ? null : (this.#process.pid ?? null)
  }

  kill(): void {
    // Nobody takes this process any more, although the kernel tells of its end a moment later. `close` waits for that.
    this.#isOver = true
    this.#process.ref()
    this.#process.kill('SIGKILL')
  }

  async run(
    statement: DuckDbStatement,
    { timeoutMs, rowsMax, signal, onProgress }: DuckDbRunOptions,
  ): Promise<DuckDbRows> {
    await this.#ready.promise
    const id = ++this.#lastId
    const answer = Promise.withResolvers<DuckDbRows>()
    this.#asked = { id, answer, onProgress }
    const stop = (): void => this.#interrupt()
    let isOverTime = false
    const bound = setTimeout(() => {
      isOverTime = true
      stop()
    }, timeoutMs)
    signal?.addEventListener('abort', stop)
    const tellsProgress = onProgress !== undefined
    this.#process.send({ kind: 'run', id, statement, rowsMax, tellsProgress }, (cause) => {
      if (cause !== null) this.#fail(endOf(null, null))
    })
    if (signal?.aborted === true) stop()
    try {
      return await answer.promise
    } catch (cause) {
      // The process cannot tell why it was interrupted, or killed because it did not stop.
      throw isOverTime
        ? new DuckDbError('late', `not done within ${timeoutMs} ms: ${reasonOf(cause)}`)
        : cause
    } finally {
      clearTimeout(bound)
      clearTimeout(this.#patience)
      signal?.removeEventListener('abort', stop)
      this.#asked = null
    }
  }

  #patience: NodeJS.Timeout | undefined

  #interrupt(): void {
    this.#process.send({ kind: 'interrupt' }, () => undefined)
    this.#patience ??= setTimeout(() => this.kill(), INTERRUPT_MAX_MS)
  }

  #tell({ id, share }: Extract<MessageFromDuckDb, { kind: 'progress' }>): void {
    if (this.#asked?.id === id) this.#asked.onProgress?.(share)
  }

  #settle(message: Extract<MessageFromDuckDb, { kind: 'answer' | 'trouble' }>): void {
    if (this.#asked?.id !== message.id) return
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (message.rests) this.#beginRest()
    if (message.kind === 'answer') return this.#asked.answer.resolve(message.rows)
    const error = new DuckDbError(message.trouble, message.message)
    this.#asked.answer.reject(error)
    // After such a failure DuckDB refuses every further statement.
    if (isFatal(error)) this.kill()
  }

  #beginRest(): void {
    this.#rest = Promise.withResolvers()
    this.#restBound = setTimeout(() => this.kill(), READY_MAX_MS).unref()
  }

  #endRest({ isWorn }: Pick<Extract<MessageFromDuckDb, { kind: 'rested' }>, 'isWorn'>): void {
    clearTimeout(this.#restBound)
    if (isWorn && !this.#isOver) {
      this.#isWorn = true
      this.kill()
    }
    this.#rest.resolve()
  }

  #fail(error: DuckDbError): void {
    this.#ready.reject(error)
    this.#asked?.answer.reject(error)
  }
}

export type DuckDbRows = readonly (readonly DuckDbCell[])[]

type Asked = Pick<DuckDbRunOptions, 'onProgress'> & {
  readonly id: number
  readonly answer: PromiseWithResolvers<DuckDbRows>
}
