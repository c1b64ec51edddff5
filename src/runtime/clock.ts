import { once } from 'node:events'

/** Instants inside Beckon are milliseconds since 1970 in UTC. Tests bring a clock of their own. */
export type Clock = { readonly now: () => number }

export const systemClock: Clock = { now: () => Date.now() }

/** Waits, or returns early when the signal aborts; it never throws. Tests bring one that does not wait. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const systemSleep: Sleep = async (ms, signal) => {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => resolve()
  const timer = setTimeout(end, ms)
  // Not the timer of `node:timers/promises`, whose abort is an exception: a broadcast wakes its chunks many times a second.
  signal.addEventListener('abort', end, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}

/** Resolves when the signal aborts, or at once if it already has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
