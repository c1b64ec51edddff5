import type { Log } from '../log.ts'
import type { Lease, LoopTime } from './loop.ts'
import type { LoopTask } from './task.ts'

/** A lease that is renewed at a third of its time survives two failed renewals. */
const RENEWALS_PER_LEASE = 3

/**
 * Renews the leases of the tasks in flight, and sleeps while there are none. A task whose lease was not renewed is told
 * that it lost its item.
 */
export class LeaseKeeper<Item, Outcome> {
  readonly #lease: Lease<Item>
  readonly #time: LoopTime
  readonly #log: Log
  readonly #leasedUntil = new Map<LoopTask<Item, Outcome>, number>()
  #leased = Promise.withResolvers<void>()

  constructor(lease: Lease<Item>, time: LoopTime, log: Log) {
    this.#lease = lease
    this.#time = time
    this.#log = log
  }

  /** `leasedAt` is when the claim was sent, so the end of the lease is estimated early rather than late. */
  keep(task: LoopTask<Item, Outcome>, leasedAt: number): void {
    this.#leasedUntil.set(task, leasedAt + this.#lease.ms)
    this.#leased.resolve()
  }

  drop(task: LoopTask<Item, Outcome>): void {
    this.#leasedUntil.delete(task)
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#leased.resolve(), { once: true })
    while (!signal.aborted) {
      await this.#untilLeased()
      await this.#time.sleep(this.#lease.ms / RENEWALS_PER_LEASE, signal)
      if (this.#leasedUntil.size > 0) await this.#renew([...this.#leasedUntil.keys()])
    }
  }

  async #untilLeased(): Promise<void> {
    if (this.#leasedUntil.size > 0) return
    this.#leased = Promise.withResolvers()
    await this.#leased.promise
  }

  async #renew(tasks: readonly LoopTask<Item, Outcome>[]): Promise<void> {
    const { idOf, ms, renew } = this.#lease
    const askedAt = this.#time.elapsed()
    try {
      const held = new Set(await renew(tasks.map(({ item }) => item)))
      for (const task of tasks) {
        if (!held.has(idOf(task.item))) task.lose()
        else if (this.#leasedUntil.has(task)) this.#leasedUntil.set(task, askedAt + ms)
      }
    } catch (error) {
      this.#log.error('lease renewal failed', { error })
      this.#loseExpired()
    }
  }

  /** Another process may have claimed these items. */
  #loseExpired(): void {
    for (const [task, leasedUntil] of this.#leasedUntil) {
      if (leasedUntil <= this.#time.elapsed()) task.lose()
    }
  }
}
