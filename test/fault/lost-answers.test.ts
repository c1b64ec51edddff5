import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database, type Db, type Statement } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'
import { newDevices, startEngine, type TestEngine } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

const BROKEN = 'the connection broke'

let engine: TestEngine
before(async () => {
  engine = await startEngine({ provoked: BROKEN })
})
after(async () => engine.close())

/** Of four settles one is not written, and one is written and its answer never arrives. */
const CYCLE = 4
const COUNT = 600
const SINGLES = 60

class Forgetful extends Database {
  settles = 0

  override get queue(): Db {
    const queue = super.queue
    return {
      query: async <Row extends object>(statement: Statement, values: readonly unknown[] = []) => {
        const text = typeof statement === 'string' ? statement : statement.text
        if (!text.includes('insert into accepted_blocks')) return queue.query<Row>(statement, values)
        this.settles += 1
        const turn = this.settles % CYCLE
        if (turn === 1) throw new Error(BROKEN)
        const rows = await queue.query<Row>(statement, values)
        if (turn === 3) throw new Error(BROKEN)
        return rows
      },
    }
  }
}

test('a settle of which nobody knows whether it was written is neither lost nor counted twice', async () => {
  const options = { ...PATIENT, url: engine.url, connectionsMax: 10, name: 'forgetful' }
  const database = new Forgetful(options)
  const { stop } = engine.startWorker(database)
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: COUNT })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const seed = { brandId, platform: 'ios', target: { kind: 'all' }, perSecond: 1_000 } as const
  // How many settles a broadcast takes depends on the machine, but each takes one, so this comes to an end.
  let broadcasts = 0
  for (; database.settles < 2 * CYCLE; broadcasts += 1) {
    const id = await acceptNotification(database, seed)
    const found = await engine.untilOver({ brandId, id })
    assert.deepEqual(countsOf(found), expectedCounts({ audience: COUNT, accepted: COUNT }))
  }
  // A machine that stands still for long loses a provider's answer, and that is tried again and counted.
  const { rows } = await database.query<{ attempts: number }>(
    'select sum(attempt)::integer as attempts from all_deliveries where brand_id = $1',
    [brandId],
  )
  const { total } = engine.sandbox.inbox
  assert.ok(total >= broadcasts * COUNT && total <= (rows[0]?.attempts ?? 0), 'nobody was sent to twice')
  await stop()
  await database.close()
})

test('a shared settle of single sends that nobody knows of is neither lost nor counted twice', async () => {
  const database = new Forgetful({ ...PATIENT, url: engine.url, connectionsMax: 10, name: 'forgetful' })
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: SINGLES })
  const ids = await seedDevices(database, { brandId, platform: 'ios', devices })
  const { rows } = await database.query<{ name: string }>(
    'select subscription_id as name from subscriptions where brand_id = $1 and id = any($2)',
    [brandId, ids],
  )
  for (const { name } of rows) {
    const keys = { userId: null, subscriptionId: name, eitherId: null, deviceId: null }
    await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'one', keys } })
  }
  const { total: earlier } = engine.sandbox.inbox
  const { stop } = engine.startWorker(database)
  const left = `select from notifications where brand_id = $1 and (state <> 'sent' or accepted <> 1)`
  await engine.until(async () => (await database.query(left, [brandId])).count === 0)
  const { rows: written } = await database.query<{ attempts: number; count: number }>(
    'select sum(attempt)::integer as attempts, count(*)::integer as count from deliveries where brand_id = $1',
    [brandId],
  )
  assert.equal(written[0]?.count, SINGLES)
  assert.ok(engine.sandbox.inbox.total - earlier <= (written[0]?.attempts ?? 0), 'nobody was sent to twice')
  assert.ok(database.settles > 0)
  await stop()
  await database.close()
})
