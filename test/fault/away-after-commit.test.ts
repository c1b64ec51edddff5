import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Database } from '../../src/store/db.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { type ProxiedConnection, startTcpProxy, type Watcher } from '../support/database/tcp-proxy.ts'
import { entryOf } from '../support/events/events.ts'
import { apiOf, startJourney } from '../support/journeys/runs.ts'
import { endWith } from '../support/processes/beckon.ts'
import { startServer } from '../support/processes/server.ts'

/** A server behind a proxy, with a journey that starts with `signup`. */
async function startBehindProxy(context: TestContext) {
  const fresh = await freshDatabase()
  endWith(context, fresh.drop)
  const address = new URL(fresh.url)
  const proxy = await startTcpProxy(context, Number(address.port))
  const url = fresh.url.replace(address.host, proxy.address)
  const database = new Database({ ...PATIENT, url, connectionsMax: 3, name: 'cut' })
  endWith(context, async () => database.close())
  const server = await startServer({ deps: { database } })
  endWith(context, server.close)
  const brand = await fresh.brand()
  const api = apiOf(server.port, brand)
  await startJourney(api, { trigger: { event: 'signup' }, steps: [{ id: 'wait', wait: { minutes: 10 } }] })
  return { fresh, proxy, brand, api }
}

/** Sends an event. The question for the warnings, which is asked after the event is stored, has this fate. */
async function askWarnings(context: TestContext, fate: Watcher): Promise<void> {
  const { fresh, proxy, brand, api } = await startBehindProxy(context)
  let asked = 0
  proxy.watch((bytes, connection) => {
    if (!bytes.includes(`'{trigger,event}' as name`)) return 'pass'
    asked += 1
    return fate(bytes, connection)
  })
  const nv = [entryOf({ userID: 'new', event_name: 'signup' })]
  const { status, body } = await api('POST', '/api/event', { nv })
  assert.deepEqual([status, body['processed'], body['warnings']], [200, 1, undefined])
  assert.equal(asked, 1)
  const stored = await fresh.database.query(`select from events where brand_id = $1`, [brand.brandId])
  assert.equal(stored.count, 1)
}

test('stored events are acknowledged, although the database is away before the reply has its warnings', async (context) => {
  await askWarnings(context, (_, connection) => {
    connection.cut()
    return 'drop'
  })
})

test('stored events are acknowledged, although the database does not answer the question for warnings', async (context) => {
  const silent: ProxiedConnection[] = []
  await askWarnings(context, (_, connection) => {
    silent.push(connection)
    return silent.length === 1 ? 'drop' : 'pass'
  })
  for (const connection of silent) connection.cut()
})
