/**
 * Where the microseconds go of a broadcast's message on each platform, in a worker, and of a call with 1000 events and of one
 * with a single event, in an API process, under V8's sampling profiler. The profiler slows these processes down, so the shares
 * count, and the totals are those of `bench -- delivery` and `bench -- events`. `BENCH_COUNT` sets the devices, `BENCH_PROFILES`
 * the people.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type SandboxAccess, saveSandboxFile } from '../src/delivery/sandbox/file.ts'
import type { Platform } from '../src/rules/platforms.ts'
import type { TestBrand } from '../test/support/database/database.ts'
import { keyHeaders } from '../test/support/processes/server.ts'
import { acceptNotification, report } from '../test/support/push/notifications.ts'
import { seedDevices } from '../test/support/subscriptions/subscriptions.ts'
import { bodiesOf } from './support/event-bodies.ts'
import { FarEnd } from './support/far-end.ts'
import { LoadCaller } from './support/load.ts'
import { devicesOf } from './support/platform-devices.ts'
import { seedProfiles } from './support/profile-seed.ts'
import { profileWork } from './support/profiled-work.ts'
import { type PushPlace, type RunningBeckon, withPushPlace } from './support/push-place.ts'

const COUNT = Number(process.env['BENCH_COUNT'] ?? 100_000)
const PROFILES = Number(process.env['BENCH_PROFILES'] ?? 100_000)
const WARM_UPS = 2
const CALLS_MS = 5_000
const MINUTES_MAX = 20
const LOOK_MS = 50
/** Few enough for the time limit of a statement. */
const SEED_SIZE = 10_000
const SEED = randomBytes(32)

/** A message to a browser costs several times as much, so fewer of them show as well where it goes. */
const BROADCASTS = [
  { platform: 'ios', devices: COUNT },
  { platform: 'android', devices: COUNT },
  { platform: 'web', devices: Math.ceil(COUNT / 5) },
] as const satisfies readonly { readonly platform: Platform; readonly devices: number }[]

/** Sizes and callers of `bench -- events`. */
const CALLS = [
  { entries: 1_000, bodies: 20, connections: 8 },
  { entries: 1, bodies: 500, connections: 128 },
] as const

type Place = PushPlace & RunningBeckon & { readonly file: string; readonly access: SandboxAccess }

await withPushPlace(MINUTES_MAX, async (place) => {
  const farEnd = await FarEnd.start(place.certificateFile)
  try {
    const access = farEnd.instead(await place.startSandbox(0, SEED))
    await saveSandboxFile(place.folder, access)
    const file = join(place.folder, 'profile')
    const hook = join(import.meta.dirname, 'support/profiled.ts')
    const beckon = await place.startBeckon({ NODE_OPTIONS: `--import=${hook}`, BENCH_PROFILE: file })
    const running = { ...place, ...beckon, file, access }
    for (const broadcast of BROADCASTS) await profileBroadcast(running, broadcast)
    const brand = await place.fresh.brand()
    await seedProfiles(place.fresh.database, brand.brandId, PROFILES)
    for (const calls of CALLS) await profileCalls(running, brand, calls)
  } finally {
    await farEnd.stop()
  }
})

async function profileBroadcast(
  { api, fresh, access, workerPid, file, postgresPid }: Place,
  { platform, devices: count }: (typeof BROADCASTS)[number],
): Promise<void> {
  const { database } = fresh
  const brand = await fresh.brand()
  const { brandId } = brand
  // A brand has a key for browsers from the first time that it is asked for.
  const reply = await fetch(`${api}/web-push-key`, { headers: keyHeaders(brand) })
  const { public_key: vapidKey }: { readonly public_key: string } = JSON.parse(await reply.text())
  const devices = devicesOf(platform, count, { seed: SEED, origin: access.web.origin, vapidKey })
  for (let from = 0; from < count; from += SEED_SIZE)
    await seedDevices(database, { brandId, platform, devices: devices.slice(from, from + SEED_SIZE) })
  await database.query('analyze subscriptions')
  const broadcast = async (): Promise<number> => {
    const id = await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
    while ((await report(database, { brandId, id })).finishedAt === null) await delay(LOOK_MS)
    const { accepted } = await report(database, { brandId, id })
    if (accepted !== count) throw new Error(`only ${accepted} of ${count} were accepted`)
    return accepted
  }
  for (let round = 0; round < WARM_UPS; round += 1) await broadcast()
  await profileWork(
    { name: 'the worker', pid: workerPid, file, postgresPid, url: fresh.url },
    { unit: `${platform}: a message among ${count.toLocaleString('en')}`, run: broadcast },
  )
}

async function profileCalls(
  { api, apiPid, file, postgresPid, fresh }: Place,
  brand: TestBrand,
  { entries, bodies, connections }: (typeof CALLS)[number],
): Promise<void> {
  const caller = new LoadCaller()
  try {
    const load = {
      port: Number(new URL(api).port),
      path: '/api/event',
      headers: keyHeaders(brand),
      bodies: bodiesOf(bodies, entries, PROFILES),
      connections,
      durationMs: CALLS_MS,
      perSecond: null,
    }
    const call = async (): Promise<number> => {
      const { requests, failures } = await caller.run(load)
      if (failures > 0) throw new Error(`${failures} of ${requests} calls failed`)
      return requests
    }
    await call() // warms up
    await profileWork(
      { name: 'the API process', pid: apiPid, file, postgresPid, url: fresh.url },
      { unit: `a ${entries}-entry call`, run: call },
    )
  } finally {
    caller.stop()
  }
}
