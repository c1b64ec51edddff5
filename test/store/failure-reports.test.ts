import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ReadySender } from '../../src/delivery/channel-sender.ts'
import { FailureReports } from '../../src/delivery/health/failure-reports.ts'
import { Database, type Rows, type Statement } from '../../src/store/db.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { brand, drop, url } = await freshDatabase()
after(drop)

/** Counts the statements that write channels. */
class CountingDatabase extends Database {
  writes = 0

  override async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Rows<Row>> {
    if (typeof statement === 'string' && statement.includes('insert into channels')) this.writes += 1
    return super.query(statement, values)
  }
}

const CHUNKS = 50

const SENDER: ReadySender = {
  kind: 'ready',
  credential: 'ios',
  version: 0,
  state: 'working',
  isFailing: false,
  refusedHosts: new Set(),
  mainHost: null,
  hasManyHosts: false,
  hostOf: () => '',
  prepare: () => async () => ({ kind: 'accepted' }),
}

test('a failure that many chunks report at once is saved once', async (context) => {
  const database = new CountingDatabase({ ...PATIENT, url, connectionsMax: 10, name: 'beckon test' })
  context.after(async () => database.close())
  const { brandId } = await brand()
  const ref = { brandId, platform: 'ios' } as const
  await seedSubscriptions(database, { ...ref, subscriptionId: 'one' })
  const recipient = await loadRecipient(database, { ...ref, subscriptionId: 'one' })
  assert.ok(recipient !== null)
  const failed = { recipient, verdict: { kind: 'unknown', reason: 'connection_reset' }, at: 0 } as const
  const reports = new FailureReports(database)
  const report = { ref, sender: SENDER, verdicts: [failed], now: Date.now() }
  await Promise.all(Array.from({ length: CHUNKS }, async () => reports.report(report)))
  assert.equal(database.writes, 1)
  assert.equal((await loadChannel(database, ref))?.failingReason, 'connection_reset')
})
