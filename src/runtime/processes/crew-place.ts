import { systemSleep } from '../clock.ts'
import type { Log } from '../log.ts'
import { type Backoff, backoffMs } from '../loop/backoff.ts'
import type { CrewMember, Exit } from './crew-member.ts'

export type CrewPlaceOptions = {
  readonly spawn: () => CrewMember
  readonly log: Log
  /** Told of every start that follows a death. */
  readonly onRestart: () => void
}

const RESTART: Backoff = { minMs: 100, maxMs: 30_000 }
/** A process that lived this long died of something new. */
const STEADY_MS = 60_000
const CRASH_LOOP_DEATHS = 5

/** One place in the crew, and whoever fills it now. A process that dies is followed by another, as often as it takes. */
export class CrewPlace {
  readonly #options: CrewPlaceOptions
  readonly #stopping = new AbortController()
  #current: CrewMember
  #deaths = 0

  constructor(options: CrewPlaceOptions) {
    this.#options = options
    this.#current = options.spawn()
  }

  get current(): CrewMember {
    return this.#current
  }

  /** Waits for the first process and from then on keeps the place filled. A first failure is the caller's to tell. */
  async start(): Promise<void> {
    await this.#current.ready
    void this.#keepFilled()
  }

  /** Puts a new process in place of the old one, which leaves once the new one is in service. */
  async replace(drainMaxMs: number): Promise<void> {
    const old = this.#current
    const next = this.#options.spawn()
    try {
      await next.ready
    } catch (cause) {
      // The old one stays; of the new one nothing must be left.
      next.kill()
      throw cause
    }
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

  async #keepFilled(): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      const watched = this.#current
      const exit = await watched.exited
      if (watched !== this.#current) continue
      if (!signal.aborted) await this.#pause(watched, exit)
      if (signal.aborted) return
      if (watched === this.#current) this.#refill()
    }
  }

  /** Waits longer after each quick death, and says so when that becomes a habit. */
  async #pause(dead: CrewMember, exit: Exit): Promise<void> {
    const livedMs = performance.now() - dead.bornAt
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

  #refill(): void {
    const next = this.#options.spawn()
    this.#current = next
    this.#options.onRestart()
    next.ready.catch((error: unknown) => {
      // One that hangs instead of dying would keep its place for ever.
      next.kill()
      this.#options.log.error('a process could not be started again', { name: next.name, error })
    })
  }
}
