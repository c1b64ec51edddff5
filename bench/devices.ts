/**
 * How a broadcast grows from ten thousand devices to a million: its CPU for each message, its wall time beside all the CPU
 * that it took on these cores, its memory and its WAL. The far end costs less than Beckon does, so that the time is ours.
 * There is a worker for each core, which is twice the default: one worker cannot keep two cores busy.
 * `BENCH_SIZES=1000,10000` takes other sizes.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { report } from '../test/support/push/notifications.ts'
import { seedAudience } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { FarEnd } from './support/far-end.ts'
import { saveCurve, saveFigure } from './support/figures.ts'
import { median } from './support/median.ts'
import { peakMiB } from './support/processes.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'
import { verdict } from './support/verdict.ts'
import { loadWalBytes } from './support/wal.ts'

const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000,1000000').split(',').map(Number)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const WARM_UPS = 2
/** Seldom enough to cost little beside what is measured. */
const LOOK_MS = 50
const MINUTES_MAX = 40
const WORKERS = String(availableParallelism())
/** Wall time beside all CPU of the run divided by the cores. */
const WALL_RATIO_MAX = 1.2
const WAL_MAX = 40

type Place = PushPlace & RunningBeckon & { readonly farEnd: FarEnd }
type Audience = { readonly brand: TestBrand; readonly size: number }
type Cost = {
  readonly seconds: number
  readonly perSecond: number
  readonly ownMicros: number
  readonly databaseMicros: number
  readonly farMicros: number
  /** All CPU of the run, divided by the cores. */
  readonly leastSeconds: number
  readonly walBytes: number
}
type Sized = { readonly size: number; readonly costs: readonly Cost[]; readonly memoryMiB: number }

await withPushPlace(MINUTES_MAX, async (place) => {
  const farEnd = await FarEnd.start(place.certificateFile)
  try {
    const audiences = await prepare(place, farEnd)
    const running = { ...place, ...(await place.startBeckon({ BECKON_WORKER_PROCESSES: WORKERS })), farEnd }
    const [smallest] = audiences
    if (smallest === undefined) throw new Error('BENCH_SIZES names no size')
    for (let round = 0; round < WARM_UPS; round += 1) await broadcast(running, smallest)
    const sized: Sized[] = []
    for (const audience of audiences) sized.push(await measure(running, audience))
    keep(sized)
  } finally {
    await farEnd.stop()
  }
})

async function prepare({ fresh, folder, startSandbox }: PushPlace, farEnd: FarEnd): Promise<Audience[]> {
  const audiences: Audience[] = []
  for (const size of SIZES) audiences.push({ size, brand: await fresh.brand() })
  await seedAudience(
    fresh.url,
    audiences.map(({ size, brand }) => ({ brandId: brand.brandId, count: size })),
  )
  // The sandbox gives the credential; the far end believes every credential.
  await saveSandboxFile(folder, farEnd.instead(await startSandbox(0)))
  return audiences
}

/** Sizes grow, so that the most memory that the worker ever had is that of the size at hand. */
async function measure(place: Place, audience: Audience): Promise<Sized> {
  const costs: Cost[] = []
  for (let round = 0; round < ROUNDS; round += 1) costs.push(await broadcast(place, audience))
  const memoryMiB = Math.max(...place.workerPids.map(peakMiB))
  const of = (figure: (cost: Cost) => number): string => median(costs.map(figure)).toFixed(1)
  process.stdout.write(
    `  ${audience.size} devices: ${of((cost) => cost.seconds)} s, a message ${of((cost) => cost.ownMicros)} µs Beckon, ` +
      `${of((cost) => cost.databaseMicros)} PostgreSQL, ${of((cost) => cost.farMicros)} the far end, ` +
      `${of((cost) => cost.walBytes)} bytes of WAL, a worker ${memoryMiB.toFixed(0)} MiB\n`,
  )
  return { size: audience.size, costs, memoryMiB }
}

