import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Platform } from '../../src/rules/platforms.ts'
import { loadChannel } from '../../src/store/push/channels.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'
import { memoryLog } from '../support/memory-log.ts'
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

type Row = {
  readonly fault: SecondFault
  /** How many more messages arrive than devices for each failure. Only a message that was taken unseen is repeated. */
  readonly repeats: 0 | 1
  /** The channel waits, and no delivery is used up. */
  readonly isPausing?: true
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
]

/** The troubled platforms take turns; the other platform of every brand has no trouble at all. */
const FAR_ENDS = [
  { name: 'the sandbox, by its dial', open: openDialledSandbox, troubled: ['ios', 'web'], calm: 'android' },
  { name: 'the second provider', open: openSecondProvider, troubled: ['android', 'web'], calm: 'ios' },
] as const

type Case = {
  readonly row: Row
  readonly trouble: Trouble
  readonly troubledId: string
  readonly calm: Trouble
  readonly calmId: string
}

for (const { name, open, troubled, calm } of FAR_ENDS) {
  test(`${name}: faults lose nothing and double nothing, and an untouched channel finishes`, async () => {
    const farEnd = await open()
    const fresh = await freshDatabase()
    const log = memoryLog()
    const cases: Case[] = []
    for (const [index, row] of ROWS.entries()) {
      const platform = row.isPausing === true ? troubled[0] : (troubled[index % 2] ?? troubled[0])
      cases.push(await seedCase(fresh, farEnd, { row, platform, calm }))
    }
    // A fault that hangs is over when the patience is; no answer of a healthy provider takes so long.
    const stop = runPushLane(fresh.database, farEnd.access, log, { answerMs: 15_000, bodyMs: 500 })
    try {
      for (const one of cases) {
        await untilWorked(async () => isSettled(fresh, one), { lines: log.lines })
        await checkCase(fresh, farEnd, one)
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
    return { brandId, platform: on, devices, fault: row.fault }
  }
  const trouble = await troubleOn(platform)
  const untouched = await troubleOn(calm)
  farEnd.addTrouble(trouble)
  const target = { kind: 'all' } as const
  const troubledId = await acceptNotification(database, { brandId, platform, target })
  const calmId = await acceptNotification(database, { brandId, platform: calm, target })
  return { row, trouble, troubledId, calm: untouched, calmId }
}

async function isSettled(
  { database }: TestDatabase,
  { row, trouble, troubledId, calmId }: Case,
): Promise<boolean> {
  const { brandId, platform } = trouble
  const calm = await report(database, { brandId, id: calmId })
  if (calm.finishedAt === null) return false
  if (row.isPausing === true) {
    return ((await loadChannel(database, { brandId, platform }))?.pausedReason ?? null) !== null
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
    return
  }
  assert.deepEqual(found, all, name)
  assert.equal(farEnd.failedCount(trouble), DEVICES, `${name}: every fault happened`)
  const taken = trouble.devices.map((device) => farEnd.takenBy(device))
  assert.ok(Math.min(...taken) >= 1, `${name}: a device got nothing`)
  const total = taken.reduce((sum, count) => sum + count, 0)
  assert.equal(total, DEVICES * (1 + row.repeats), `${name}: repeats`)
}
