import { setTimeout as wait } from 'node:timers/promises'

/**
 * Does the work and gives its outcome at a full step after the beginning, so that the time of the reply does not tell
 * which of two ways the work took. Only work that takes longer than a step ends at a later one.
 */
export async function onFullStep<Value>(stepMs: number, work: () => Promise<Value>): Promise<Value> {
  const startedAt = performance.now()
  try {
    return await work()
  } finally {
    const elapsedMs = performance.now() - startedAt
    await wait(untilFullStepMs(elapsedMs, stepMs))
  }
}

/** A timer may come a little early, so the wait is rounded up. */
export function untilFullStepMs(elapsedMs: number, stepMs: number): number {
  return Math.ceil(stepMs - (elapsedMs % stepMs)) + 1
}
