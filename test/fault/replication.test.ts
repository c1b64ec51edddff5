import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReadinessProbe } from '../../src/http/health/ready.ts'
import { Database, type Db, withOwner } from '../../src/store/db.ts'
import { judgeReplication, loadReplication } from '../../src/store/replication.ts'
import { startCluster } from '../support/database/cluster.ts'
import { PATIENT } from '../support/database/database.ts'
import { endWith, runBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

test('nothing is promised that is not on two machines', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const all = url(nodes)
  const options = { ...PATIENT, connectionsMax: 2, name: 'beckon test', author: 'system' } as const
  const database = new Database({ ...options, url: all })
  endWith(context, async () => database.close())
  // A clock that always goes on, so that no answer is a remembered one.
  let now = 0
  const readiness = new ReadinessProbe({ database, clock: { now: () => (now += 60_000) } })
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
    assert.match(JSON.stringify(await readiness.find()), /"replication":\{"isOk":false,"detail":"1 connected/)
    assert.equal((await readiness.find()).isReady, true)
  })

  await context.test('quorum commit: all is well', async () => {
    await setting(`synchronous_standby_names = 'ANY 1 (*)'`)
    await untilState('safe')
    assert.match(JSON.stringify(await readiness.find()), /"replication":\{"isOk":true/)
  })

  await context.test(
    'a statement timeout does not acknowledge a commit that waits for its standby',
    async () => {
      await standby.stop()
      const waiting = database.asEngine(async (tx) => {
        await tx.query(`set local statement_timeout = '100ms'`)
        await tx.query(
          `insert into brands (external_id, name, created_at) values ('waiting', 'waiting', now())`,
        )
        return 'committed'
      })
      const ended = { is: false }
      void waiting.then(() => (ended.is = true)).catch(() => (ended.is = true))
      await until(async () => withOwner(all, waitsLong), {
        what: 'a commit that waits for ten times its timeout',
      })
      assert.equal(ended.is, false)
      await standby.follow(primary)
      assert.equal(await waiting, 'committed')
    },
  )

  await context.test('commits that do not wait are told, also with names of standbys', async () => {
    await untilState('safe')
    await setting('synchronous_commit = local')
    await untilState('trouble')
    assert.match(JSON.stringify(await state()), /synchronous_commit is local/)
  })
})

/** A read needs no standby, so it shows the commit that waits. */
async function waitsLong(db: Db): Promise<boolean> {
  const { count } = await db.query(
    `select from pg_stat_activity where wait_event = 'SyncRep' and clock_timestamp() > query_start + interval '1 second'`,
  )
  return count > 0
}

test('a single server without standbys is not judged', () => {
  const facts = { standbys: 0, confirming: 0, synchronousNames: '', synchronousCommit: 'on' }
  assert.deepEqual(judgeReplication(facts, 1), { kind: 'none' })
  assert.equal(judgeReplication(facts, 2).kind, 'trouble')
})
