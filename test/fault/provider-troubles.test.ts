import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushWarnings } from '../../src/intake/push/warnings.ts'
import type { Platform } from '../../src/rules/platforms.ts'
import { BRAKE_RULES, RETRY_RULES } from '../../src/rules/push.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { Database } from '../../src/store/db.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
import { anyContent } from '../support/push/content.ts'
import { runPushLane, seedVapidKey } from '../support/push/engine.ts'
import {
  type FarEnd,
  openDialledSandbox,
  openSecondProvider,
  type Trouble,
} from '../support/push/far-ends.ts'
import { acceptNotification, countsOf, expectedCounts, report } from '../support/push/notifications.ts'
import type { SecondFault } from '../support/push/second-provider.ts'
import { seedDevices } from '../support/subscriptions/subscriptions.ts'
import { untilWorked } from '../support/until-worked.ts'

/** How many of a brand's devices are on each of its two platforms. */
const DEVICES = 20
/** Everything was due a while ago, so that the life of a message is not what is left of it. */
const TTL_SECONDS = 2_400
const DUE_AT = Date.now() - 480_000

type Row = {
  readonly fault: SecondFault
  /** How many more messages arrive than devices for each failure. Only a message that was taken unseen is repeated. */
  readonly repeats: 0 | 1
  /** The channel waits, and no delivery is used up. */
  readonly isPausing?: true
  /** Every answer blames the device, and the brake holds. */
  readonly isRetiring?: true
  /** In place of the next platform of the far end. */
  readonly platform?: Platform
}

function answer(status: number, retryAfter: number | null = null): Row {
  return { fault: { kind: 'answer', status, retryAfter }, repeats: 0 }
}

/** One table of faults for both far ends. */
const ROWS: readonly Row[] = [
  { fault: { kind: 'hang' }, repeats: 0 },
  { fault: { kind: 'hang' }, repeats: 0 },
  { fault: { kind: 'drip' }, repeats: 0 },
  { fault: { kind: 'drip' }, repeats: 0 },
  { fault: { kind: 'reset' }, repeats: 0 },
  { fault: { kind: 'reset' }, repeats: 0 },
  { fault: { kind: 'close' }, repeats: 1 },
  { fault: { kind: 'close' }, repeats: 1 },
  { fault: { kind: 'late', delayMs: 500 }, repeats: 0 },
  { fault: { kind: 'late', delayMs: 500 }, repeats: 0 },
  answer(408),
  answer(408),
  answer(421),
  answer(421),
  answer(425),
  answer(425),
  answer(429, 1),
  answer(429, 1),
  answer(500),
  answer(502),
  answer(503, 1),
  answer(503),
  { ...answer(302), isPausing: true },
  { ...answer(405), isPausing: true },
  { ...answer(404), isRetiring: true, platform: 'web' },
  { ...answer(410), isRetiring: true, platform: 'web' },
  { ...answer(410), isRetiring: true, platform: 'ios' },
]

/** A wrong setting of the brand, which the dial cannot play: its answers have no body. */
const BAD_TOKENS: Row = {
  fault: { kind: 'answer', status: 400, retryAfter: null, body: '{"reason":"BadDeviceToken"}' },
  repeats: 0,
  isRetiring: true,
  platform: 'ios',
}

/** The troubled platforms take turns; the other platform of every brand has no trouble at all. */
const FAR_ENDS = [
  {
    name: 'the sandbox, by its dial',
    open: openDialledSandbox,
    troubled: ['ios', 'web'],
    calm: 'android',
    rows: ROWS,
  },
  {
    name: 'the second provider',
    open: openSecondProvider,
    troubled: ['android', 'web'],
    calm: 'ios',
    rows: [...ROWS, BAD_TOKENS],
  },
] as const

type Case = {
  readonly row: Row
  readonly trouble: Trouble
  readonly troubledId: string
  readonly calm: Trouble
  readonly calmId: string
}

for (const { name, open, troubled, calm, rows } of FAR_ENDS) {
  test(`${name}: faults lose nothing and double nothing, and an untouched channel finishes`, async () => {
    const farEnd = await open()
    const fresh = await freshDatabase()
    const log = memoryLog()
    const cases: Case[] = []
    for (const [index, row] of rows.entries()) {
      const next = row.isPausing === true ? troubled[0] : (troubled[index % 2] ?? troubled[0])
      const platform = row.platform ?? next
      cases.push(
        await seedCase(fresh, farEnd, { row, platform, calm: platform === calm ? troubled[0] : calm }),
      )
    }
    const startedAt = Date.now()
    // A fault that hangs is over when the patience is; no answer of a healthy provider takes so long.
    const stop = runPushLane(fresh.database, farEnd.access, log, { answerMs: 15_000, bodyMs: 500 })
    try {
      for (const one of cases) {
        await untilWorked(async () => isSettled(fresh, one), { lines: log.lines })
        await checkCase(fresh, farEnd, one)
        checkLives(farEnd, one)
        if (isPlainRetry(one)) checkSpread(farEnd, one, startedAt)
      }
    } finally {
      await stop()
      await farEnd.close()
      await fresh.drop()
    }
  })
}

type CaseSeed = { readonly row: Row; readonly platform: Platform; readonly calm: Platform }

