import type { Db } from '../db.ts'

/**
 * The condition of every statement that claims something to send. A hold is one row, and in no process. The condition
 * does not depend on the claimed rows, so PostgreSQL checks it once and reads nothing else while it is false.
 */
export const UNHELD = 'not exists (select from sending_hold)'

/** Since when sending is on hold; null when it is not. */
export async function loadHold(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ since: number }>(LOAD)
  return rows[0]?.since ?? null
}

/** Puts sending on hold. A hold that is already there keeps its beginning. */
export async function holdSending(db: Db): Promise<void> {
  await db.query('insert into sending_hold (since) values (clock_timestamp()) on conflict do nothing')
}

/** Ends the hold, and returns whether there was one. */
export async function resumeSending(db: Db): Promise<boolean> {
  return (await db.query('delete from sending_hold')).count === 1
}

const LOAD = { name: 'load_hold', text: 'select since from sending_hold' }
