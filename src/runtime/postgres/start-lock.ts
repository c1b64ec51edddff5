import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../errors.ts'
import { tryBegin } from '../folder-lock.ts'

const WAIT_MAX_MS = 120_000
const POLL_MS = 50

/**
 * Lets one start at a time read and change a data folder. The lock must end with its process, however that ends, so it is
 * a lock of the kernel.
 */
export async function withStartLock<Value>(
  { dataDir, signal }: { readonly dataDir: string; readonly signal: AbortSignal | undefined },
  work: () => Promise<Value>,
): Promise<Value> {
  const lock = new DatabaseSync(join(dataDir, 'start.lock'), { timeout: 0 })
  try {
    const giveUpAt = performance.now() + WAIT_MAX_MS
    while (!tryBegin(lock, 'exclusive')) {
      if (performance.now() > giveUpAt)
        throw new StartError(`Another start holds ${dataDir}: wait for it, or end it.`)
      await wait(POLL_MS, undefined, signal === undefined ? {} : { signal })
    }
    return await work()
  } finally {
    lock.close()
  }
}
