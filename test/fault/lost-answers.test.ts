import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database, type Rows, type Statement } from '../../src/store/db.ts'
import { newDevices, startEngine, type TestEngine, untilOver } from '../support/push/engine.ts'
import { acceptNotification, countsOf } from '../support/push/notifications.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'

let engine: TestEngine
before(async () => {
  engine = await startEngine()
})
after(async () => engine.close())

/** A database whose answer to some settles never arrives: half of those were written, half were not. */
class Forgetful extends Database {
  settles = 0

  override async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Rows<Row>> {
    const text = typeof statement === 'string' ? statement : statement.text
    if (!text.includes('insert into deliveries')) return super.query<Row>(statement, values)
    this.settles += 1
    if (this.settles % 4 === 1) throw new Error('the connection broke before the statement')
    const rows = await super.query<Row>(statement, values)
    if (this.settles % 4 === 3) throw new Error('the connection broke before the answer')
    return rows
  }
}

test('a settle of which nobody knows whether it was written is neither lost nor counted twice', async () => {
  const database = new Forgetful({ url: engine.url, connectionsMax: 10, name: 'forgetful' })
  const { stop } = engine.startWorker(database)
  const { brandId } = await engine.brand()
  const devices = newDevices(engine, { platform: 'ios', count: 1_200 })
  await seedDevices(database, { brandId, platform: 'ios', devices })
  const seed = { brandId, platform: 'ios', target: { kind: 'all' }, perSecond: 1_000 } as const
  const id = await acceptNotification(database, seed)
  const found = await untilOver(database, { brandId, id })
  assert.deepEqual(countsOf(found), [1_200, 1_200, 0, 0, 0, 0])
  assert.ok(database.settles >= 4)
  assert.equal(engine.sandbox.inbox.total, 1_200, 'nobody was sent to twice')
  await stop()
  await database.close()
})
