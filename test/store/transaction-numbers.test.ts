import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { emptyDatabase, freshDatabase } from '../support/database/database.ts'
import { startThrowawayPostgres } from '../support/database/postgres.ts'

/** Batches and readers with numbers of another, much older server; one reader has seen nothing yet. */
const FROM_ELSEWHERE = `
  insert into event_batches (brand_id, tx, id, entries, attributes_seen)
    select brand_id, (5000000000 + n * 7 / 2)::text::xid8, n * 1024, 1, '{}'
    from generate_series(1, 2) as brand_id, generate_series(1, 3000) as n;
  insert into event_readers (brand_id, reader, tx, batch_id)
    values (1, 'half', (5000000000 + 1500 * 7 / 2)::text::xid8, 1500 * 1024), (1, 'new', '0', 0),
      (2, 'done', '5000099999', 3000 * 1024);
`

/** What each reader has still to read, in order. */
async function unread(owner: Db): Promise<unknown> {
  const { rows } = await owner.query(
    `select reader, array_agg(id order by event_batches.tx, id) filter (where id is not null) as ids
     from event_readers left join event_batches on event_batches.brand_id = event_readers.brand_id
       and (event_batches.tx, id) > (event_readers.tx, batch_id)
     group by reader order by reader`,
  )
  return rows
}

async function countOpen(owner: Db): Promise<number> {
  const { count } = await owner.query(
    `select from event_batches where tx >= pg_snapshot_xmin(pg_current_snapshot())`,
  )
  return count
}

test('after a move to another server every reader goes on where it stood, and sees what is new', async () => {
  const database = await freshDatabase()
  try {
    await withOwner(database.url, async (owner) => {
      await owner.query(FROM_ELSEWHERE)
      const before = await unread(owner)
      assert.equal(await countOpen(owner), 6000)
      await migrate(database.url)
      assert.deepEqual(await unread(owner), before)

      await owner.query(
        `insert into event_batches (brand_id, id, entries, attributes_seen) select n, 1, 1, '{}' from generate_series(1, 2) as n`,
      )
      const { rows } = await owner.query<{ reader: string; fresh: boolean }>(
        `select reader, 1 = any(array_agg(id)) as fresh from event_readers join event_batches using (brand_id)
         where (event_batches.tx, id) > (event_readers.tx, batch_id) group by reader order by reader`,
      )
      assert.deepEqual(
        rows.map(({ reader, fresh }) => [reader, fresh]),
        [
          ['done', true],
          ['half', true],
          ['new', true],
        ],
      )
    })
  } finally {
    await database.drop()
  }
})

test('a new server is brought past the numbers of a moved database', async () => {
  const server = await startThrowawayPostgres()
  try {
    await migrate(server.url)
    await withOwner(server.url, async (owner) => {
      await owner.query(FROM_ELSEWHERE)
      await migrate(server.url)
      assert.equal(await countOpen(owner), 0)
    })
  } finally {
    await server.stop()
  }
})

test('numbers of this server stay as they are', async () => {
  const database = await freshDatabase()
  try {
    await withOwner(database.url, async (owner) => {
      await owner.query(
        `insert into event_batches (brand_id, id, entries, attributes_seen) values (1, 1, 1, '{}')`,
      )
      const load = async () => (await owner.query('select tx::text from event_batches')).rows
      const before = await load()
      await migrate(database.url)
      assert.deepEqual(await load(), before)
    })
  } finally {
    await database.drop()
  }
})

test('an owner who is no superuser can do it too, and the wall between brands stands after', async () => {
  const database = await emptyDatabase()
  const role = `hosted_${randomBytes(6).toString('hex')}`
  const url = new URL(database.url)
  url.username = role
  url.password = 'pass'
  try {
    await withOwner(database.url, async (admin) => {
      await admin.query(`create role ${role} login createrole password 'pass'`)
      await admin.query(`alter database ${url.pathname.slice(1)} owner to ${role}`)
      await admin.query(
        `grant beckon_app, beckon_engine, beckon_team to ${role} with set true, inherit false`,
      )
      await migrate(url.href)
      await admin.query(FROM_ELSEWHERE)
      await migrate(url.href)
      const future = await admin.query(
        `select from event_batches where tx >= pg_snapshot_xmax(pg_current_snapshot())`,
      )
      assert.equal(future.count, 0)
      const open = await admin.query(`select from pg_class where relname in ('event_batches', 'event_readers')
        and not (relrowsecurity and relforcerowsecurity)`)
      assert.equal(open.count, 0)
    })
  } finally {
    await database.drop()
    await withOwner(process.env['BECKON_TEST_DATABASE_URL'] ?? '', async (admin) =>
      admin.query(`drop role ${role}`),
    )
  }
})
