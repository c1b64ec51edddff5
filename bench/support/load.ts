import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What one round of requests is to be. */
export type Load = {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** `POST`, if absent. A call of `GET` that has no whole answer when the time is over is cut off, and counts as failed. */
  readonly method?: 'GET'
  /** Taken in turn. */
  readonly bodies: readonly string[]
  readonly connections: number
  readonly durationMs: number
  /** Requests a second; null for as many as the connections carry. */
  readonly perSecond: number | null
}

/** A round as the caller hears of it; null stands for the bodies of the round before. */
export type ToldLoad = Omit<Load, 'bodies'> & { readonly bodies: Load['bodies'] | null }

/** What came of it. Latency counts from the moment a request was due, so that a stall is not hidden. */
export type LoadResult = {
  readonly requests: number
  readonly failures: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** How long each request took, the shortest first. */
  readonly tookMs: readonly number[]
}

/** The caller lives in a process of its own, so that its work is not charged to what is measured. */
export class LoadCaller {
  readonly #child = fork(join(import.meta.dirname, 'load-caller.ts'))

  #bodies: Load['bodies'] | null = null

  async run(load: Load): Promise<LoadResult> {
    // Bodies of some megabytes go to the caller once: writing them is no part of what is measured.
    const isKnown = load.bodies === this.#bodies
    this.#bodies = load.bodies
    this.#child.send(isKnown ? { ...load, bodies: null } : load)
    const [result]: readonly LoadResult[] = await once(this.#child, 'message')
    if (result === undefined) throw new Error('the load caller said nothing')
    return result
  }

  stop(): void {
    this.#child.kill()
  }
}
