import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { latestVersion, migrate } from '../../src/store/migrate.ts'
import { withLaterMigrations } from '../support/database/later-migrations.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
after(async () => server.close())

/** A step that a later release could bring: it only adds. */
const LATER = `alter table notifications add column later text not null default '';
  create table later_notes (id bigint primary key)`

test('a process of before goes on beside a newer schema, and says that it is old', async () => {
  const brand = await server.brand()
  const headers = keyHeaders(brand)
  const use = async (): Promise<readonly number[]> => {
    const event = { userID: 'ann', event_name: 'began', attributes: {} }
    const send = { user_id: 'ann', title: 'Hello', message: 'World', notification_id: 'n-1' }
    const replies = [
      await call(server.port, { path: '/api/event', headers, body: { nv: [event] } }),
      await call(server.port, { path: '/api/v1/android/send', headers, body: send }),
      await call(server.port, { path: '/api/v1/notifications', headers }),
    ]
    return replies.map(({ status }) => status)
  }
  const before = await use()
  assert.equal((await call(server.port, { path: '/readyz' })).status, 200)

  // The newer program migrates while this one serves.
  assert.equal(await migrate(server.url, { migrations: withLaterMigrations(LATER) }), latestVersion() + 1)

  assert.deepEqual(await use(), before)
  // The answer of before is kept for a second.
  const readiness = async () => call(server.port, { path: '/readyz' })
  await until(async () => (await readiness()).status === 503, { what: 'a process that is not ready' })
  assert.match((await readiness()).text, /schema \d+, this Beckon knows \d+: replace it by the newer one/)
  await assert.rejects(migrate(server.url), /start the newer Beckon/)
  await withOwner(server.url, async (owner) => owner.query('select from later_notes'))
})
