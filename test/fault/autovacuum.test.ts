import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { weekOf } from '../../src/domain/events/week.ts'
import { withOwner } from '../../src/store/db.ts'
import { isLockTimeout, watchWeek } from '../../src/store/event-files/frozen-weeks.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { migrate } from '../../src/store/migrate.ts'
import { type PostgresNode, startCluster } from '../support/database/cluster.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'
import { until } from '../support/until.ts'

/** The first autovacuum of a table reads a page in 0.4 seconds. */
const SLOWLY = `(autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`

/** A table whose first autovacuum takes half an hour: it has 4 400 pages. */
const SLOWLY_VACUUMED = `create table second (id int) with ${SLOWLY};
  insert into second select generate_series(1, 1000000)`

const SCANS = `select from pg_stat_progress_vacuum where relid = to_regclass($1) and phase = 'scanning heap'`

/** A server that looks for tables to vacuum every second. */
async function startNode(context: TestContext): Promise<PostgresNode> {
  const [node] = (await startCluster(context, 1)).nodes
  assert.ok(node !== undefined)
  await node.run(`alter system set autovacuum_naptime = '1s'`)
  await node.run('select pg_reload_conf()')
  return node
}

async function isVacuumed(url: string, table: string): Promise<boolean> {
  return withOwner(url, async (owner) => (await owner.query(SCANS, [table])).count > 0)
}

test('a step does not wait for the end of an autovacuum of its table', async (context) => {
  const node = await startNode(context)
  await migrate(node.url, { migrations: withLaterMigrations(SLOWLY_VACUUMED) })
  await until(async () => isVacuumed(node.url, 'second'), { what: 'an autovacuum' })
  const migrations = withLaterMigrations(SLOWLY_VACUUMED, 'alter table second add column more int')
  assert.equal(await migrate(node.url, { migrations }), migrations.length)
})

test('the watch of a week does not wait for the end of an autovacuum of its table', async (context) => {
  const node = await startNode(context)
  await migrate(node.url)
  const week = weekOf(Date.now())
  await withOwner(node.url, async (owner) => {
    await maintainWeeks(owner, { now: week.startsAt, retentionDays: 365 })
    await owner.query(`alter table ${week.table} set ${SLOWLY}`)
    await owner.query(
      `insert into ${week.table} (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
       select $1::bigint + n, 1, now(), 1, false, 'see', 0, '{}' from generate_series(1, 100000) as n`,
      [week.firstId],
    )
  })
  await until(async () => isVacuumed(node.url, week.table), { what: 'an autovacuum' })
  await watchInTime(async () =>
    withOwner(node.url, async (owner) => watchWeek(owner, { week, brandIds: [1] })),
  )
})

/** An autovacuum that is told to end needs some of the CPU for it. On a busy machine that may be later than the wait for the lock. */
async function watchInTime(watch: () => Promise<void>): Promise<void> {
  for (let triesLeft = WATCH_TRIES; ; triesLeft -= 1) {
    try {
      return await watch()
    } catch (cause) {
      if (!isLockTimeout(cause) || triesLeft === 0) throw cause
    }
  }
}

/** The autovacuum would last for minutes, so that these tries together are over long before it. */
const WATCH_TRIES = 5
