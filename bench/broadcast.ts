/**
 * What a broadcast to a million devices, one in twenty of them dead, does to the machine and to everybody else: how
 * soon its first message leaves, what one of its messages costs compared with one of a small broadcast, how much memory
 * its worker takes, and how long the single send of another brand waits meanwhile. All in real processes, the
 * providers in theirs. `npm run bench -- broadcast 100000` takes a smaller audience.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { sandboxClient } from '../src/delivery/sandbox/client.ts'
import type { SandboxAccess } from '../src/delivery/sandbox/file.ts'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import type { TestBrand, TestDatabase } from '../test/support/database/database.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { report } from '../test/support/push/notifications.ts'
import { seedDevices } from '../test/support/subscriptions/subscriptions.ts'
import { untilWorked } from '../test/support/until-worked.ts'
import { DEAD_EVERY, reviveAudience, seedAudience, untilRetired } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { saveFigure } from './support/figures.ts'
import { median } from './support/median.ts'
import { peakMiB } from './support/processes.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'
import { type Latencies, SingleSends } from './support/single-sends.ts'
import { verdict } from './support/verdict.ts'

const LARGE = Number(process.argv[3] ?? 1_000_000)
const SMALL = 10_000
/** Before the large one and again after it, so that a machine that changes its pace meets both. */
const SMALL_ROUNDS = 3
const IDLE_SENDS_MS = 15_000
/** As many as the rate limit of an endpoint allows for good. */
const SEND_EVERY_MS = 130

/** Whom the single sends are for. */
const NAME = 'the-one'

/** Enough for two cores: a million devices are stored, sent to, and one in twenty of them retired. */
const MINUTES_MAX = 15
const FIRST_SEND_MS_MAX = 1_000
const WORKER_MIB_MAX = 300
const COST_RATIO_MAX = 1.15
const IDLE = { p50Ms: 100, p99Ms: 250 } as const
const BUSY = { p50Ms: 2_000, p99Ms: 2_000 } as const

/** The worker is a process of its own, and writes its log to standard error. */
const NO_LOG = { lines: [] }

await withPushPlace(MINUTES_MAX, async (place) => measure(await prepare(place)))

type Place = RunningBeckon & {
  readonly fresh: TestDatabase
  readonly postgresPid: number
  readonly large: TestBrand
  readonly small: TestBrand
  readonly single: TestBrand
  /** Where the broadcasts go, and where the single sends go, so that neither hides the other. */
  readonly crowd: SandboxAccess
  readonly alone: SandboxAccess
}

async function prepare({ fresh, folder, postgresPid, ...start }: PushPlace): Promise<Place> {
  const { database } = fresh
  const [large, small, single] = [await fresh.brand(), await fresh.brand(), await fresh.brand()]
  await seedAudience(fresh.url, [
    { brandId: large.brandId, count: LARGE },
    { brandId: small.brandId, count: SMALL },
  ])
  await seedDevices(database, {
    brandId: single.brandId,
    platform: 'android',
    devices: [{ address: anyToken() }],
  })
  await database.query(`update subscriptions set subscription_id = $2 where brand_id = $1`, [
    single.brandId,
    NAME,
  ])
  const crowd = await start.startSandbox(Math.max(LARGE, SMALL))
  const alone = await start.startSandbox(Math.max(LARGE, SMALL))
  await saveSandboxFile(folder, { ...crowd, fcm: alone.fcm })
  return { ...(await start.startBeckon()), fresh, postgresPid, large, small, single, crowd, alone }
}

/** A token of the form that FCM gives out. */
function anyToken(): string {
  return `${'i'.repeat(22)}:APA91b${'s'.repeat(134)}`
}

