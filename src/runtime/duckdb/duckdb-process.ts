import type { ChildProcess } from 'node:child_process'
import { reasonOf } from '../errors.ts'
import { Limiter } from '../limits/limiter.ts'
import { DuckDbError, endOf, isFatal, isLate } from './duckdb-error.ts'
import { forkProgram } from './fork-program.ts'
import { type DuckDbCell, type DuckDbPlan, type DuckDbStatement, type MessageFromDuckDb } from './messages.ts'
import { leaveTheCpu, preferForOutOfMemory, takeIdleCpu } from './process-priority.ts'
import { removeSpilled } from './spilled.ts'

export type DuckDbOptions = DuckDbPlan & {
  /** An idle process is ended after this time. */
  readonly idleMs: number
  /** Work that nobody waits for gets the CPU that others leave, until that was too little for a statement. */
  readonly isBackground?: boolean
}

type RunOptions = {
  readonly timeoutMs: number
  readonly rowsMax: number
  /** A caller who is gone interrupts the statement. */
  readonly signal?: AbortSignal
  /** Called when the statement's turn has come and its time begins. */
  readonly onTurn?: (() => void) | undefined
  /** Takes the part of the work that is done, from 0 to 1, a few times a second. It is DuckDB's estimate. */
  readonly onProgress?: ((share: number) => void) | undefined
  /** Statements of different keys take turns, so that many of one do not keep the others waiting. */
  readonly key?: string
}

/**
 * DuckDB in a process of its own. The process sees no environment, no network and one folder; it is limited in memory, and
 * each statement in time. Statements run one after the other, so that the end of the process is the end of one statement.
 *
 * | state    | moves to | when                                                                                    |
 * |----------|----------|-----------------------------------------------------------------------------------------|
 * | absent   | starting | a statement comes                                                                       |
 * | starting | running  | the process says that it is ready                                                       |
 * |          | absent   | it ends, or is not ready in time: the statement fails with `ended`. A background        |
 * |          |          | process that is not ready in time had too little of the CPU: its statement is late      |
 * | running  | idle     | the statement is answered, or fails by itself                                           |
 * |          | absent   | the process ends: the statement fails with `ended`, or with `memory`                    |
 * |          | absent   | a fault of DuckDB's own makes its database useless: the process is killed, and a        |
 * |          |          | statement that reads runs once more in the next one, in what is left of its time        |
 * |          | starting | the statement is answered, and the process keeps too much memory of former statements   |
 * |          | absent   | the statement is interrupted and does not stop soon: the process is killed              |
 * |          | absent   | the statement of a background process is late: the process is killed, and those after   |
 * |          |          | it have the priority of everybody until `close`                                         |
 * | idle     | running  | the next statement comes                                                                |
 * |          | absent   | nothing comes for `idleMs`, or `close`, or the process ends                             |
 *
 * Never do two statements share a process at the same time, and never does a later statement see the end of a process
 * that an earlier one caused.
 */
export class DuckDbProcess {
  readonly #options: DuckDbOptions
  readonly #turns = new Limiter({ capacity: 1, waitersMax: WAITERS_MAX, waitMs: WAIT_MS })
  readonly #works = new Limiter({ capacity: 1, waitersMax: WAITERS_MAX, waitMs: WORK_WAIT_MS })
  #child: Child | null = null
  #idle: NodeJS.Timeout | undefined
  #isHurried = false

  constructor(options: DuckDbOptions) {
    this.#options = options
  }

  /** The id of the process, or null if there is none at this moment. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get plan(): DuckDbPlan {
    return this.#options
  }

  /** Whether a statement of background work was late, so that the work now has the priority of everybody. */
  get isHurried(): boolean {
    return this.#isHurried
  }

