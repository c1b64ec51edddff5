/**
 * Where the microseconds of a broadcast's message go: a worker under V8's sampling profiler, by folder of the program, and
 * PostgreSQL by kind of process. The profiler slows the worker down, so the shares count, and the total is that of
 * `bench -- delivery`. `BENCH_COUNT` sets the devices.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import { acceptNotification, report } from '../test/support/push/notifications.ts'
import { seedAudience } from './support/audience.ts'
import { cpuMs } from './support/cpu.ts'
import { FarEnd } from './support/far-end.ts'
import { saveFigure } from './support/figures.ts'
import { largestOf, placesOf } from './support/profile-places.ts'
import { type PushPlace, withPushPlace } from './support/push-place.ts'
import { treeCpu } from './support/tree-cpu.ts'

const COUNT = Number(process.env['BENCH_COUNT'] ?? 100_000)
const WARM_UPS = 2
const PLACES = 18
const MINUTES_MAX = 20
const LOOK_MS = 50

await withPushPlace(MINUTES_MAX, async (place) => {
  const farEnd = await FarEnd.start(place.certificateFile)
  try {
    const { brandId } = await place.fresh.brand()
    await seedAudience(place.fresh.url, [{ brandId, count: COUNT }])
    await saveSandboxFile(place.folder, farEnd.instead(await place.startSandbox(0)))
    const file = join(place.folder, 'profile.json')
    const hook = join(import.meta.dirname, 'support/profiled.ts')
    const { workerPid } = await place.startBeckon({ NODE_OPTIONS: `--import=${hook}`, BENCH_PROFILE: file })
    for (let round = 0; round < WARM_UPS; round += 1) await broadcast(place, brandId)
    process.kill(workerPid, 'SIGUSR2')
    while (!existsSync(`${file}.begun`)) await delay(LOOK_MS)
    const [workerBefore, serverBefore] = [cpuMs(workerPid).server, serverParts(place.postgresPid)]
    await broadcast(place, brandId)
    const workerMicros = ((cpuMs(workerPid).server - workerBefore) * 1000) / COUNT
    const server = [...serverParts(place.postgresPid)].map(
      ([name, ms]) => [name, ((ms - (serverBefore.get(name) ?? 0)) * 1000) / COUNT] as const,
    )
    process.kill(workerPid, 'SIGUSR2')
    while (!existsSync(file)) await delay(LOOK_MS)
    keep('the worker', workerMicros, workerParts(readFileSync(file, 'utf8'), workerMicros))
    const serverMicros = server.reduce((sum, [, micros]) => sum + micros, 0)
    keep('PostgreSQL', serverMicros, Object.fromEntries(server.filter(([, micros]) => micros > 0)))
  } finally {
    await farEnd.stop()
  }
})

/** The profile sees one thread; the CPU of the others, of which one collects garbage too, is what is missing. */
function workerParts(profile: string, workerMicros: number): Readonly<Record<string, number>> {
  const places = largestOf(placesOf(JSON.parse(profile)), PLACES).map(
    ([name, micros]) => [name, micros / COUNT] as const,
  )
  const seen = places.reduce((sum, [, micros]) => sum + micros, 0)
  const others = Math.max(0, workerMicros - seen)
  return { ...Object.fromEntries(places), 'other threads': others }
}

function serverParts(postgresPid: number): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>()
  for (const { name, ms } of treeCpu(postgresPid)) {
    const kind = /^postgres: (?:io worker|checkpointer|background writer|walwriter|autovacuum \w+)/.exec(name)
    const shown = kind?.[0].replace('postgres: ', '') ?? 'connections'
    kinds.set(shown, (kinds.get(shown) ?? 0) + ms)
  }
  return kinds
}

function keep(what: string, micros: number, parts: Readonly<Record<string, number>>): void {
  process.stdout.write(`  ${what}: ${micros.toFixed(1)} µs a message, with the profiler\n`)
  for (const [name, part] of Object.entries(parts))
    process.stdout.write(`  ${part.toFixed(2).padStart(8)}  ${name}\n`)
  saveFigure({
    what: `${what}, a message among ${COUNT.toLocaleString('en')}`,
    unit: 'µs',
    ours: [micros],
    parts,
  })
}

async function broadcast({ fresh }: PushPlace, brandId: number): Promise<void> {
  const { database } = fresh
  const id = await acceptNotification(database, { brandId, platform: 'ios', target: { kind: 'all' } })
  while ((await report(database, { brandId, id })).finishedAt === null) await delay(LOOK_MS)
  const { accepted } = await report(database, { brandId, id })
  if (accepted !== COUNT) throw new Error(`only ${accepted} of ${COUNT} were accepted`)
}
