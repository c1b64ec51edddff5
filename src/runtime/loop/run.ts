import { systemSleep } from '../clock.ts'
import type { Log } from '../log.ts'
import { type Backoff, backoffMs } from './backoff.ts'
import { LeaseKeeper } from './lease.ts'
import type { Loop, LoopContext, LoopTime } from './loop.ts'
import type { LoopOutcome } from './meters.ts'
import { LoopTask } from './task.ts'
import { Wake } from './wake.ts'

/** Runs until the context's signal aborts, and returns when no item is in flight. It does not throw. */
export async function runLoop<Item, Outcome>(loop: Loop<Item, Outcome>, context: LoopContext): Promise<void> {
  await new LoopRun(loop, context).run()
}

const FAILING: Backoff = { minMs: 200, maxMs: 30_000 }
const GRACE_MS = 8_000
const SYSTEM_TIME: LoopTime = {
  sleep: systemSleep,
  elapsed: () => performance.now(),
  random: () => Math.random(),
}

/** The first waits stay short: work often brings more work. */
function idleWhenWoken(idle: Backoff, { wokenIdleMaxMs = idle.maxMs }: LoopContext): Backoff {
  return { minMs: idle.minMs, maxMs: Math.max(idle.maxMs, wokenIdleMaxMs) }
}

class LoopRun<Item, Outcome> {
  readonly #loop: Loop<Item, Outcome>
  readonly #context: LoopContext
  readonly #time: LoopTime
  readonly #wake: Wake
  readonly #idle: Backoff
  readonly #log: Log
  readonly #leases: LeaseKeeper<Item, Outcome> | null
  readonly #tasks = new Set<LoopTask<Item, Outcome>>()
  readonly #away = new Set<LoopTask<Item, Outcome>>()
  readonly #done = new AbortController()
  #turn = Promise.withResolvers<void>()
  #claimFailures = 0
  #workFailures = 0

  constructor(loop: Loop<Item, Outcome>, context: LoopContext) {
    this.#loop = loop
    this.#context = context
    this.#time = context.time ?? SYSTEM_TIME
    const wake = context.wakes?.get(loop.wakeOn ?? '')
    this.#wake = wake ?? new Wake()
    this.#idle = wake === undefined ? loop.idle : idleWhenWoken(loop.idle, context)
    this.#log = context.log.with({ loop: loop.name })
    this.#leases = loop.lease === null ? null : new LeaseKeeper(loop.lease, this.#time, this.#log)
  }

  async run(): Promise<void> {
    const { signal } = this.#context
    const stop = (): void => {
      for (const task of this.#tasks) task.stop()
      this.#turn.resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
    const renewing = this.#leases?.run(this.#done.signal)
    await this.#claimUntilAborted()
    await this.#finish()
    signal.removeEventListener('abort', stop)
    this.#done.abort()
    await renewing
  }

  async #claimUntilAborted(): Promise<void> {
    const { signal } = this.#context
    let idleRounds = 0
    while (!signal.aborted) {
      await this.#pauseAfterFailure()
      await this.#freeSlotOrAbort()
      if (signal.aborted) return
      const seen = this.#wake.count
      const claimed = await this.#claim(this.#freeSlots)
      if (claimed !== 0) {
        idleRounds = 0
        continue
      }
      idleRounds += 1
      const idleMs = backoffMs(this.#idle, idleRounds, this.#time.random())
      if (await this.#wake.wait(seen, idleMs, { signal, sleep: this.#time.sleep })) idleRounds = 0
    }
  }

  /** A loop whose claims or work fail claims less and less often. */
  async #pauseAfterFailure(): Promise<void> {
    const failures = Math.max(this.#claimFailures, this.#workFailures)
    if (failures === 0) return
    await this.#time.sleep(backoffMs(FAILING, failures, this.#time.random()), this.#context.signal)
  }

  async #freeSlotOrAbort(): Promise<void> {
    while (this.#freeSlots <= 0 && !this.#context.signal.aborted) await this.#nextTurn()
  }

  get #freeSlots(): number {
    return this.#loop.concurrency - (this.#tasks.size - this.#away.size)
  }

  #leave(task: LoopTask<Item, Outcome>): void {
    if (this.#away.size >= (this.#loop.awayMax ?? 0)) return
    this.#away.add(task)
    this.#turn.resolve()
  }

  /** Waits until a task ends, the abort comes, or the grace is over. */
  async #nextTurn(): Promise<void> {
    await this.#turn.promise
    this.#turn = Promise.withResolvers()
  }

  /** How many items were claimed; null when the claim failed. */
  async #claim(count: number): Promise<number | null> {
    const leasedAt = this.#time.elapsed()
    try {
      const items = await this.#loop.claim(count)
      this.#measureClaim(items, this.#time.elapsed() - leasedAt)
      this.#claimFailures = 0
      if (items.length === 0) this.#workFailures = 0
      this.#count('claimed', items.length)
      if (this.#context.signal.aborted) await this.#release(items)
      else for (const item of items) this.#begin(item, leasedAt)
      return items.length
    } catch (error) {
      this.#claimFailures += 1
      this.#log.error('claim failed', { error, failures: this.#claimFailures })
      return null
    }
  }

  #measureClaim(items: readonly Item[], tookMs: number): void {
    const { name, waitedMs } = this.#loop
    const { claimSeconds, waitSeconds } = this.#context.meters
    claimSeconds({ loop: name }, tookMs / 1_000)
    if (waitedMs === undefined) return
    for (const item of items) waitSeconds({ loop: name }, waitedMs(item) / 1_000)
  }

