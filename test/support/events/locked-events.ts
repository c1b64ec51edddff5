import { type Db, withOwner } from '../../../src/store/db.ts'

/** As if it took very long to read events: everybody who wants to waits until `meanwhile` is over. */
export async function whileEventsAreLocked(
  url: string,
  meanwhile: (owner: Db) => Promise<void>,
): Promise<void> {
  await withOwner(url, async (owner) => {
    await owner.query('begin; lock table events in access exclusive mode')
    await meanwhile(owner)
    await owner.query('rollback')
  })
}

const WAITING = `from pg_locks where not granted and database = (
  select oid from pg_database where datname = current_database())`

/** The number of statements that wait for a lock. */
export async function countWaiting(owner: Db): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(`select count(*)::integer as count ${WAITING}`)
  return rows[0]?.count ?? 0
}

/** Ends the statements that wait, as their time limit would. */
export async function cancelWaiting(owner: Db): Promise<void> {
  await owner.query(`select pg_cancel_backend(pid) ${WAITING}`)
}