async function measure(place: Place): Promise<void> {
  const { large, small } = place
  await broadcast(place, small, SMALL) // warms caches and tokens
  const idle = singleSends(place)
  await wait(IDLE_SENDS_MS)
  saySends('idle', await idle.stop(), IDLE)

  const smalls: Cost[] = []
  // The same single sends run beside the small broadcasts, whose cost is thus no lower for want of them.
  const busy = singleSends(place)
  for (let round = 0; round < SMALL_ROUNDS; round += 1) smalls.push(await broadcast(place, small, SMALL))
  await busy.stop()
  const meanwhile = singleSends(place)
  const cost = await broadcast(place, large, LARGE)
  saySends(`while ${LARGE} devices are sent to`, await meanwhile.stop(), BUSY)
  const after = singleSends(place)
  for (let round = 0; round < SMALL_ROUNDS; round += 1) smalls.push(await broadcast(place, small, SMALL))
  await after.stop()

  const rate = (LARGE / cost.seconds).toFixed(0)
  verdict(
    `the first of ${LARGE} left ${cost.firstMs} ms after its acceptance`,
    cost.firstMs < FIRST_SEND_MS_MAX,
    `under ${FIRST_SEND_MS_MAX} ms`,
  )
  const mib = peakMiB(place.workerPid)
  const many = LARGE.toLocaleString('en')
  saveFigure({
    what: `the first of ${many} messages leaves`,
    unit: 'ms',
    ours: [cost.firstMs],
    bar: { of: 'figure', atMost: FIRST_SEND_MS_MAX },
  })
  saveFigure({
    what: `CPU of a message among ${many}, one device in ${DEAD_EVERY} dead`,
    unit: 'µs',
    ours: [cost.micros],
    limit: { name: `among ${SMALL.toLocaleString('en')}`, rounds: smalls.map(({ micros }) => micros) },
    bar: { of: 'limit', atMost: COST_RATIO_MAX },
    memoryMiB: mib,
  })
  verdict(`the worker had ${mib.toFixed(0)} MiB at most`, mib < WORKER_MIB_MAX, `under ${WORKER_MIB_MAX} MiB`)
  const smallMicros = median(smalls.map(({ micros }) => micros))
  const ratio = cost.micros / smallMicros
  verdict(
    `a message costs ${cost.micros.toFixed(0)} µs of CPU among ${LARGE} (${rate} a second), ${smallMicros.toFixed(0)} µs among ${SMALL}: ${ratio.toFixed(2)} times as much`,
    ratio <= COST_RATIO_MAX,
    `at most ${COST_RATIO_MAX} times`,
  )
}

type Cost = { readonly micros: number; readonly seconds: number; readonly firstMs: number }

/** One broadcast to all devices of a brand, until its last outcome is written. */
async function broadcast(
  { api, workerPid, postgresPid, crowd, fresh }: Place,
  brand: TestBrand,
  count: number,
): Promise<Cost> {
  const spentMs = (): number => cpuMs(workerPid).server + cpuMs(postgresPid).server
  const { database } = fresh
  await reviveAudience({ fresh, brandId: brand.brandId })
  const before = spentMs()
  const message = `round ${performance.now()}.`
  const reply = await fetch(`${api}/ios/broadcast/all`, {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'All', message }),
  })
  const acceptedAt = Date.now()
  const { notification }: { readonly notification: { readonly id: string } } = JSON.parse(await reply.text())
  const firstMs = (await firstArrival(crowd, message)) - acceptedAt
  const { brandId } = brand
  const ref = { brandId, id: notification.id }
  await untilWorked(async () => (await report(database, ref)).finishedAt !== null, NO_LOG)
  const found = await report(database, ref)
  const dead = Math.floor(count / DEAD_EVERY)
  if (found.accepted !== count - dead || found.failed !== dead) {
    throw new Error(`${found.accepted} of ${count} were accepted, ${found.failed} failed`)
  }
  await untilRetired(database, brandId, dead)
  const micros = ((spentMs() - before) * 1000) / count
  return { micros, seconds: (Date.now() - acceptedAt) / 1000, firstMs }
}

async function firstArrival(access: SandboxAccess, message: string): Promise<number> {
  const client = sandboxClient(async () => access)
  for (;;) {
    const arrivals = await client.arrivals()
    const first = arrivals?.find(({ payload }) => JSON.stringify(payload).includes(message))
    if (first !== undefined) return first.arrivedAt
    await wait(20)
  }
}

function singleSends({ api, single, alone }: Place): SingleSends {
  return new SingleSends({
    api,
    headers: keyHeaders(single),
    subscriptionId: NAME,
    access: alone,
    everyMs: SEND_EVERY_MS,
  })
}

function saySends(
  when: string,
  latencies: Latencies,
  bar: { readonly p50Ms: number; readonly p99Ms: number },
): void {
  const { count, refused, p50Ms, p99Ms, maxMs } = latencies
  const sends = { unit: 'ms', ours: [p99Ms], bar: { of: 'figure', atMost: bar.p99Ms } } as const
  saveFigure({ ...sends, what: `p99 of single sends ${when}`, parts: { p50: p50Ms, longest: maxMs } })
  verdict(
    `${count} single sends ${when}: handed over after ${p50Ms} ms at p50, ${p99Ms} at p99, ${maxMs} at most; ${refused} refused`,
    p50Ms <= bar.p50Ms && p99Ms <= bar.p99Ms && refused === 0 && count > 0,
    `p50 ${bar.p50Ms} ms, p99 ${bar.p99Ms} ms`,
  )
}
