import { Limiter, type Permit } from '../limits/limiter.ts'
import { DuckDbChild, type DuckDbOptions, type DuckDbRows, type DuckDbRunOptions } from './duckdb-child.ts'
import { isFatal, isLate } from './duckdb-error.ts'
import type { DuckDbPlan, DuckDbStatement } from './messages.ts'

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
 * |          | resting  | the same, and the process has much memory: it opens its database anew                   |
 * |          | absent   | the process ends: the statement fails with `ended`, or with `memory`                    |
 * |          | absent   | a fault of DuckDB's own makes its database useless: the process is killed, and a        |
 * |          |          | statement that reads runs once more in the next one, in what is left of its time        |
 * |          | absent   | the statement is interrupted and does not stop soon: the process is killed              |
 * |          | absent   | the statement of a background process is late: the process is killed, and those after   |
 * |          |          | it have the priority of everybody until `close`                                         |
 * | resting  | idle     | its database is open again                                                              |
 * |          | starting | it still keeps too much memory of former statements                                     |
 * |          | absent   | it ends, or does not say in time that it is done                                        |
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
  #child: DuckDbChild | null = null
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
  async run(statement: DuckDbStatement, options: DuckDbRunOptions): Promise<DuckDbRows> {
    const turn = await this.#takeTurn(options)
    try {
      return await this.#runInTurn(statement, options)
    } finally {
      // The caller has the answer meanwhile.
      void this.#rest().finally(() => turn.release())
    }
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

  async #takeTurn({ key, signal, onWait, isContinued = false }: DuckDbRunOptions): Promise<Permit> {
    const askedAt = performance.now()
    try {
      return await this.#turns.take({ ...(key && { key }), ...(signal && { signal }), isContinued })
    } finally {
      onWait?.(performance.now() - askedAt)
    }
  }

  async #runInTurn(statement: DuckDbStatement, options: DuckDbRunOptions): Promise<DuckDbRows> {
    clearTimeout(this.#idle)
    options.onTurn?.()
    const endsAt = performance.now() + options.timeoutMs
    try {
      return await this.#runOnce(statement, options)
    } catch (cause) {
      // Such a fault often comes by chance, and not again in the next process. A statement that writes is not repeated, because it may
      // have written something.
      const isReading = this.#options.access === 'read' && options.signal?.aborted !== true
      const timeoutMs = Math.floor(endsAt - performance.now())
      if (!isFatal(cause) || !isReading || timeoutMs <= 0) throw cause
      return this.#runOnce(statement, { ...options, timeoutMs })
    }
  }

  /** Waits until the process can run the next statement. */
  async #rest(): Promise<void> {
    await this.#child?.rested
    if (this.#child?.isWorn === true) await this.#replace(this.#child)
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
  }

  async #runOnce(statement: DuckDbStatement, options: DuckDbRunOptions): Promise<DuckDbRows> {
    const child = this.#takeChild()
    try {
      return await child.run(statement, options)
    } catch (cause) {
      // The failure goes on to the caller. Here it tells that others leave too little of the CPU.
      if (isLate(cause) && this.#options.isBackground === true) await this.#hurry(child)
      throw cause
    }
  }

  #takeChild(): DuckDbChild {
    if (this.#child !== null && !this.#child.isOver) return this.#child
    const isBackground = this.#options.isBackground === true && !this.#isHurried
    this.#child = new DuckDbChild({ ...this.#options, isBackground })
    return this.#child
  }

  /** A thread cannot get its priority back. The memory of the process is free before the next one begins. */
  async #hurry(child: DuckDbChild): Promise<void> {
    this.#isHurried = true
    this.#end()
    await child.exited
  }

  /** Starts a process in the place of one that is worn, so that the next statement need not wait for the start. */
  async #replace(worn: DuckDbChild): Promise<void> {
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
