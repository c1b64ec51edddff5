import type { DuckDbPlan } from './messages.ts'

/** Node with DuckDB loaded takes about this much before the first statement. */
export const BASE_MIB = 128

/** A part of DuckDB's memory is not counted by its own limit: buffers of readers and writers, long texts. */
const COUNTED_SHARE = 0.7

/** The part of a process's memory that statements may take. */
export function statementMib(memoryMib: number): number {
  return Math.floor((memoryMib - BASE_MIB) * COUNTED_SHARE)
}

/** The memory that a statement has for each of its threads, if it needs as much for two more. */
export function threadMib({ memoryMib, threads }: Pick<DuckDbPlan, 'memoryMib' | 'threads'>): number {
  return statementMib(memoryMib) / (threads + 2)
}
