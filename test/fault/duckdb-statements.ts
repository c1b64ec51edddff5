import assert from 'node:assert/strict'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'

/** No statement here needs so much time; on a busy machine some need minutes, and those of background processes most of all. */
export const LIMITS = { timeoutMs: 600_000, rowsMax: 100 }

/** The statement reads rows for hours and keeps none, so it needs time and no memory. */
export const ENDLESS = 'select count(*) from range(1000000000000) as a where hash(a.range) = 1'

/** How often a test is tried again that needs some of the CPU in time. */
export const TRIES = 5

/** Why a statement has no answer. */
export async function troubleOf(run: Promise<unknown>): Promise<DuckDbError['trouble']> {
  const cause = await run
    .then(() => assert.fail('the statement was answered'))
    .catch((error: unknown) => error)
  assert.ok(cause instanceof DuckDbError, String(cause))
  return cause.trouble
}

/** For a statement whose caller is gone: DuckDB has a short time to stop, and a process that has no CPU in this time is killed. */
export async function assertLeft(run: Promise<unknown>): Promise<void> {
  assert.match(await troubleOf(run), /^(?:interrupted|ended)$/)
}
