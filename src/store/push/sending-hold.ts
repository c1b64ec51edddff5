import type { Db } from '../db.ts'

/**
 * The condition of every statement that claims what would leave: a hold is one row, and stands in no process. It does
 * not depend on the rows that are asked for, so PostgreSQL looks once and does not even begin where it is false.
 */
export const UNHELD = 'not exists (select from sending_hold)'

/** Since when sending is held; null when it is not. */
export async function loadHold(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ since: number }>(LOAD)
  return rows[0]?.since ?? null
}

/** Holds sending from now on. One that is held already keeps its beginning. */
export async function holdSending(db: Db): Promise<void> {
  await db.query('insert into sending_hold (since) values (clock_timestamp()) on conflict do nothing')
}

/** Lets sending go on, and tells whether it was held. */
export async function resumeSending(db: Db): Promise<boolean> {
  return (await db.query('delete from sending_hold')).count === 1
}

const LOAD = { name: 'load_hold', text: 'select since from sending_hold' }
