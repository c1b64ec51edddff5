import { setTimeout as wait } from 'node:timers/promises'
import type { Line } from './memory-log.ts'

const LOOK_MS = 10

export type Watched = {
  /** What the workers have logged. */
  readonly lines: readonly Line[]
  /** The message of an error that the test provokes in its workers; any other ends the wait. */
  readonly provoked?: string | undefined
}

/**
 * Waits for what a worker does. A worker logs a failure and tries again, for ever if need be, so the wait would be in
 * vain: it throws the failure. The test's own timeout is the bound.
 */
export async function untilWorked(
  isTrue: () => Promise<boolean> | boolean,
  { lines, provoked }: Watched,
): Promise<void> {
  while (!(await isTrue())) {
    for (const line of lines) if (line.level === 'error') throwUnprovoked(line, provoked)
    await wait(LOOK_MS)
  }
}

/** On a slow machine a statement may wait too long for a lock that the test holds; the worker asks again. */
const SLOW = 'canceling statement due to statement timeout'

function throwUnprovoked({ message, fields }: Line, provoked: string | undefined): void {
  const { error: cause } = fields
  const said = cause instanceof Error ? cause.message : message
  if (said !== provoked && !said.includes(SLOW)) throw new Error(`a worker failed: ${message}`, { cause })
}
