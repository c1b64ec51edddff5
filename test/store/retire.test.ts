import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Db } from '../../src/store/db.ts'
import { retireSubscriptions } from '../../src/store/subscriptions/retire.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

let fresh: TestDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(async () => fresh.drop())

test('a dead device is retired, one that registered again after the news or after we read it is not', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const ids = await seedSubscriptions(database, { brandId, count: 4 })
  const [dead, deadBefore, againSince, deadAfter] = ids
  assert.ok(dead && deadBefore && againSince && deadAfter)
  const { rows } = await database.query<{ at: number }>(
    'select registered_at as at from subscriptions limit 1',
  )
  const registeredAt = rows[0]?.at ?? 0
  const answer = { reason: 'Unregistered', registeredAt, goneAt: null }
  const retired = await retireSubscriptions(database, brandId, [
    { ...answer, id: dead },
    { ...answer, id: deadBefore, goneAt: registeredAt - 1000 },
    { ...answer, id: againSince, registeredAt: registeredAt - 1000 },
    { ...answer, id: deadAfter, goneAt: registeredAt + 1000 },
  ])
  assert.equal(retired, 2)
  const states = await database.query<{ id: bigint; state: string; reason: string | null }>(
    'select id, state, state_reason as reason from subscriptions where brand_id = $1 order by id',
    [brandId],
  )
  assert.deepEqual(
    states.rows.map(({ state, reason }) => [state, reason]),
    [
      ['gone', 'Unregistered'],
      ['live', null],
      ['live', null],
      ['gone', 'Unregistered'],
    ],
  )
})

test('devices are locked in the order of their ids, so that nobody waits in a circle', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const [first = 0n, second = 0n] = await seedSubscriptions(database, { brandId, count: 2 })
  const answer = { reason: 'Unregistered', registeredAt: Date.now() + 1_000, goneAt: null }
  const dead = [second, first].map((id) => ({ ...answer, id }))
  let retiring: Promise<number> = Promise.resolve(0)
  await database.asEngine(async (tx) => {
    const lock = 'select from subscriptions where brand_id = $1 and id = $2 for update nowait'
    await tx.query(lock, [brandId, first])
    retiring = retireSubscriptions(database, brandId, dead)
    await until(async () => isSomebodyWaiting(database), { what: 'the other to wait' })
    await tx.query(lock, [brandId, second])
  })
  assert.equal(await retiring, 2)
})

async function isSomebodyWaiting(database: Db): Promise<boolean> {
  const { count } = await database.query(
    `select from pg_locks as waiting join pg_locks as held using (transactionid)
     where not waiting.granted and held.granted and held.pid <> waiting.pid
       and exists (select from pg_locks as here where here.pid = held.pid
         and here.database = (select oid from pg_database where datname = current_database()))`,
  )
  return count > 0
}
