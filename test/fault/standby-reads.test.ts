import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { createKey } from '../../src/store/brand/api-keys.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { Database, type Db } from '../../src/store/db.ts'
import { type PostgresNode, startCluster } from '../support/database/cluster.ts'
import { PATIENT } from '../support/database/database.ts'
import { startTcpProxy } from '../support/database/tcp-proxy.ts'
import { endWith } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const PORT = 'select inet_server_port() as port'

test('reads that may be a little old go to a standby, and to the primary while it is behind', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const options = { ...PATIENT, connectionsMax: 2, name: 'beckon test', author: 'system' } as const
  const database = new Database({ ...options, url: url(nodes), readUrl: standby.url, readLagMaxMs: 300 })
  endWith(context, async () => database.close())
  const [own, other] = [await makeBrand(database, 'own'), await makeBrand(database, 'other')]

  await context.test('a standby that keeps up answers', async () => {
    await until(async () => (await database.asReader(own, portIn)) === standby.port, {
      what: 'a read of the standby',
    })
    await until(async () => (await portIn(database.reader)) === standby.port, {
      what: 'a count on the standby',
    })
  })

  await context.test('a brand sees its own rows there and no others, and writes nothing', async () => {
    let seen = await database.asReader(own, lookAround)
    // On a busy machine the standby may be behind for a moment.
    const isOfStandby = async (): Promise<boolean> => {
      if (seen.port !== standby.port) seen = await database.asReader(own, lookAround)
      return seen.port === standby.port
    }
    await until(isOfStandby, { what: 'a read of the standby' })
    assert.deepEqual(seen.brands, [{ id: own }])
    assert.deepEqual(seen.role, [{ role: 'beckon_app' }])
    assert.notEqual(own, other)
  })

  await context.test(
    'a question that is cut off there is not asked again, and the standby goes on',
    async () => {
      let left = await askAndLeave(database, own)
      // On a busy machine the standby may be behind for a moment, and then the primary is asked.
      const isOfStandby = async (): Promise<boolean> => {
        if (left.port !== standby.port) left = await askAndLeave(database, own)
        return left.port === standby.port
      }
      await until(isOfStandby, { what: 'a question that the standby was asked' })
      const { signal } = new AbortController()
      await until(
        async () => (await database.asQuestion({ brandId: own, signal }, portIn)) === standby.port,
        { what: 'an answer of the standby' },
      )
      const isEnded = async (): Promise<boolean> => {
        const sql =
          'select inet_server_port() as port, count(*)::integer as sessions from pg_stat_activity where pid = $1'
        const { rows } = await database.reader.query<Sessions>(sql, [left.pid])
        return rows[0]?.port === standby.port && rows[0].sessions === 0
      }
      await until(isEnded, { what: 'the session to be ended' })
    },
  )

  await context.test('while its replay is paused the primary answers, with the newest rows', async () => {
    await standby.run('select pg_wal_replay_pause()')
    const late = await makeBrand(database, 'late')
    await until(async () => (await database.asReader(own, portIn)) === primary.port, {
      what: 'a read of the primary',
    })
    const { rows } = await database.reader.query<{ id: number }>(
      'select id from brands where external_id = $1',
      ['late'],
    )
    assert.deepEqual(rows, [{ id: late }])
    await standby.run('select pg_wal_replay_resume()')
    await until(async () => (await database.asReader(own, portIn)) === standby.port, {
      what: 'the standby again',
    })
  })

  await context.test('a standby that is gone costs nothing but its speed', async () => {
    await standby.stop()
    assert.equal(await database.asReader(own, portIn), primary.port)
  })
})

test('a standby that falls silent: its readers get the answer of the primary, until the standby speaks again', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const proxy = await startTcpProxy(context, standby.port)
  const database = openDatabase(context, { url: primary.url, readUrl: url([proxy]) })
  const read = async (): Promise<number> => database.asReader(1, portIn)
  await until(async () => (await read()) === standby.port, { what: 'a read of the standby' })
  proxy.fallSilent()
  // More readers than there are connections, and readers after them.
  const [some, more] = [await Promise.all(Array.from({ length: 5 }, read)), [await read(), await read()]]
  assert.deepEqual([...new Set([...some, ...more])], [primary.port])
  proxy.speakAgain()
  await until(async () => (await read()) === standby.port, { what: 'the standby again' })
})

