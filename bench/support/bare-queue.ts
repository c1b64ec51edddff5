import type { Db } from '../../src/store/db.ts'

/** A queue with nothing but the rows, their states and the index that finds the open ones. */
export const BARE_QUEUE_TABLE = `create table bench_queue (id bigint primary key, state text not null, leased_until timestamptz);
  create index bench_queue_open on bench_queue (id) where state = 'queued'`

/** Rows that a worker claims at a time. */
const BATCH = 100

export async function fillBareQueue(db: Db, count: number): Promise<void> {
  await db.query('truncate bench_queue')
  await db.query(`insert into bench_queue select n, 'queued' from generate_series(1, $1::bigint) as n`, [
    count,
  ])
}

/** Claims and settles all rows, a batch at a time: the least that a hand-over does in the database. */
export async function drainBareQueue(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ id: bigint }>(CLAIM, [BATCH])
    if (rows.length === 0) return
    await db.query(`update bench_queue set state = 'accepted', leased_until = null where id = any($1)`, [
      rows.map(({ id }) => id),
    ])
  }
}

const CLAIM = `with due as (
    select id from bench_queue where state = 'queued' order by id limit $1 for update skip locked
  )
  update bench_queue set state = 'sending', leased_until = clock_timestamp() + interval '1 minute'
  from due where bench_queue.id = due.id returning bench_queue.id`
