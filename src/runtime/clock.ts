import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** Instants inside Beckon are milliseconds since 1970 in UTC. Tests bring a clock of their own. */
export type Clock = { readonly now: () => number }

export const systemClock: Clock = { now: () => Date.now() }

/** Waits, or returns early when the signal aborts; it never throws. Tests bring one that does not wait. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const systemSleep: Sleep = async (ms, signal) => {
  // The only rejection is the abort, and being told to stop early is an answer here, not a failure.
  await wait(ms, undefined, { signal }).catch(() => undefined)
}

/** Resolves when the signal aborts, or at once if it already has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
