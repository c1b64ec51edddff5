import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { freshFolder } from '../support/processes/beckon.ts'

test('on the embedded server the application logs in as roles that can become nobody else', async (context) => {
  const dataDir = await freshFolder(context)
  const { url } = await startPostgres({ dataDir, signal: new AbortController().signal })
  await migrate(url)
  await migrate(url)
  const database = new Database({ url, connectionsMax: 1, name: 'beckon test' })
  try {
    const who =
      'select session_user::text as session, current_user::text as current, usesuper as super from pg_user where usename = session_user'
    const engine = { session: 'beckon_engine', current: 'beckon_engine', super: false }
    const app = { session: 'beckon_app', current: 'beckon_app', super: false }
    assert.deepEqual((await database.query(who)).rows, [engine])
    assert.deepEqual((await database.asBrand(1, async (tx) => tx.query(who))).rows, [app])
    const team = { session: 'beckon_team', current: 'beckon_team', super: false }
    assert.deepEqual((await database.asTeam(async (tx) => tx.query(who))).rows, [team])
    for (const role of ['postgres', 'beckon_app']) {
      await assert.rejects(database.query(`set role ${role}`), { code: '42501' })
    }
    // After `reset role` a session that had only switched would be the superuser.
    await database.query('reset role')
    await assert.rejects(database.query('create table mine (id integer)'), { code: '42501' })
    await assert.rejects(
      database.asBrand(1, async (tx) => tx.query('set local role beckon_engine')),
      {
        code: '42501',
      },
    )
    const { rows } = await database.query(`select from pg_class where relowner in
      (select oid from pg_roles where rolname in ('beckon_app', 'beckon_engine', 'beckon_team'))`)
    assert.deepEqual(rows, [])
  } finally {
    await database.close()
  }
})
