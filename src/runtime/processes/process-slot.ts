import { systemSleep } from '../clock.ts'
import type { Log } from '../log.ts'
import { type Backoff, backoffMs } from '../loop/backoff.ts'
import type { ProcessExit, SupervisedProcess } from './supervised-process.ts'

/** The part of a process that a slot uses; tests bring processes that start and die when they say so. */
export type SlotProcess = Pick<
  SupervisedProcess,
  'name' | 'startedAt' | 'exited' | 'ready' | 'drain' | 'kill' | 'measure'
>

type ProcessSlotOptions = {
  readonly spawn: () => SlotProcess
  readonly log: Log
  /** Called at every start that follows a death. */
  readonly onRestart: () => void
}

const RESTART: Backoff = { minMs: 100, maxMs: 30_000 }
/** A process that lived this long had recovered: its death counts as the first. */
const STEADY_MS = 60_000
const CRASH_LOOP_DEATHS = 5

/**
 * Keeps one process of a role running, such as `api-1`: a process that dies is followed by another.
 *
 * | state     | moves to  | when                                                                                 |
 * |-----------|-----------|--------------------------------------------------------------------------------------|
 * | starting  | running   | `start`, and the first process is ready                                              |
 * |           | failed    | the first process is not: `start` rejects, and the supervisor ends the whole start   |
 * | running   | waiting   | the current process dies                                                             |
 * |           | replacing | `replace`                                                                            |
 * | waiting   | running   | the back-off is over: another process is started                                     |
 * | replacing | running   | the new process is ready and becomes the current one; the old process is drained     |
 * |           | running   | the new process failed: it is killed, and the old process stays the current one      |
 * | any       | stopped   | `stop` drains the current process, `kill` kills it; a process to come is killed too  |
 *
 * Never does a slot start a process after it was stopped, and never does it count the exit of a process that it
 * replaced as a death. The old and the new process run beside each other only while the slot replaces.
 */
export class ProcessSlot {
  readonly #options: ProcessSlotOptions
  readonly #stopping = new AbortController()
  #current: SlotProcess
  #deaths = 0

  constructor(options: ProcessSlotOptions) {
    this.#options = options
    this.#current = options.spawn()
  }

  get current(): SlotProcess {
    return this.#current
  }

  /** Waits for the first process and from then on restarts the process that dies. */
  async start(): Promise<void> {
    await this.#current.ready
    void this.#keepRunning()
  }

  /** Replaces the process; the old one is drained once the new one is in service. */
  async replace(drainMaxMs: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const next = this.#options.spawn()
    try {
      await next.ready
    } catch (cause) {
      // The old process stays. The new one may have hung instead of dying.
      next.kill()
      throw cause
    }
    if (this.#stopping.signal.aborted) return next.kill()
    // Read only now: the process of before may have died meanwhile and been followed by another.
    const old = this.#current
    this.#current = next
    await old.drain(drainMaxMs)
  }

  async stop(drainMaxMs: number): Promise<void> {
    this.#stopping.abort()
    await this.#current.drain(drainMaxMs)
  }

  kill(): void {
    this.#stopping.abort()
    this.#current.kill()
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      const watched = this.#current
      const exit = await watched.exited
      if (watched !== this.#current) continue
      if (!signal.aborted) await this.#pause(watched, exit)
      if (signal.aborted) return
      if (watched === this.#current) this.#startNext()
    }
  }

  /** Waits longer after each quick death, and logs an error when the process keeps dying. */
  async #pause(dead: SlotProcess, exit: ProcessExit): Promise<void> {
    const livedMs = performance.now() - dead.startedAt
    this.#deaths = livedMs >= STEADY_MS ? 1 : this.#deaths + 1
    const waitMs = backoffMs(RESTART, this.#deaths, Math.random())
    const { log } = this.#options
    log.warn('a process died and is started again', {
      name: dead.name,
      ...exit,
      deaths: this.#deaths,
      waitMs,
    })
    if (this.#deaths === CRASH_LOOP_DEATHS) {
      log.error(
        `${dead.name} keeps dying; the lines above say why. It is tried again, at least twice a minute`,
      )
    }
    await systemSleep(waitMs, this.#stopping.signal)
  }

  #startNext(): void {
    const next = this.#options.spawn()
    this.#current = next
    this.#options.onRestart()
    next.ready.catch((error: unknown) => {
      // A process that hangs instead of dying would keep its slot for ever.
      next.kill()
      this.#options.log.error('a process could not be started again', { name: next.name, error })
    })
  }
}
