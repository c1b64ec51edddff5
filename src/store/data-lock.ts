import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../runtime/errors.ts'
import { type Db, withOwner } from './db.ts'
import { SESSION_LOCKS } from './session-locks.ts'

/**
 * The claim of one supervisor on a data folder. It ends with the connection, so a killed process leaves nothing
 * behind.
 */
export type DataLock = { release(): Promise<void> }

/**
 * Claims the database of a data folder for one supervisor, or fails and names the process that has it. The claim is a
 * lock of the PostgreSQL server and ends with it; after a restart of the server it is claimed again.
 */
export async function takeDataLock(url: string, { pid }: { readonly pid: number }): Promise<DataLock> {
  const taken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const session = withOwner(url, async (owner) => {
    await claim(owner, pid)
    taken.resolve()
    await released.promise
  })
  // The session fails when the claim fails. Once the lock is taken, it only waits for the release.
  await Promise.race([taken.promise, session])
  return {
    release: async () => {
      released.resolve()
      await session
    },
  }
}

const ATTEMPTS_MAX = 20
const RETRY_MS = 100

async function claim(owner: Db, pid: number): Promise<void> {
  await owner.query(`select set_config('application_name', $1, false)`, [`beckon supervisor ${pid}`])
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { rows } = await owner.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      SESSION_LOCKS.dataFolder,
    )
    if (rows[0]?.taken === true) return
    // The server needs a moment to notice that a supervisor was killed.
    await wait(RETRY_MS)
  }
  throw new StartError(
    `The data folder is in use by another Beckon (${await nameOther(owner)}): stop that one first, or choose another BECKON_DATA_DIR.`,
  )
}

async function nameOther(owner: Db): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(
    `select replace(application_name, 'beckon supervisor', 'process') as name
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = $1 and objid = $2 and objsubid = 2 and granted
       and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    SESSION_LOCKS.dataFolder,
  )
  return rows[0]?.name ?? 'it has just ended'
}