async function seedCase(
  fresh: TestDatabase,
  farEnd: FarEnd,
  { row, platform, calm }: CaseSeed,
): Promise<Case> {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const vapidKey = await seedVapidKey(database, brandId)
  const troubleOn = async (on: Platform): Promise<Trouble> => {
    const devices = Array.from({ length: DEVICES }, () => farEnd.newDevice(on, vapidKey))
    await seedDevices(database, { brandId, platform: on, devices })
    return {
      brandId,
      platform: on,
      devices,
      fault: row.fault,
      isLasting: row.isPausing === true || row.isRetiring === true,
    }
  }
  const trouble = await troubleOn(platform)
  const untouched = await troubleOn(calm)
  farEnd.addTrouble(trouble)
  const late = {
    brandId,
    target: { kind: 'all' },
    now: DUE_AT,
    content: anyContent({ ttlSeconds: TTL_SECONDS }),
  } as const
  const troubledId = await acceptNotification(database, { ...late, platform })
  const calmId = await acceptNotification(database, { ...late, platform: calm })
  return { row, trouble, troubledId, calm: untouched, calmId }
}

async function isSettled(
  { database }: TestDatabase,
  { row, trouble, troubledId, calmId }: Case,
): Promise<boolean> {
  const { brandId, platform } = trouble
  const calm = await report(database, { brandId, id: calmId })
  if (calm.finishedAt === null) return false
  if (row.isPausing === true || row.isRetiring === true) {
    const channel = await loadChannel(database, { brandId, platform })
    if (channel === null) return false
    const { pausedReason, failingReason, refusedHosts } = channel
    return pausedReason !== null || failingReason !== null || refusedHosts.length > 0
  }
  return (await report(database, { brandId, id: troubledId })).finishedAt !== null
}

async function checkCase({ database }: TestDatabase, farEnd: FarEnd, one: Case): Promise<void> {
  const { row, trouble, troubledId, calm, calmId } = one
  const { brandId, platform } = trouble
  const name = `${JSON.stringify(row.fault)} on ${platform}`
  const all = expectedCounts({ audience: DEVICES, accepted: DEVICES })
  assert.deepEqual(
    countsOf(await report(database, { brandId, id: calmId })),
    all,
    `${name}: the calm channel`,
  )
  for (const device of calm.devices) assert.equal(farEnd.takenBy(device), 1, `${name}: the calm channel`)

  const found = countsOf(await report(database, { brandId, id: troubledId }))
  if (row.isPausing === true) {
    assert.deepEqual(found, expectedCounts({ audience: DEVICES, pending: DEVICES }), name)
  }
  if (row.isPausing === true || row.isRetiring === true) {
    await checkTold(database, trouble, name)
    await checkRetired(database, trouble, name)
    return
  }
  assert.deepEqual(found, all, name)
  assert.equal(farEnd.failedCount(trouble), DEVICES, `${name}: every fault happened`)
  const taken = trouble.devices.map((device) => farEnd.takenBy(device))
  assert.ok(Math.min(...taken) >= 1, `${name}: a device got nothing`)
  const total = taken.reduce((sum, count) => sum + count, 0)
  assert.equal(total, DEVICES * (1 + row.repeats), `${name}: repeats`)
}

/** A push to a channel in trouble is warned of it, with the cause and the cure. */
async function checkTold(database: Database, { brandId, platform }: Trouble, name: string): Promise<void> {
  const warnings = new PushWarnings({ database, clock: systemClock, hasSandbox: async () => true })
  const [told, ...more] = await warnings.forChannel({ brandId, platform })
  assert.match(told?.code ?? '', /^channel_(paused|partial|failing)$/, name)
  assert.ok((told?.message ?? '').length > 40, name)
  assert.deepEqual(more, [], name)
}

/** A provider that blames every device costs few of them; one that blames none costs none. */
async function checkRetired(database: Database, { brandId, fault }: Trouble, name: string): Promise<void> {
  const { count: gone } = await database.query(
    `select from subscriptions where brand_id = $1 and state = 'gone'`,
    [brandId],
  )
  const isBlaming = fault.kind === 'answer' && [400, 404, 410].includes(fault.status)
  assert.ok(gone <= (isBlaming ? BRAKE_RULES.devicesMax : 0), `${name}: ${gone} devices were retired`)
}

/** The provider was told the part of each life that was left when the message came, retries included. */
function checkLives(farEnd: FarEnd, { trouble, calm }: Case): void {
  for (const { devices, platform } of [trouble, calm]) {
    for (const device of devices) {
      const last = farEnd.lastOf(device)
      if (last === null) continue
      const off = last.endsAt - (DUE_AT + TTL_SECONDS * 1000)
      // Providers count in seconds. The clock of a worker is ahead by the delay of the database's first answer, and a slow
      // machine may need some seconds between the hand-over and the arrival.
      assert.ok(off > -30_000 && off < 60_000, `${platform}: ${off} ms from its end`)
    }
  }
}

function isPlainRetry({ row: { fault }, trouble }: Case): boolean {
  return (
    trouble.platform === 'web' && fault.kind === 'answer' && fault.status >= 500 && fault.retryAfter === null
  )
}

/** Retries are spread over the wait: without it, they would all come at once, as the chance of this test is 0. */
function checkSpread(farEnd: FarEnd, { trouble }: Case, startedAt: number): void {
  const times = trouble.devices.map((device) => farEnd.lastOf(device)?.arrivedAt ?? 0)
  const lastMs = Math.max(...times) - startedAt
  assert.ok(lastMs >= RETRY_RULES.firstWaitMs / 2, `the last retry came after ${lastMs} ms`)
}
