import type { Log } from '../log.ts'
import { type Metrics, mergeMetrics } from '../metrics.ts'
import { CrewMember } from './crew-member.ts'
import { CrewPlace } from './crew-place.ts'

export type SupervisorOptions = {
  /** What each process runs; it is started as `script role --name role-1`. */
  readonly script: string
  readonly roles: readonly { readonly role: string; readonly count: number }[]
  /** What they are told on top of the environment they share. */
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  readonly metrics: Metrics
  readonly drainMaxMs: number
}

/**
 * Keeps a crew of API and worker processes. The API processes share one port: the supervisor accepts connections
 * and hands each to one of them, so a process can come and go without the port ever being closed.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #places: readonly CrewPlace[] = []
  #measuring: Promise<string> | null = null
  #rolling: Promise<void> | null = null

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Starts the crew and returns when all are in service; throws why the first one failed. */
  async start(): Promise<void> {
    const { roles } = this.#options
    this.#places = roles.flatMap(({ role, count }) =>
      Array.from({ length: count }, (_, index) => this.#place(role, `${role}-${index + 1}`)),
    )
    await Promise.all(this.#places.map(async (place) => place.start()))
  }

  /** Replaces every process, one after the other, without a moment in which nobody answers. */
  async roll(): Promise<void> {
    this.#rolling ??= this.#replaceAll().finally(() => {
      this.#rolling = null
    })
    await this.#rolling
  }

  /** Lets every process finish what it has in flight. */
  async stop(): Promise<void> {
    await Promise.all(this.#places.map(async (place) => place.stop(this.#options.drainMaxMs)))
  }

  /** Ends every process now. */
  kill(): void {
    for (const place of this.#places) place.kill()
  }

  #place(role: string, name: string): CrewPlace {
    const { log, metrics, script, environment } = this.#options
    const restarts = metrics.counter({
      name: 'beckon_process_restarts_total',
      help: 'Processes started in place of one that died.',
      labels: ['name'],
    })
    restarts({ name }, 0)
    return new CrewPlace({
      spawn: () => new CrewMember({ role, name, script, environment }, async () => this.#measure()),
      log,
      onRestart: () => restarts({ name }, 1),
    })
  }

  async #replaceAll(): Promise<void> {
    const { log, drainMaxMs } = this.#options
    log.info('rolling restart begins')
    for (const place of this.#places) await place.replace(drainMaxMs)
    log.info('rolling restart is done')
  }

  /** Scrapes that come at the same time share one round of questions. */
  async #measure(): Promise<string> {
    this.#measuring ??= this.#measureAll().finally(() => {
      this.#measuring = null
    })
    return this.#measuring
  }

  async #measureAll(): Promise<string> {
    const texts = await Promise.all([
      this.#options.metrics.render(),
      ...this.#places.map(async ({ current }) => current.measure()),
    ])
    return mergeMetrics(texts.filter((text) => text !== null))
  }
}
