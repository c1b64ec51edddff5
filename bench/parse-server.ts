/**
 * A broadcast to ten thousand and to a hundred thousand devices, by Beckon and by `parse-server` as its documentation sets it
 * up, in turn, on the same PostgreSQL and to the same far end. Both are charged for their processes and for PostgreSQL.
 * `BENCH_SIZES=1000` takes other sizes, `BENCH_ROUNDS` the rounds.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import { findFreePort } from '../src/runtime/postgres/free-port.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { report } from '../test/support/push/notifications.ts'
import { seedAudience } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { FarEnd } from './support/far-end.ts'
import { saveFigure } from './support/figures.ts'
import { installPeer } from './support/install-peers.ts'
import { median } from './support/median.ts'
import { ParsePlace } from './support/parse-place.ts'
import { Processes, peakMiB } from './support/processes.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'

const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000').split(',').map(Number)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const MINUTES_MAX = 60
const LOOK_MS = 50

/** A broadcast, and the processes that are charged for it beside PostgreSQL. */
type Sender = { readonly pids: readonly number[]; readonly send: () => Promise<number> }
type Cost = { readonly micros: number; readonly perSecond: number; readonly accepted: number }

installPeer('parse-server')
await withPushPlace(MINUTES_MAX, async (place) => {
  const processes = new Processes()
  const farEnd = await FarEnd.start(place.certificateFile)
  try {
    const access = farEnd.instead(await place.startSandbox(0))
    await saveSandboxFile(place.folder, access)
    const brands: TestBrand[] = []
    for (const _ of SIZES) brands.push(await place.fresh.brand())
    await seedAudience(
      place.fresh.url,
      brands.map(({ brandId }, at) => ({ brandId, count: SIZES[at] ?? 0 })),
    )
    const beckon = { ...place, ...(await place.startBeckon()) }
    for (const [at, size] of SIZES.entries()) {
      const port = await findFreePort(null)
      const parse = await ParsePlace.make(place.fresh.url, { name: `parse_${size}`, port })
      const { certificate, apns } = access
      const job = { ...parse.job, farEnd: farEnd.origin, certificate, credential: apns.credential }
      const jobFile = join(place.folder, `parse-${size}.json`)
      await writeFile(jobFile, JSON.stringify(job))
      const { pid } = await processes.start(['bench/support/parse-process.ts', jobFile], { said: /^ready$/m })
      await parse.seed(size, apns.credential.bundleId)
      const brand = brands[at]
      if (brand !== undefined) await compare(beckon, { brand, size, parse, parsePid: pid })
    }
  } finally {
    await processes.stop()
    await farEnd.stop()
  }
})

type Sides = {
  readonly brand: TestBrand
  readonly size: number
  readonly parse: ParsePlace
  readonly parsePid: number
}

async function compare(
  beckon: PushPlace & RunningBeckon,
  { brand, size, parse, parsePid }: Sides,
): Promise<void> {
  const { postgresPid, apiPid, workerPid } = beckon
  const ours: Sender = { pids: [apiPid, workerPid], send: async () => broadcast(beckon, brand) }
  const theirs: Sender = { pids: [parsePid], send: async () => parse.push() }
  const costs: readonly [Cost[], Cost[]] = [[], []]
  for (let round = -1; round < ROUNDS; round += 1) {
    const made = [await measure(ours, postgresPid, size), await measure(theirs, postgresPid, size)]
    // The first round only warms up.
    if (round >= 0) for (const [side, cost] of made.entries()) costs[side]?.push(cost)
  }
  const [own, other] = costs
  for (const [name, side] of [['Beckon', own] as const, ['parse-server', other] as const]) {
    process.stdout.write(
      `  ${size} devices, ${name}: ${median(side.map(({ micros }) => micros)).toFixed(0)} µs of CPU a message, ` +
        `${median(side.map(({ perSecond }) => perSecond)).toFixed(0)} a second; accepted by round: ${side.map(({ accepted }) => accepted).join(' ')}\n`,
    )
  }
  keep(size, own, other, { ours: peakMiB(workerPid), theirs: peakMiB(parsePid) })
}

function keep(
  size: number,
  own: readonly Cost[],
  other: readonly Cost[],
  memory: { readonly ours: number; readonly theirs: number },
): void {
  const many = `${size.toLocaleString('en')} devices`
  const lost = size - median(other.map(({ accepted }) => accepted))
  const name = `\`parse-server\` (${memory.theirs.toFixed(0)} MiB${lost > 0 ? `, ${lost} of ${size} failed` : ''})`
  saveFigure({
    what: `${many}: CPU of a message`,
    unit: 'µs',
    ours: own.map(({ micros }) => micros),
    peer: { name, rounds: other.map(({ micros }) => micros) },
    memoryMiB: memory.ours,
  })
  saveFigure({
    what: `${many}: messages a second`,
    unit: '/s',
    ours: own.map(({ perSecond }) => perSecond),
    peer: { name: '`parse-server`', rounds: other.map(({ perSecond }) => perSecond) },
  })
}

/** Nobody can mend somebody else's program: the cost of a message is that of those that arrived. */
async function measure({ pids, send }: Sender, postgresPid: number, size: number): Promise<Cost> {
  const spent = (): number => [...pids, postgresPid].reduce((sum, pid) => sum + cpuMs(pid).server, 0)
  const before = spent()
  const startedAt = performance.now()
  const accepted = await send()
  const seconds = (performance.now() - startedAt) / 1000
  if (accepted < size) process.stdout.write(`  only ${accepted} of ${size} messages were accepted\n`)
  const count = Math.max(1, accepted)
  return { micros: ((spent() - before) * 1000) / count, perSecond: accepted / seconds, accepted }
}

async function broadcast({ api, fresh }: PushPlace & RunningBeckon, brand: TestBrand): Promise<number> {
  const reply = await fetch(`${api}/ios/broadcast/all`, {
    method: 'POST',
    headers: { ...keyHeaders(brand), 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'All', message: 'A message of some length to a device' }),
  })
  const { notification }: { readonly notification: { readonly id: string } } = JSON.parse(await reply.text())
  const ref = { brandId: brand.brandId, id: notification.id }
  for (;;) {
    const { finishedAt, accepted } = await report(fresh.database, ref)
    if (finishedAt !== null) return accepted
    await delay(LOOK_MS)
  }
}
