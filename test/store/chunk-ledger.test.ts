import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Channels } from '../../src/delivery/channels.ts'
import { ChunkCommits } from '../../src/delivery/chunk-commits.ts'
import { ChunkLedger } from '../../src/delivery/chunk-ledger.ts'
import { UNBOUND } from '../../src/delivery/pace.ts'
import { ChannelWindows } from '../../src/delivery/send-windows.ts'
import { MEASURE_PAYLOAD } from '../../src/providers/payload-bytes.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { LoopTurns } from '../../src/runtime/limits/loop-turns.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import { freshDatabase } from '../support/database/database.ts'
import { claimOne, open, planDue } from '../support/push/drain.ts'
import { RECEIPTS } from '../support/push/engine.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const SENDER = {
  kind: 'ready',
  credential: 'android',
  version: 0,
  state: 'working',
  isFailing: false,
  refusedHosts: new Set<string>(),
  mainHost: null,
  hasManyHosts: false,
  hostOf: () => '',
  prepare: () => () => undefined,
} as const

const AUDIENCE = 3

/** The ledger of a claimed chunk with a broadcast to a few devices. */
async function openLedger() {
  const { brandId } = await brand()
  for (let made = 0; made < AUDIENCE; made += 1) await seedSubscriptions(database, { brandId })
  const id = await acceptNotification(database, { brandId, target: { kind: 'all' } })
  await planDue(database)
  const claimed = await claimOne(database)
  assert.ok(claimed !== null && claimed.brandId === brandId)
  const chunk = await open(database, claimed)
  assert.ok(chunk !== null)
  const deps = {
    database,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    channels: new Channels({ db: database, open: async () => SENDER }),
    commits: new ChunkCommits(database),
    receipts: RECEIPTS,
    measure: MEASURE_PAYLOAD,
    random: () => 0,
    onVerdict: () => undefined,
  }
  const ledger = new ChunkLedger(deps, {
    claimed,
    chunk,
    sender: SENDER,
    pace: UNBOUND,
    windows: new ChannelWindows({ windowMax: 10, unsettledMax: 10 }),
    turns: new LoopTurns(),
    use: { send: () => undefined, sendPaced: () => undefined, rest: () => undefined },
  })
  const accept = (at: number): void => {
    const recipient = chunk.recipients[at]
    assert.ok(recipient !== undefined)
    ledger.add({ recipient, verdict: { kind: 'accepted' }, at: Date.now() })
  }
  const counts = async () => countsOf(await report(database, { brandId, id }))
  /** The seconds until the chunk may be claimed again; none if it is held or gone. */
  const waits = async () => {
    const { rows } = await database.query<{ seconds: number }>(
      `select extract(epoch from ready_at - clock_timestamp())::float8 as seconds
       from chunks where brand_id = $1 and leased_by is null`,
      [brandId],
    )
    return rows.map(({ seconds }) => seconds)
  }
  return { ledger, accept, counts, waits }
}

test('of two reasons to stop the first counts', async () => {
  const { ledger, counts } = await openLedger()
  assert.equal(ledger.isStopped, false)
  ledger.stop({ kind: 'expired' })
  ledger.stop({ kind: 'later', waitMs: 0 })
  assert.equal(ledger.isStopped, true)
  await ledger.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, expired: AUDIENCE }))
})

test('a cancellation replaces another reason, and verdicts that came before are written', async () => {
  const { ledger, accept, counts } = await openLedger()
  accept(0)
  ledger.stop({ kind: 'later', waitMs: 0 })
  ledger.stop({ kind: 'cancelled' })
  await ledger.finish()
  assert.deepEqual(
    await counts(),
    expectedCounts({ audience: AUDIENCE, accepted: 1, cancelled: AUDIENCE - 1 }),
  )
})

test('a chunk that is lost is never written, whatever stopped it before', async () => {
  const { ledger, accept, counts } = await openLedger()
  accept(0)
  ledger.stop({ kind: 'expired' })
  ledger.stop({ kind: 'lost' })
  await ledger.settle()
  await ledger.finish()
  assert.equal(ledger.unwritten, 1)
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, pending: AUDIENCE }))
})

test('a settlement writes what is fresh, once, and forgets it', async () => {
  const { ledger, accept, counts } = await openLedger()
  accept(0)
  assert.deepEqual([ledger.hasFresh, ledger.unwritten], [true, 1])
  await ledger.settle()
  assert.deepEqual([ledger.hasFresh, ledger.unwritten], [false, 0])
  accept(1)
  await ledger.settle()
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: 2, pending: 1 }))
})

test('a chunk whose recipients were passed over is claimed again for the first of them', async () => {
  const { ledger, accept, counts, waits } = await openLedger()
  accept(0)
  ledger.leaveOut(7_200_000)
  ledger.leaveOut(3_600_000)
  ledger.leaveOut(5_400_000)
  await ledger.finish()
  const [seconds = 0, ...others] = await waits()
  assert.deepEqual(others, [])
  assert.ok(seconds > 1_800 && seconds <= 3_600, `${seconds} seconds`)
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: 1, pending: 2 }))
})

test('a reason to stop counts, though recipients were passed over', async () => {
  const { ledger, counts, waits } = await openLedger()
  ledger.leaveOut(3_600_000)
  ledger.stop({ kind: 'expired' })
  await ledger.finish()
  assert.deepEqual(await waits(), [])
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, expired: AUDIENCE }))
})

test('a chunk that was sent whole is done, and nothing of it waits', async () => {
  const { ledger, accept, counts, waits } = await openLedger()
  for (let at = 0; at < AUDIENCE; at += 1) accept(at)
  await ledger.finish()
  assert.deepEqual(await waits(), [])
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: AUDIENCE }))
})
