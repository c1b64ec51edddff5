import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../errors.ts'

const WAIT_MAX_MS = 120_000
const POLL_MS = 50

/**
 * Lets one start at a time read and change a data folder. The lock must end with its process, however that ends, so it is
 * a lock of the kernel; Node has no `flock`, but SQLite locks its file with one.
 */
export async function withStartLock<Value>(
  { dataDir, signal }: { readonly dataDir: string; readonly signal: AbortSignal | undefined },
  work: () => Promise<Value>,
): Promise<Value> {
  const lock = new DatabaseSync(join(dataDir, 'start.lock'), { timeout: 0 })
  try {
    const giveUpAt = performance.now() + WAIT_MAX_MS
    while (!take(lock)) {
      if (performance.now() > giveUpAt)
        throw new StartError(`Another start holds ${dataDir}: wait for it, or end it.`)
      await wait(POLL_MS, undefined, signal === undefined ? {} : { signal })
    }
    return await work()
  } finally {
    lock.close()
  }
}

const SQLITE_BUSY = 5

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec('begin exclusive')
    return true
  } catch (cause) {
    // SQLite throws this error when another process has the lock.
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return false
    throw cause
  }
}