test('a standby that hides its timeline is not asked for it by every reader', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  await primary.run(`create role modest login password 'modest' in role beckon_app, beckon_engine`)
  await primary.run('revoke execute on function pg_control_checkpoint() from public')
  const proxy = await startTcpProxy(context, standby.port)
  let asked = 0
  proxy.watch((bytes) => {
    if (bytes.includes('pg_control_checkpoint')) asked += 1
    return 'pass'
  })
  const readUrl = new URL(url([proxy]))
  readUrl.username = readUrl.password = 'modest'
  const database = openDatabase(context, { url: primary.url, readUrl: readUrl.href })
  const read = async (): Promise<number> => database.asReader(1, portIn)
  await until(async () => (await read()) === primary.port && asked > 0, {
    what: 'a question for the timeline',
  })
  const before = asked
  for (let count = 0; count < 10; count += 1) assert.equal(await read(), primary.port)
  // Each rest lasts for seconds, so ten readers one after the other share a few questions.
  assert.ok(asked - before < 10, `${asked - before} of 10 readers asked`)
})

test('a server that another one has replaced answers no read, and neither does its standby', async (context) => {
  const { nodes, url } = await startCluster(context, 3)
  const [first, second, third] = nodes
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const servers = url([first, second])
  const ofFirst = openDatabase(context, { url: servers, readUrl: first.url })
  const ofThird = openDatabase(context, { url: servers, readUrl: third.url })
  await until(async () => (await ofFirst.asReader(1, portIn)) === first.port, { what: 'a read of the first' })
  await until(async () => (await ofThird.asReader(1, portIn)) === third.port, {
    what: 'a read of the standby',
  })
  await second.promote()
  for (const database of [ofFirst, ofThird])
    await until(async () => (await portIn(database).catch(() => 0)) === second.port, {
      what: 'the server that took over',
    })

  // The log of the old server goes further than that of the new one. Flushed, because the place of a log is that of its last write.
  await first.run(`select pg_logical_emit_message(false, 'beckon', repeat('x', 1000000), flush => true)`)
  const written = await logBytesOf(first)
  await until(async () => (await logBytesOf(third)) >= written, { what: 'a standby with the longer log' })
  assert.ok(written > (await logBytesOf(second)))
  assert.equal(await ofFirst.asReader(1, portIn), second.port)
  assert.equal(await ofThird.asReader(1, portIn), second.port)
})

test('a standby that follows the server which took over is read', async (context) => {
  const { nodes, url } = await startCluster(context, 3)
  const [first, second, third] = nodes
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const database = openDatabase(context, { url: url([first, second]), readUrl: third.url })
  await until(async () => (await database.asReader(1, portIn)) === third.port, {
    what: 'a read of the standby',
  })
  await second.promote()
  await third.stop()
  await third.follow(second)
  // A connection may be cut while the servers change.
  await until(async () => (await portIn(database).catch(() => 0)) === second.port, {
    what: 'the server that took over',
  })
  await until(async () => (await database.asReader(1, portIn).catch(() => 0)) === third.port, {
    what: 'a read of the standby on its new timeline',
  })
})

/** Where a reader is, and what it sees there. */
async function lookAround(tx: Db) {
  const { rows: brands } = await tx.query<{ id: number }>('select distinct brand_id as id from api_keys')
  const { rows: role } = await tx.query('select current_user::text as role')
  return { port: await portIn(tx), brands, role }
}

type Sessions = { readonly port: number; readonly sessions: number }
type Asked = { readonly port: number; readonly pid: number }

/** Asks a question whose caller hangs up in the middle, and tells which session was asked. No other one may be asked after it. */
async function askAndLeave(database: Database, brandId: number): Promise<Asked> {
  const leaving = new AbortController()
  const asks: Asked[] = []
  const asked = database.asQuestion({ brandId, signal: leaving.signal }, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    asks.push({ port: await portIn(tx), pid: rows[0]?.pid ?? 0 })
    leaving.abort(new Error('the caller hung up'))
    await tx.query('select pg_sleep(600)')
  })
  await assert.rejects(asked, { message: 'the caller hung up' })
  const [first, ...others] = asks
  assert.ok(first !== undefined)
  assert.deepEqual(others, [])
  return first
}

/** How far the log of a server goes. */
async function logBytesOf({ url }: PostgresNode): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as bytes`,
    )
    return rows[0]?.bytes ?? 0
  } finally {
    await client.end()
  }
}

type Servers = { readonly url: string; readonly readUrl: string }

function openDatabase(context: TestContext, servers: Servers): Database {
  const options = { ...PATIENT, connectionsMax: 2, name: 'beckon test', author: 'system' } as const
  const database = new Database({ ...options, ...servers, readLagMaxMs: 300 })
  endWith(context, async () => database.close())
  return database
}

async function portIn(db: Db): Promise<number> {
  const { rows } = await db.query<{ port: number }>(PORT)
  return rows[0]?.port ?? 0
}

async function makeBrand(db: Db, externalId: string): Promise<number> {
  const now = Date.now()
  const { id: brandId } = await ensureBrand(db, { externalId, name: externalId, now })
  const key = { kind: 'secret', plaintext: `key of ${externalId}`, scopes: [], label: 'test' } as const
  await createKey(db, { ...key, brandId, now })
  return brandId
}
