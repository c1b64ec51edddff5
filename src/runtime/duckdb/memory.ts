import type { DuckDbPlan } from './messages.ts'

/** Node with DuckDB loaded takes about this much before the first statement. */
export const BASE_MIB = 128

/**
 * A part of DuckDB's memory is not counted by its own limit: buffers of readers and writers, long texts. Questions have two more such
 * parts: sets of people as bits, and what is known of each open file. Counting the people of two attributes at once took as much again
 * as the limit.
 */
const COUNTED_SHARES = { read: 0.52, write: 0.7 } as const

/** The part of a process's memory that statements may take. */
export function statementMib({ memoryMib, access }: Pick<DuckDbPlan, 'memoryMib' | 'access'>): number {
  return Math.floor((memoryMib - BASE_MIB) * COUNTED_SHARES[access])
}

/**
 * The most that a process for questions may keep of the statements before, which the next statement lacks. A process keeps 10 to 20 MiB of each
 * large one, however its database is closed. `startMib`: what it had before the first statement.
 */
export function keptMib(memoryMib: number, startMib: number): number {
  return Math.max(BASE_MIB, startMib) + (memoryMib - BASE_MIB) / 16
}

/** The memory that a statement has for each of its threads, if it needs as much for two more. */
export function threadMib({
  threads,
  ...plan
}: Pick<DuckDbPlan, 'memoryMib' | 'threads' | 'access'>): number {
  return statementMib(plan) / (threads + 2)
}
