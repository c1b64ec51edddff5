import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { retireSubscriptions } from '../../src/store/retire.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { seedSubscriptions } from '../support/subscriptions.ts'

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