/** One broadcast to all devices of a brand, from its call until its last outcome is written. */
async function broadcast(place: Place, { brand, size }: Audience): Promise<Cost> {
  const { api, apiPid, workerPids, postgresPid, farEnd, fresh } = place
  const spent = (): readonly number[] => [
    [apiPid, ...workerPids].reduce((sum, pid) => sum + cpuMs(pid).server, 0),
    cpuMs(postgresPid).server,
    cpuMs(farEnd.pid).server,
    cpuMs(0).own,
  ]
  const walBefore = await loadWalBytes(fresh.database)
  const before = spent()
  const startedAt = performance.now()
  const reply = await fetch(`${api}/ios/broadcast/all`, {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'All', message: 'A message of some length to a device' }),
  })
  const { notification }: { readonly notification: { readonly id: string } } = JSON.parse(await reply.text())
  const ref = { brandId: brand.brandId, id: notification.id }
  while ((await report(fresh.database, ref)).finishedAt === null) await delay(LOOK_MS)
  const seconds = (performance.now() - startedAt) / 1000
  const [ownMs = 0, databaseMs = 0, farMs = 0, benchMs = 0] = spent().map(
    (after, at) => after - (before[at] ?? 0),
  )
  const { accepted } = await report(fresh.database, ref)
  if (accepted !== size) throw new Error(`${accepted} of ${size} were accepted`)
  return {
    seconds,
    perSecond: size / seconds,
    ownMicros: (ownMs * 1000) / size,
    databaseMicros: (databaseMs * 1000) / size,
    farMicros: (farMs * 1000) / size,
    leastSeconds: (ownMs + databaseMs + farMs + benchMs) / 1000 / availableParallelism(),
    walBytes: ((await loadWalBytes(fresh.database)) - walBefore) / size,
  }
}

function keep(sized: readonly Sized[]): void {
  const largest = sized.at(-1)
  if (largest === undefined) return
  const { size, costs, memoryMiB } = largest
  const of = (figure: (cost: Cost) => number): number[] => costs.map(figure)
  const ratio = median(of(({ seconds, leastSeconds }) => seconds / leastSeconds))
  const many = size.toLocaleString('en')
  verdict(
    `a broadcast to ${many} devices takes ${median(of((cost) => cost.seconds)).toFixed(1)} s, ${ratio.toFixed(2)} × all its CPU over the cores`,
    ratio <= WALL_RATIO_MAX,
    `at most ${WALL_RATIO_MAX}`,
  )
  saveFigure({
    what: `wall time of a broadcast to ${many} devices`,
    unit: 's',
    ours: of((cost) => cost.seconds),
    limit: { name: 'all CPU of the run / cores', rounds: of((cost) => cost.leastSeconds) },
    bar: { of: 'limit', atMost: WALL_RATIO_MAX },
    ratio,
    memoryMiB,
  })
  saveFigure({
    what: `CPU of a message among ${many}`,
    unit: 'µs',
    ours: of((cost) => cost.ownMicros + cost.databaseMicros),
    parts: {
      'API and worker': median(of((cost) => cost.ownMicros)),
      PostgreSQL: median(of((cost) => cost.databaseMicros)),
      'far end, not counted': median(of((cost) => cost.farMicros)),
    },
  })
  saveFigure({
    what: `WAL of a message among ${many}`,
    unit: 'bytes',
    ours: of((cost) => cost.walBytes),
    bar: { of: 'figure', atMost: WAL_MAX },
  })
  const curve = (what: string, unit: string, figure: (cost: Cost) => number): void =>
    saveCurve({
      what,
      unit,
      axis: 'devices',
      points: sized.map((one) => ({ size: one.size, rounds: one.costs.map(figure) })),
    })
  curve('CPU of a message', 'µs', (cost) => cost.ownMicros + cost.databaseMicros)
  curve('messages a second', '/s', (cost) => cost.perSecond)
  curve('WAL of a message', 'bytes', (cost) => cost.walBytes)
  saveCurve({
    what: 'most memory of a worker',
    unit: 'MiB',
    axis: 'devices',
    points: sized.map((one) => ({ size: one.size, rounds: [one.memoryMiB] })),
  })
}