  #begin(item: Item, leasedAt: number): void {
    const task: LoopTask<Item, Outcome> = new LoopTask({
      loop: this.#loop,
      item,
      time: this.#time,
      log: this.#log,
      slot: { leave: () => this.#leave(task) },
    })
    this.#tasks.add(task)
    this.#leases?.keep(task, leasedAt)
    void this.#follow(task)
  }

  /** Runs one task to its end. Neither the task nor the release throws, so the caller need not wait. */
  async #follow(task: LoopTask<Item, Outcome>): Promise<void> {
    const beganAt = this.#time.elapsed()
    const outcome = await task.run()
    this.#leases?.drop(task)
    if (!this.#tasks.has(task)) return // released when the grace was over
    this.#context.meters.seconds({ loop: this.#loop.name }, (this.#time.elapsed() - beganAt) / 1_000)
    this.#remember(task.item, outcome)
    if (outcome === 'released') await this.#release([task.item])
    else this.#count(outcome, 1)
    this.#tasks.delete(task)
    this.#away.delete(task)
    this.#turn.resolve()
  }

  #remember(item: Item, outcome: LoopOutcome): void {
    const { failed } = this.#loop
    if (outcome === 'settled') {
      this.#workFailures = 0
      failed?.succeed(item)
    }
    if (outcome !== 'failed') return
    if (failed === undefined) this.#workFailures += 1
    else failed.fail(item)
  }

  /** Waits for the tasks to end within the grace, then releases the items of those that still run. */
  async #finish(): Promise<void> {
    const over = new AbortController()
    const grace = this.#endGrace(over)
    while (this.#tasks.size > 0 && !over.signal.aborted) await this.#nextTurn()
    const late = [...this.#tasks]
    this.#tasks.clear()
    for (const task of late) task.lose()
    await this.#release(late.map(({ item }) => item))
    this.#done.abort()
    await grace
  }

  async #endGrace(over: AbortController): Promise<void> {
    await this.#time.sleep(this.#context.graceMs ?? GRACE_MS, this.#done.signal)
    over.abort()
    this.#turn.resolve()
  }

  /** If the release fails, the lease runs out by itself; a stop does not wait for it. */
  async #release(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return
    this.#count('released', items.length)
    try {
      await this.#loop.lease?.release(items)
    } catch (error) {
      this.#log.error('release failed', { error, items: items.length })
    }
  }

  #count(outcome: LoopOutcome | 'claimed', items: number): void {
    if (items > 0) this.#context.meters.items({ loop: this.#loop.name, outcome }, items)
  }
}
