import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { ReadinessProbe } from '../../src/http/health/ready.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { judgeReplication, loadReplication } from '../../src/store/replication.ts'
import { ROLES } from '../../src/store/roles.ts'
import { type PostgresNode, startCluster } from '../support/database/cluster.ts'
import { PATIENT } from '../support/database/database.ts'
import { endWith, freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const OPTIONS = { ...PATIENT, connectionsMax: 2, name: 'beckon test', author: 'system' } as const

test('nothing is promised that is not on two machines', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const all = url(nodes)
  const database = new Database({ ...OPTIONS, url: all })
  endWith(context, async () => database.close())
  const readiness = probeOf(database)
  const setting = async (text: string): Promise<void> => {
    await primary.run(`alter system set ${text}`)
    await primary.run('select pg_reload_conf()')
  }
  const state = async () => withOwner(all, async (owner) => judgeReplication(await loadReplication(owner), 2))
  const untilState = async (kind: string): Promise<void> =>
    until(async () => (await state()).kind === kind, { what: `the state ${kind}` })

  await context.test('asynchronous standbys: doctor and /readyz warn, and readiness stays', async () => {
    await until(async () => /commits wait for none/.test(JSON.stringify(await state())), {
      what: 'a standby',
    })
    const { stdout } = await runBeckon(['doctor', '--json'], { DATABASE_URL: all })
    assert.match(
      stdout,
      /"name":"replication","state":"warn","detail":"1 connected, and commits wait for none/,
    )
    assert.match(stdout, /synchronous_mode: quorum/)
    const ready = JSON.stringify(await readiness.find())
    assert.match(
      ready,
      /"replication":\{"isOk":false,"detail":"1 connected[^"]*requests\. Turn quorum commit on\./,
    )
    assert.equal((await readiness.find()).isReady, true)
  })

  await context.test(
    'the start says that replication is asynchronous, and how to turn quorum commit on',
    async (inner) => {
      const said = await sayAtStart(inner, all)
      assert.match(said, /Replication: 1 connected, and commits wait for none.*Turn quorum commit on\./)
      // An asterisk would also mean a copy of the write-ahead log.
      assert.match(said, /synchronous_standby_names = 'ANY 1 \(n1, n2, n3\)'/)
    },
  )

  await context.test('quorum commit: all is well', async () => {
    await setting(`synchronous_standby_names = 'ANY 1 (*)'`)
    await untilState('safe')
    assert.match(JSON.stringify(await readiness.find()), /"replication":\{"isOk":true/)
  })

  await context.test('a machine of three is missing: doctor, /readyz and the start say so', async (inner) => {
    const three = url([...nodes, { address: '127.0.0.1:1' }])
    const { stdout } = await runBeckon(['doctor', '--json'], { DATABASE_URL: three })
    const detail = '1 of 2 standbys connected: when one more machine is lost, writes stop'
    assert.ok(stdout.includes(`"name":"replication","state":"warn","detail":"${detail}`), stdout)
    const other = new Database({ ...OPTIONS, url: three })
    endWith(inner, async () => other.close())
    const ready = await probeOf(other).find()
    assert.equal(ready.isReady, true)
    assert.ok(JSON.stringify(ready).includes(`"replication":{"isOk":false,"detail":"${detail}`))
    const said = await sayAtStart(inner, three)
    assert.ok(said.includes(`Replication: ${detail}`), said)
  })

  await context.test('a copy of the log that confirms commits is no standby', async (inner) => {
    const copy = await copyLogToDisk(primary)
    endWith(inner, copy.end)
    await until(async () => /pg_receivewal\) confirms commits/.test(JSON.stringify(await state())), {
      what: 'trouble with a copy of the log',
    })
    assert.equal((await state()).kind, 'trouble')
    await setting(`synchronous_standby_names = 'ANY 1 (node${standby.port})'`)
    await untilState('safe')
    await copy.end()
  })

  await context.test(
    'a statement timeout does not acknowledge a commit that waits for its standby',
    async () => {
      await standby.stop()
      const waiting = database.asEngine(async (tx) => {
        await tx.query(
          `insert into brands (external_id, name, created_at) values ('waiting', 'waiting', now())`,
        )
        // Only the commit is timed: the insert may be slow on a busy machine.
        await tx.query(`set local statement_timeout = '500ms'`)
        return 'committed'
      })
      const ended = { is: false }
      void waiting.then(() => (ended.is = true)).catch(() => (ended.is = true))
      await until(async () => withOwner(all, waitsLong), {
        what: 'a commit that waits for four times its timeout',
      })
      assert.equal(ended.is, false)
      await standby.follow(primary)
      assert.equal(await waiting, 'committed')
    },
  )

  await context.test(
    'commits that do not wait for a disk are told, also with names of standbys',
    async (inner) => {
      await untilState('safe')
      for (const value of ['remote_write', 'local']) {
        await setting(`synchronous_commit = ${value}`)
        await until(async () => JSON.stringify(await state()).includes(`synchronous_commit is ${value}`), {
          what: `trouble with ${value}`,
        })
        assert.equal((await state()).kind, 'trouble')
      }
      assert.match(
        await sayAtStart(inner, all),
        /Replication: synchronous_commit is local: a failover can lose acknowledged requests\. Set synchronous_commit = on/,
      )
      await setting('synchronous_commit = remote_apply')
      await untilState('safe')
    },
  )
})

