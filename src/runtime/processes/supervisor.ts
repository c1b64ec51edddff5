import type { Log } from '../log.ts'
import { MEASURES } from '../measures.ts'
import { type Metrics, mergeMetrics } from '../metrics.ts'
import { ProcessSlot } from './process-slot.ts'
import { SupervisedProcess } from './supervised-process.ts'

type SupervisorOptions = {
  /** The program of every process, started as `script role --name role-1`. */
  readonly script: string
  readonly roles: readonly { readonly role: string; readonly count: number }[]
  /** Environment variables of the processes, beside those of the supervisor. */
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  readonly metrics: Metrics
  readonly drainMaxMs: number
}

/**
 * Starts, restarts, replaces and stops API and worker processes, one slot for each. The API processes share one port:
 * the supervisor accepts connections and hands each to one of them, so the port stays open while a process is replaced.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #slots: readonly ProcessSlot[] = []
  #measuring: Promise<string> | null = null
  #rolling: Promise<void> | null = null

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts all processes and returns when all are in service; throws the failure of the first that cannot start. */
  async start(): Promise<void> {
    const { roles } = this.#options
    this.#slots = roles.flatMap(({ role, count }) =>
      Array.from({ length: count }, (_, index) => this.#slot(role, `${role}-${index + 1}`)),
    )
    await Promise.all(this.#slots.map(async (slot) => slot.start()))
  }

  /** Replaces every process, one after the other, so that requests are answered all the time. */
  async roll(): Promise<void> {
    this.#rolling ??= this.#replaceAll().finally(() => {
      this.#rolling = null
    })
    await this.#rolling
  }

  /** Drains every process. */
  async stop(): Promise<void> {
    await Promise.all(this.#slots.map(async (slot) => slot.stop(this.#options.drainMaxMs)))
  }

  /** Kills every process. */
  kill(): void {
    for (const slot of this.#slots) slot.kill()
  }

  #slot(role: string, name: string): ProcessSlot {
    const { log, metrics, script, environment } = this.#options
    const restarts = metrics.counter(MEASURES.processRestarts)
    restarts({ name }, 0)
    return new ProcessSlot({
      spawn: () => new SupervisedProcess({ role, name, script, environment }, async () => this.#measure()),
      log,
      onRestart: () => restarts({ name }, 1),
    })
  }

  async #replaceAll(): Promise<void> {
    const { log, drainMaxMs } = this.#options
    log.info('rolling restart begins')
    for (const slot of this.#slots) await slot.replace(drainMaxMs)
    log.info('rolling restart is done')
  }

  /** Scrapes that come at the same time share one round of messages. */
  async #measure(): Promise<string> {
    this.#measuring ??= this.#measureAll().finally(() => {
      this.#measuring = null
    })
    return this.#measuring
  }

  async #measureAll(): Promise<string> {
    const texts = await Promise.all([
      this.#options.metrics.render(),
      ...this.#slots.map(async ({ current }) => current.measure()),
    ])
    return mergeMetrics(texts.filter((text) => text !== null))
  }
}