  /** The rows of a statement. Throws a `DuckDbError`, or `QueueFull` if too many statements wait. */
  async run(statement: DuckDbStatement, options: RunOptions): Promise<Rows> {
    const { key, signal } = options
    return this.#turns.run({ ...(key && { key }), ...(signal && { signal }) }, async () => {
      clearTimeout(this.#idle)
      options.onTurn?.()
      const endsAt = performance.now() + options.timeoutMs
      try {
        return await this.#runOnce(statement, options)
      } catch (cause) {
        // Such a fault often comes by chance, and not again in the next process. A statement that writes is not repeated, because it may
        // have written something.
        const isRepeated = isFatal(cause) && this.#options.access === 'read' && signal?.aborted !== true
        const timeoutMs = Math.floor(endsAt - performance.now())
        if (!isRepeated || timeoutMs <= 0) throw cause
        return await this.#runOnce(statement, { ...options, timeoutMs })
      } finally {
        if (this.#child?.isWorn === true) await this.#replace(this.#child)
        this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
      }
    })
  }

  /** Does work of several statements that share a table. Other such work waits until it is over. */
  async alone<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#works.run({}, work)
  }

  /** Ends the process and waits until it is gone. */
  async close(): Promise<void> {
    const child = this.#child
    this.#end()
    this.#isHurried = false
    await child?.exited
  }

  async #runOnce(statement: DuckDbStatement, options: RunOptions): Promise<Rows> {
    const child = this.#takeChild()
    try {
      return await child.run(statement, options)
    } catch (cause) {
      // The failure goes on to the caller. Here it tells that others leave too little of the CPU.
      if (isLate(cause) && this.#options.isBackground === true) await this.#hurry(child)
      throw cause
    }
  }

  #takeChild(): Child {
    if (this.#child !== null && !this.#child.isOver) return this.#child
    const isBackground = this.#options.isBackground === true && !this.#isHurried
    this.#child = new Child({ ...this.#options, isBackground })
    return this.#child
  }

  /** A thread cannot get its priority back. The memory of the process is free before the next one begins. */
  async #hurry(child: Child): Promise<void> {
    this.#isHurried = true
    this.#end()
    await child.exited
  }

  /** Starts a process in the place of one that is worn, so that the next statement need not wait for the start. */
  async #replace(worn: Child): Promise<void> {
    await worn.exited
    if (this.#child === worn) this.#takeChild()
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#child?.kill()
    this.#child = null
  }
}

/** As many questions as a busy dashboard asks at once; more are told to come back. */
const WAITERS_MAX = 32
const WAIT_MS = 30_000
/** Each statement of a work has a bound of its own, so this one is only for a work that never ends. */
const WORK_WAIT_MS = 3_600_000

const READY_MAX_MS = 60_000
/** DuckDB looks at interrupts between blocks of rows. */
const INTERRUPT_MAX_MS = 2_000

/** One process, from its start to its end. */
class Child {
  readonly exited: Promise<void>
  readonly #process: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  #isOver = false
  #isWorn = false
  #asked: Asked | null = null
  #lastId = 0

  constructor({ isBackground = false, ...plan }: Omit<DuckDbOptions, 'idleMs'>) {
    this.#process = forkProgram(plan)
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
      else if (message.kind === 'worn') this.#isWorn = true
      else this.#settle(message)
    })
    this.#process.once('exit', (code, signal) => {
      clearTimeout(bound)
      this.#isOver = true
      this.#fail(endOf(code, signal))
      void removeSpilled(plan.scratch, this.#process.pid).finally(() => exited.resolve())
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether the process keeps too much memory of former statements. Its last reply ends it. */
  get isWorn(): boolean {
    return this.#isWorn
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
    { timeoutMs, rowsMax, signal, onProgress }: RunOptions,
  ): Promise<Rows> {
    await this.#ready.promise
    const id = ++this.#lastId
    const answer = Promise.withResolvers<Rows>()
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
    if (this.#isWorn) this.kill()
    if (message.kind === 'answer') return this.#asked.answer.resolve(message.rows)
    const error = new DuckDbError(message.trouble, message.message)
    this.#asked.answer.reject(error)
    // After such a failure DuckDB refuses every further statement.
    if (isFatal(error)) this.kill()
  }

  #fail(error: DuckDbError): void {
    this.#ready.reject(error)
    this.#asked?.answer.reject(error)
  }
}

type Rows = readonly (readonly DuckDbCell[])[]

type Asked = Pick<RunOptions, 'onProgress'> & {
  readonly id: number
  readonly answer: PromiseWithResolvers<Rows>
}
