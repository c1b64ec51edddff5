import assert from 'node:assert/strict'
import { skipAllDue } from '../../../src/pipeline/push/skip-due.ts'
import type { Database } from '../../../src/store/db.ts'
import { holdSending, resumeSending } from '../../../src/store/push/sending-hold.ts'
import { memoryLog } from '../memory-log.ts'
import { drain } from './drain.ts'

/** Skips the two notifications that are due, and checks who is reached when Honolulu, ten hours behind, has its time. */
export async function skipUntilHonolulu(
  database: Database,
  reached: readonly (bigint | undefined)[],
): Promise<void> {
  await holdSending(database)
  assert.equal((await skipAllDue({ database, log: memoryLog() })).notifications, 2)
  await resumeSending(database)

  assert.deepEqual(await drain(database), [])
  const drained = await drain(database, { now: Date.now() + 10.1 * 3_600_000 })
  assert.deepEqual(
    drained.map(({ recipient }) => recipient.id),
    reached,
  )
}
