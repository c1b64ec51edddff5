import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { ReadySender } from '../../src/delivery/channel-sender.ts'
import { FailureReports } from '../../src/delivery/health/failure-reports.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { FAILURE_REPORT_MS } from '../../src/rules/channels.ts'
import { Database, type Rows, type Statement } from '../../src/store/db.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { loadRecipient } from '../../src/store/push/recipients.ts'
import { freshDatabase, PATIENT } from '../support/database/database.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { brand, drop, url } = await freshDatabase()
after(drop)

/** Counts the statements that write the failure of a channel. */
class CountingDatabase extends Database {
  saves = 0
  clears = 0
  /** The next so many saves do not arrive. */
  lost = 0

  override async query<Row extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Rows<Row>> {
    const text = typeof statement === 'string' ? statement : ''
    if (text.includes('update channels set failing_reason = null')) this.clears += 1
    if (text.includes('insert into channels')) {
      this.saves += 1
      this.lost -= 1
      if (this.lost >= 0) throw new Error('the connection is lost')
    }
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
  prepare: () => () => undefined,
}

/** A channel with one device, and a worker that reports about it. */
async function openPlace(context: TestContext) {
  const database = new CountingDatabase({ ...PATIENT, url, connectionsMax: 10, name: 'beckon test' })
  context.after(async () => database.close())
  const { brandId } = await brand()
  const ref = { brandId, platform: 'ios' } as const
  await seedSubscriptions(database, { ...ref, subscriptionId: 'one' })
  const recipient = await loadRecipient(database, { ...ref, subscriptionId: 'one' })
  assert.ok(recipient !== null)
  const reports = new FailureReports(database)
  return {
    database,
    /** The verdicts of one settlement, the first of which is of the first host, and so on. */
    report: async (verdicts: readonly Verdict[], { now = NOW, sender = SENDER }: Partial<Told> = {}) => {
      const given = verdicts.map((verdict, at) => ({
        recipient: { ...recipient, id: BigInt(at) },
        verdict,
        at,
      }))
      await reports.report({ ref, sender, verdicts: given, now })
    },
    reason: async () => (await loadChannel(database, ref))?.failingReason ?? null,
    hosts: async () => {
      const { rows } = await database.query<{ hosts: readonly { readonly host: string }[] }>(
        'select refused_hosts as hosts from channels where brand_id = $1',
        [brandId],
      )
      return rows.flatMap(({ hosts }) => hosts.map(({ host }) => host))
    },
  }
}

type Told = { readonly now: number; readonly sender: ReadySender }

const NOW = Date.now()
const RESET = { kind: 'unknown', reason: 'connection_reset' } as const
const BUSY = { kind: 'retry', reason: 'busy', waitMs: 0, scope: 'host' } as const
const ACCEPTED = { kind: 'accepted' } as const

test('a failure that many chunks report at once is saved once', async (context) => {
  const { database, report, reason } = await openPlace(context)
  await Promise.all(Array.from({ length: CHUNKS }, async () => report([RESET])))
  assert.equal(database.saves, 1)
  assert.equal(await reason(), 'connection_reset')
})

test('a failure that lasts is saved again after a while, also when the clock was set back', async (context) => {
  const { database, report } = await openPlace(context)
  await report([RESET])
  await report([RESET], { now: NOW + FAILURE_REPORT_MS - 1 })
  assert.equal(database.saves, 1)
  await report([RESET], { now: NOW + FAILURE_REPORT_MS })
  assert.equal(database.saves, 2)
  await report([RESET], { now: NOW + 1 })
  assert.equal(database.saves, 2)
  await report([RESET], { now: NOW })
  assert.equal(database.saves, 3)
})

test('only what is not about the message or its one address is a failure, and the last one is told', async (context) => {
  const { database, report, reason } = await openPlace(context)
  await report([
    { kind: 'refused', reason: 'too_big' },
    { kind: 'gone', reason: 'gone', goneAt: null, isSuspect: false },
    { ...BUSY, scope: 'address' },
    { kind: 'paused', reason: 'credential' },
  ])
  assert.equal(database.saves, 0)
  await report([RESET, { ...BUSY, scope: 'credential' }, { ...BUSY, reason: 'address', scope: 'address' }])
  assert.deepEqual([database.saves, await reason()], [1, 'busy'])
})

test('a failure is over when a message is accepted, and acceptances cost nothing then', async (context) => {
  const { database, report, reason } = await openPlace(context)
  await report([ACCEPTED])
  assert.equal(database.clears, 0)
  await report([BUSY])
  assert.equal(await reason(), 'busy')
  await report([BUSY, ACCEPTED, BUSY])
  assert.deepEqual([database.saves, database.clears, await reason()], [1, 1, null])
  await report([ACCEPTED])
  assert.equal(database.clears, 1)
  await report([BUSY])
  assert.deepEqual([database.saves, await reason()], [2, 'busy'])
})

test('an acceptance ends a failure that another worker saved', async (context) => {
  const { database, report } = await openPlace(context)
  await report([ACCEPTED], { sender: { ...SENDER, isFailing: true } })
  assert.equal(database.clears, 1)
})

test('a failure whose save is lost is saved by the next report', async (context) => {
  const { database, report, reason } = await openPlace(context)
  database.lost = 1
  await assert.rejects(report([RESET]), /connection is lost/)
  await report([RESET])
  assert.deepEqual([database.saves, await reason()], [2, 'connection_reset'])
})

test('of a channel with many push hosts, the failing ones are told, each by itself', async (context) => {
  const { database, report, reason, hosts } = await openPlace(context)
  const names = ['https://a.example', 'https://b.example']
  const sender = {
    ...SENDER,
    isFailing: true,
    hasManyHosts: true,
    hostOf: ({ id }: { readonly id: bigint }) => names[Number(id)] ?? '',
  }
  await report([RESET])
  await report([ACCEPTED])
  const { clears } = database
  await report([BUSY], { sender })
  assert.deepEqual([await hosts(), await reason()], [['a.example'], null])
  await report([{ ...BUSY, scope: 'address' }, ACCEPTED], { sender })
  assert.deepEqual(await hosts(), ['a.example'])
  await report([ACCEPTED, BUSY], { sender })
  assert.deepEqual(await hosts(), ['b.example'])
  await report([ACCEPTED, ACCEPTED], { sender })
  assert.deepEqual(await hosts(), [])
  assert.deepEqual([database.saves, database.clears], [1, clears])
})
