import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { weekOf } from '../../src/domain/events/week.ts'
import { withOwner } from '../../src/store/db.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

test('events that meet the table of a new week on their way are stored, with a key, without, and with a profile', async () => {
  const mine = await server.brand()
  // Known people and no attributes: nobody waits for anybody but the table.
  const people = { nv: [{ userID: 'plain' }, { userID: 'keyed' }] }
  await call(port, { path: '/api/v1/user/create', headers: keyHeaders(mine), body: people })
  const [plain, keyed] = people.nv.map(({ userID }) => entryOf({ userID, attributes: {} }))
  const { table, firstId, endId } = weekOf(deps.clock.now())
  const answers = await withOwner(server.url, async (owner) => {
    await owner.query('begin')
    await owner.query(`create table ${table} (like events including all)`)
    await owner.query('lock table events_default in access exclusive mode')
    const calls = Promise.all([
      logEntries(port, mine, [plain]),
      logEntries(port, mine, [keyed], { 'idempotency-key': 'k' }),
      call(port, {
        path: '/api/v1/user_event/create',
        headers: keyHeaders(mine),
        body: { nv: { userID: 'made', event_name: 'signup', attributes: {} } },
      }),
    ])
    // All three are on their way to the table that takes what no week was made for.
    await until(async () => (await countWaiting()) === 3, { what: 'three waiting calls' })
    await owner.query(
      `alter table events attach partition ${table} for values from (${firstId}) to (${endId})`,
    )
    await owner.query('commit')
    return calls
  })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const again = await logEntries(port, mine, [keyed], { 'idempotency-key': 'k' })
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const events = await loadEvents(deps.database, mine)
  assert.deepEqual(events.map(({ userId }) => userId).toSorted(), ['keyed', 'made', 'plain'])
})

async function countWaiting(): Promise<number> {
  const { count } = await deps.database.query(
    `select from pg_locks
     where database = (select oid from pg_database where datname = current_database())
       and relation = 'events_default'::regclass and not granted`,
  )
  return count
}
