import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { startCluster } from '../support/database/cluster.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'
import { until } from '../support/until.ts'

/** A table whose first autovacuum takes half an hour: 4 400 pages, and 0.4 seconds for each. */
const SLOWLY_VACUUMED = `create table second (id int) with (autovacuum_vacuum_insert_threshold = 0,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
  insert into second select generate_series(1, 1000000)`

const SCANS = `select from pg_stat_progress_vacuum where relid = 'second'::regclass and phase = 'scanning heap'`

test('a step does not wait for the end of an autovacuum of its table', async (context) => {
  const [node] = (await startCluster(context, 1)).nodes
  assert.ok(node !== undefined)
  await node.run(`alter system set autovacuum_naptime = '1s'`)
  await node.run('select pg_reload_conf()')
  await migrate(node.url, { migrations: withLaterMigrations(SLOWLY_VACUUMED) })
  const vacuums = async (): Promise<number> =>
    withOwner(node.url, async (owner) => (await owner.query(SCANS)).count)
  await until(async () => (await vacuums()) > 0, { what: 'an autovacuum' })
  const migrations = withLaterMigrations(SLOWLY_VACUUMED, 'alter table second add column more int')
  assert.equal(await migrate(node.url, { migrations }), migrations.length)
})
