import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Channels } from '../../src/delivery/channels.ts'
import { ChunkCommits } from '../../src/delivery/chunk-commits.ts'
import { ChunkLedger } from '../../src/delivery/chunk-ledger.ts'
import { UNBOUND } from '../../src/delivery/pace.ts'
import { ChannelWindows } from '../../src/delivery/send-windows.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { MEASURE_PAYLOAD } from '../../src/providers/payload-bytes.ts'
import { DatabaseClock } from '../../src/runtime/database-clock.ts'
import { LoopTurns } from '../../src/runtime/limits/loop-turns.ts'
import { cancelNotification } from '../../src/store/push/cancel.ts'
import { loadMoment } from '../../src/store/push/planning.ts'
import type { ClaimState } from '../../src/store/push/settlement.ts'
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

/** The connection breaks at the next settlement: before it reached the database, or before its answer came back. */
class BreakingCommits extends ChunkCommits {
  breaksNext: 'before' | 'after' | null = null

  override async settle(...given: Parameters<ChunkCommits['settle']>): Promise<ClaimState> {
    const breaks = this.breaksNext
    this.breaksNext = null
    if (breaks === 'before') throw new Error('the connection broke')
    const state = await super.settle(...given)
    if (breaks === 'after') throw new Error('the connection broke')
    return state
  }
}

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
  const commits = new BreakingCommits(database)
  const deps = {
    database,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    channels: new Channels({ db: database, open: async () => SENDER }),
    commits,
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
  const judge = (at: number, verdict: Verdict): void => {
    const recipient = chunk.recipients[at]
    assert.ok(recipient !== undefined)
    ledger.add({ recipient, verdict, at: Date.now() })
  }
  const accept = (at: number): void => judge(at, { kind: 'accepted' })
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
  const cancel = async () => database.asBrand(brandId, async (tx) => cancelNotification(tx, { brandId, id }))
  /** Another worker claims the chunk, as it does when the lease has run out. */
  const loseClaim = async () =>
    database.query('update chunks set claims = claims + 1 where brand_id = $1', [brandId])
  const liveDevices = async () => {
    const { rows } = await database.query<{ count: number }>(
      `select count(*)::integer as count from subscriptions where brand_id = $1 and state = 'live'`,
      [brandId],
    )
    return rows[0]?.count
  }
  return { ledger, commits, brandId, judge, accept, counts, waits, cancel, loseClaim, liveDevices }
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

test('a settlement of a cancelled notification stops the chunk, and its rest is cancelled', async () => {
  const { ledger, accept, counts, cancel } = await openLedger()
  await cancel()
  accept(0)
  await ledger.settle()
  assert.equal(ledger.isStopped, true)
  await ledger.finish()
  assert.deepEqual(
    await counts(),
    expectedCounts({ audience: AUDIENCE, accepted: 1, cancelled: AUDIENCE - 1 }),
  )
})

test('without a verdict a cancellation is asked for twice a second, not more often', async (context) => {
  let now = performance.now()
  context.mock.method(performance, 'now', () => now)
  const { ledger, cancel } = await openLedger()
  await cancel()
  now += 499
  await ledger.settle()
  assert.equal(ledger.isStopped, false)
  now += 1
  await ledger.settle()
  assert.equal(ledger.isStopped, true)
})

test('each settlement begins the half second anew', async (context) => {
  let now = performance.now()
  context.mock.method(performance, 'now', () => now)
  const { ledger, accept, cancel } = await openLedger()
  now += 400
  accept(0)
  await ledger.settle()
  await cancel()
  now += 400
  await ledger.settle()
  assert.equal(ledger.isStopped, false)
})

test('verdicts on a chunk that another worker has are not written, and nothing of it is given back', async () => {
  const { ledger, accept, counts, waits, loseClaim } = await openLedger()
  await loseClaim()
  accept(0)
  await ledger.settle()
  assert.deepEqual([ledger.isStopped, ledger.unwritten], [true, 1])
  await ledger.finish()
  assert.deepEqual(await waits(), [])
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, pending: AUDIENCE }))
})

test('a chunk of a brand that is being deleted is given back at once', async () => {
  const { ledger, brandId, accept, counts, waits } = await openLedger()
  await database.query('update brands set deleted_at = now() where id = $1', [brandId])
  accept(0)
  await ledger.settle()
  assert.equal(ledger.isStopped, true)
  await ledger.finish()
  const [seconds = Number.NaN] = await waits()
  assert.ok(seconds <= 0, `${seconds} seconds`)
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: 1, pending: 2 }))
})

for (const breaks of ['before', 'after'] as const) {
  test(`a settlement that breaks ${breaks} it is written counts each verdict once`, async () => {
    const { ledger, commits, accept, counts } = await openLedger()
    accept(0)
    commits.breaksNext = breaks
    await assert.rejects(ledger.settle(), /the connection broke/)
    assert.deepEqual([ledger.hasFresh, ledger.unwritten], [false, 1])
    accept(1)
    await ledger.finish()
    assert.equal(ledger.unwritten, 0)
    assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: 2, pending: 1 }))
  })

  test(`a chunk that is lost while a settlement breaks ${breaks} it is written is left alone`, async () => {
    const { ledger, commits, accept, counts, loseClaim } = await openLedger()
    accept(0)
    commits.breaksNext = breaks
    await assert.rejects(ledger.settle())
    await loseClaim()
    accept(1)
    await ledger.finish()
    const accepted = breaks === 'after' ? 1 : 0
    assert.equal(ledger.unwritten, 2)
    assert.deepEqual(
      await counts(),
      expectedCounts({ audience: AUDIENCE, accepted, pending: AUDIENCE - accepted }),
    )
  })
}

test('a notification that is cancelled while a settlement breaks ends with what was handed over', async () => {
  const { ledger, commits, accept, counts, cancel } = await openLedger()
  accept(0)
  commits.breaksNext = 'before'
  await assert.rejects(ledger.settle())
  await cancel()
  await ledger.finish()
  assert.deepEqual(
    await counts(),
    expectedCounts({ audience: AUDIENCE, accepted: 1, cancelled: AUDIENCE - 1 }),
  )
})

const SUSPECT = { kind: 'gone', reason: 'SenderId mismatch', goneAt: null, isSuspect: true } as const

test('a refused credential pauses the channel, the rest waits for its probe, and no device is blamed', async () => {
  const { ledger, judge, accept, counts, waits, liveDevices } = await openLedger()
  accept(0)
  judge(1, SUSPECT)
  judge(2, { kind: 'paused', reason: 'invalid_grant' })
  await ledger.settle()
  assert.deepEqual([ledger.isStopped, ledger.unwritten], [true, 0])
  await ledger.finish()
  const [seconds = 0] = await waits()
  assert.ok(seconds > 30 && seconds <= 60, `${seconds} seconds`)
  assert.equal(await liveDevices(), AUDIENCE)
  assert.deepEqual(await counts(), expectedCounts({ audience: AUDIENCE, accepted: 1, pending: 2 }))
})

test('a dead device is retired once its outcome is written', async () => {
  const { ledger, commits, judge, counts, liveDevices } = await openLedger()
  judge(0, { ...SUSPECT, reason: 'Unregistered', isSuspect: false })
  commits.breaksNext = 'before'
  await assert.rejects(ledger.settle())
  assert.equal(await liveDevices(), AUDIENCE)
  await ledger.finish()
  assert.equal(await liveDevices(), AUDIENCE - 1)
  assert.equal((await counts()).pending, AUDIENCE - 1)
})