test('the user of deploy/cluster/database.sql sees whether commits are confirmed, and says when it may not', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  await makeUser(primary)
  const all = url(nodes)
    .replace(/\/\/[^@]*@/, '//beckon:chosen@')
    .replace(/\w+$/, 'beckon')
  await migrate(all)
  const database = new Database({ ...OPTIONS, url: all })
  endWith(context, async () => database.close())
  const readiness = probeOf(database)
  const look = async () => {
    const { stdout } = await runBeckon(['doctor', '--json'], { DATABASE_URL: all })
    return { doctor: stdout, ready: JSON.stringify((await readiness.find()).checks['replication']) }
  }
  await primary.run(`alter system set synchronous_standby_names = 'ANY 1 (*)'`)
  await primary.run('select pg_reload_conf()')
  await until(async () => /"isOk":true/.test((await look()).ready), { what: 'a standby that confirms' })

  await context.test('with the grant: doctor and /readyz know the standby that confirms', async () => {
    assert.match((await look()).doctor, /"name":"replication","state":"good","detail":"1 standbys/)
  })

  await context.test('without the grant: nothing is called safe, and the grant is told', async (inner) => {
    await primary.run('revoke pg_monitor from beckon')
    const { doctor, ready } = await look()
    assert.match(
      doctor,
      /"name":"replication","state":"warn","detail":"1 connected, and the database user may not see/,
    )
    assert.match(doctor, /grant pg_monitor to <user>/)
    assert.match(
      ready,
      /"isOk":false,"detail":"1 connected, and the database user may not see.*grant pg_monitor/,
    )
    assert.match(
      await sayAtStart(inner, all),
      /Replication: 1 connected, and the database user may not see.*grant pg_monitor/,
    )
    await primary.run('grant pg_monitor to beckon')
  })

  await context.test('a copy of the log that confirms nothing is no standby', async (inner) => {
    await standby.stop()
    await copyLog(inner, primary)
    await until(async () => withOwner(all, async (owner) => (await walsenders(owner)) === 1), {
      what: 'the copy alone',
    })
    const { doctor, ready } = await look()
    assert.match(doctor, /"state":"warn","detail":"no standby is connected: a failover can lose/)
    assert.match(ready, /"isOk":false,"detail":"no standby is connected[^"]*Start the standbys/)
  })
})

/** Readiness with a clock that always goes on, so that no answer is a remembered one. */
function probeOf(database: Database): ReadinessProbe {
  let now = 0
  return new ReadinessProbe({ database, clock: { now: () => (now += 60_000) } })
}

/** The user as the page of the cluster makes it. The roles of Beckon are of the whole server, and another user made them here. */
async function makeUser(primary: PostgresNode): Promise<void> {
  const file = join(import.meta.dirname, '../../deploy/cluster/database.sql')
  const statements = (await readFile(file, 'utf8')).replaceAll('@BECKON@', 'chosen').split(';')
  for (const statement of statements.slice(0, -1)) await primary.run(statement)
  await primary.run(`grant ${ROLES.join(', ')} to beckon with set true, inherit false`)
}

/** A connection that may copy the log, as `pg_receivewal` opens it. It reports no position, so it confirms no commit. */
async function copyLog(context: TestContext, primary: PostgresNode): Promise<void> {
  const client = new Client({ connectionString: `${primary.url}?replication=true` })
  client.on('error', () => undefined)
  await client.connect()
  endWith(context, async () => client.end())
}

async function walsenders(db: Db): Promise<number> {
  return (await db.query('select from pg_stat_replication')).count
}

/** The lines of a start that ends again. */
async function sayAtStart(context: TestContext, url: string): Promise<string> {
  const settings = { DATABASE_URL: url, BECKON_DATA_DIR: await freshFolder(context) }
  const beckon = await startBeckon(context, settings)
  beckon.send('SIGTERM')
  await beckon.ended
  return beckon.stderr()
}

/** The same as `pg_receivewal --synchronous` reports: written and flushed up to a place, and nothing replayed. */
async function copyLogToDisk(primary: PostgresNode): Promise<{ readonly end: () => Promise<void> }> {
  const client = new Client({ connectionString: `${primary.url}?replication=true` })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ xlogpos: string }>('IDENTIFY_SYSTEM')
  const { xlogpos = '0/0' } = rows[0] ?? {}
  const [high = '', low = ''] = xlogpos.split('/')
  const report = Buffer.alloc(1 + 4 * 8 + 1)
  report.write('r')
  for (const at of [1, 9]) {
    report.writeUInt32BE(Number.parseInt(high, 16), at)
    report.writeUInt32BE(Number.parseInt(low, 16), at + 4)
  }
  const { stream } = client.connection
  stream.write(frame('Q', Buffer.from(`START_REPLICATION PHYSICAL ${xlogpos}\0`)))
  stream.write(frame('d', report))
  return { end: async () => void stream.destroy() }
}

/** A message of the protocol of PostgreSQL. */
function frame(kind: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

/** A read needs no standby, so it shows the commit that waits. */
async function waitsLong(db: Db): Promise<boolean> {
  const { count } = await db.query(
    `select from pg_stat_activity where wait_event = 'SyncRep' and clock_timestamp() > query_start + interval '2 seconds'`,
  )
  return count > 0
}

test('a single server without standbys is not judged', () => {
  const facts = { standbys: 0, confirming: 0, copies: 0, synchronousNames: '', synchronousCommit: 'on' }
  assert.deepEqual(judgeReplication(facts, 1), { kind: 'none' })
  assert.equal(judgeReplication(facts, 2).kind, 'trouble')
})

test('standbys whose names are not those of the setting confirm nothing, and their names are asked for', () => {
  const facts = {
    standbys: 2,
    confirming: 0,
    copies: 0,
    synchronousNames: 'ANY 1 (x)',
    synchronousCommit: 'on',
  }
  assert.match(
    JSON.stringify(judgeReplication(facts, 3)),
    /2 connected, and none confirms commits.*Turn quorum commit on.*ANY 1 \(n1, n2, n3\)/,
  )
})
