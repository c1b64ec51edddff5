export type LimiterOptions = {
  /** The most that may be taken at once, in a unit of the user's choice: requests, connections, bytes. */
  readonly capacity: number
  /** The most of it that one key may take; all of it, if absent. */
  readonly keyCapacity?: number
  /** How many of one key may wait, and how long each of them; nobody waits, if absent. */
  readonly waitersMax?: number
  readonly waitMs?: number
}

type LimiterRequest = {
  /** Requests of one key share `keyCapacity`, and wait for each other. */
  readonly key?: string
  /** How much is asked for; 1, if absent. A request for more than there is gets all there is, for itself. */
  readonly weight?: number
  /** A request whose signal aborts leaves the line. */
  readonly signal?: AbortSignal
  /** The next part of work that had a permit before: it waits as the first of its key. Other keys have their turns. */
  readonly isContinued?: boolean
}

/** A part of the capacity that somebody has. Only the first release counts. */
export type Permit = { readonly weight: number; readonly release: () => void }

/** More is waiting than may wait, or something waited too long; the caller should come back later. */
export class QueueFull extends Error {}

/**
 * Bounds how much of something is in use at once, over all and by key. A request is in one of these states:
 *
 * | state    | moves to | when                                                                          |
 * |----------|----------|-------------------------------------------------------------------------------|
 * | asked    | granted  | nobody waits, and both its key and the limiter have room                      |
 * |          | waiting  | otherwise, if it is continued or fewer than `waitersMax` of its key wait      |
 * |          | refused  | otherwise (`QueueFull`), or its signal has aborted                            |
 * | waiting  | granted  | it is the first of its key, its key is at turn, and there is room             |
 * |          | refused  | after `waitMs` (`QueueFull`), or when its signal aborts                       |
 * | granted  | released | its user releases the permit                                                  |
 *
 * Keys take turns, and a key that has all it may have is passed over, so a crowd of one key waits for itself and others
 * do not wait for it. A heavy request at turn is not passed by lighter ones, so it cannot wait for ever. Never is more
 * than `capacity` granted, never more than `keyCapacity` to one key, and a refused request never gets a permit.
 */
export class Limiter {
  readonly #options: LimiterOptions
  /** Keys that wait, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #takenBy = new Map<string, number>()
  #taken = 0

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  get taken(): number {
    return this.#taken
  }

  get isFull(): boolean {
    return this.#taken >= this.#options.capacity
  }

  /** A permit now, or null. Requests that wait come first. */
  tryTake({ key = '', weight = 1 }: LimiterRequest = {}): Permit | null {
    const share = Math.min(weight, this.#keyCapacity)
    const isFree = this.#waiting.size === 0 && this.#hasKeyRoom(key, share) && this.#hasRoom(share)
    return isFree ? this.#grant(key, share) : null
  }

  /** A permit as soon as there is room. Throws `QueueFull` when there is none in time. */
  async take({ key = '', weight = 1, signal, isContinued = false }: LimiterRequest = {}): Promise<Permit> {
    signal?.throwIfAborted()
    const permit = this.tryTake({ key, weight })
    if (permit !== null) return permit
    const { waitersMax = 0, waitMs = 0 } = this.#options
    const isFull = (this.#waiting.get(key)?.length ?? 0) >= waitersMax
    if (isFull && !isContinued) throw new QueueFull('too many are waiting')
    const { promise, resolve, reject } = Promise.withResolvers<Permit>()
    const waiter: Waiter = { weight: Math.min(weight, this.#keyCapacity), grant: resolve, isContinued }
    const refuse = (cause: unknown): void => {
      if (this.#leave(key, waiter)) reject(cause)
    }
    const abort = (): void => refuse(signal?.reason)
    const timer = setTimeout(() => refuse(new QueueFull('nothing became free in time')), waitMs)
    signal?.addEventListener('abort', abort)
    this.#enter(key, waiter)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Does the work with a permit, and releases it however the work ends. */
  async run<Value>(request: LimiterRequest, work: () => Promise<Value>): Promise<Value> {
    const permit = await this.take(request)
    try {
      return await work()
    } finally {
      permit.release()
    }
  }

  get #keyCapacity(): number {
    return this.#options.keyCapacity ?? this.#options.capacity
  }

  #hasRoom(weight: number): boolean {
    return this.#taken + weight <= this.#options.capacity
  }

  #hasKeyRoom(key: string, weight: number): boolean {
    return (this.#takenBy.get(key) ?? 0) + weight <= this.#keyCapacity
  }

  #grant(key: string, weight: number): Permit {
    this.#count(key, weight)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#count(key, -weight)
      this.#grantWaiting()
    }
    return { weight, release }
  }

  #count(key: string, weight: number): void {
    const takenByKey = (this.#takenBy.get(key) ?? 0) + weight
    if (takenByKey === 0) this.#takenBy.delete(key)
    else this.#takenBy.set(key, takenByKey)
    this.#taken += weight
  }

  #enter(key: string, waiter: Waiter): void {
    const line = this.#waiting.get(key) ?? []
    if (waiter.isContinued) line.unshift(waiter)
    else line.push(waiter)
    this.#waiting.set(key, line)
    this.#grantWaiting()
  }

  /** False when it is not there: it has its permit, or was refused before. */
  #leave(key: string, waiter: Waiter): boolean {
    const line = this.#waiting.get(key) ?? []
    const at = line.indexOf(waiter)
    if (at === -1) return false
    line.splice(at, 1)
    if (line.length === 0) this.#waiting.delete(key)
    this.#grantWaiting()
    return true
  }

  /** A key that was served goes to the end of the map, where the loop comes to it again. */
  #grantWaiting(): void {
    for (const [key, line] of this.#waiting) {
      const [next] = line
      if (next === undefined || !this.#hasKeyRoom(key, next.weight)) continue
      if (!this.#hasRoom(next.weight)) return
      line.shift()
      this.#waiting.delete(key)
      if (line.length > 0) this.#waiting.set(key, line)
      next.grant(this.#grant(key, next.weight))
    }
  }
}

type Waiter = {
  readonly weight: number
  readonly isContinued: boolean
  readonly grant: (permit: Permit) => void
}
