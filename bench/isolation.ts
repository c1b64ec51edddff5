/**
 * How long a single push takes, from its acceptance to its written outcome, while one channel or one push host of the
 * same worker is in trouble. Each kind of trouble is a row of `TROUBLES`. It is compared with two other days:
 *
 * - calm: the same broadcast and the same singles go to the same provider, which answers. The bar of a trouble counts
 *   from here, so that it tells what the trouble adds and not what a broadcast costs its neighbours.
 * - quiet: there is no broadcast at all. The bar for another brand beside a broadcast in good health counts from here;
 *   the ratio of a trouble to quiet is reported without a bar.
 *
 * BENCH_TROUBLE, a part of a name such as `hangs` or `health`, takes only the rows that have it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SandboxAccess } from '../src/delivery/sandbox/file.ts'
import type { Platform } from '../src/rules/platforms.ts'
import { startPostgres } from '../src/runtime/postgres/start-postgres.ts'
import { makeP256Pair } from '../src/runtime/secrets/key-pair.ts'
import { makeCertificate } from '../src/sandbox/certificate.ts'
import { freshDatabase } from '../test/support/database/database.ts'
import type { BadDay } from '../test/support/push/bad-provider.ts'
import { setCredential } from '../test/support/push/engine.ts'
import { acceptNotification } from '../test/support/push/notifications.ts'
import { type SeedDevice, seedDevices } from '../test/support/subscriptions/subscriptions.ts'
import { saveFigure } from './support/figures.ts'
import { androidDevice, devicesOf } from './support/platform-devices.ts'
import { verdict } from './support/verdict.ts'

const RATIO_MAX = 2
/** The audience of the broadcast on the channel in trouble, and the singles beside it. */
const TROUBLED = 10_000
const TROUBLED_SINGLES = 200
/** Each stream sends a push this often, for this long. */
const EVERY_MS = 50
const PHASE_MS = 12_000
const SEED = randomBytes(32)

/** `platform` names the channel in trouble; for the web one of its two push hosts is. */
const TROUBLES = [
  { name: 'a broadcast to iOS in good health', day: 'answer', platform: 'ios' },
  { name: 'a broadcast to browsers in good health', day: 'answer', platform: 'web' },
  { name: 'one channel hangs', day: 'hang', platform: 'ios' },
  { name: 'one channel drips', day: 'drip', platform: 'ios' },
  { name: 'one channel resets', day: 'reset', platform: 'ios' },
  { name: 'one push host hangs', day: 'hang', platform: 'web' },
] as const satisfies readonly { readonly name: string; readonly day: BadDay; readonly platform: Platform }[]

/** The pushes that are measured: none of them goes to the provider in trouble. */
const STREAMS = ['another channel of the brand', 'another push host of the brand', 'another brand'] as const

type Stream = (typeof STREAMS)[number]
type Target = { readonly brandId: number; readonly platform: Platform; readonly subscriptionId: string }

const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const postgres = await startPostgres({ dataDir: join(folder, 'data') })
process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
const fresh = await freshDatabase()
const { database } = fresh
const certificateFile = join(folder, 'certificate.json')
await writeFile(certificateFile, JSON.stringify(makeCertificate(Date.now())))
const bad = run('support/bad-provider-process.ts', [certificateFile])
const badOrigin = (await firstLine(bad)).trim()
const sandbox = run('support/sandbox-process.ts', [SEED.toString('hex'), certificateFile])
const { access: own }: { readonly access: SandboxAccess } = JSON.parse(await firstLine(sandbox))
const access: SandboxAccess = { ...own, apns: { ...own.apns, origin: badOrigin } }
const accessFile = join(folder, 'access.json')
await writeFile(accessFile, JSON.stringify(access))

try {
  await compare()
} finally {
  for (const child of [sandbox, bad]) await kill(child)
  await fresh.drop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

async function compare(): Promise<void> {
  const quiet = noPushes()
  const calm = new Map<Platform, Pushes>()
  const measured: Measured[] = []
  const part = process.env['BENCH_TROUBLE'] ?? ''
  for (const { name, day, platform } of TROUBLES.filter((row) => row.name.includes(part))) {
    add(quiet, await runDay(platform, null))
    const answered = await runDay(platform, 'answer')
    const all = calm.get(platform) ?? noPushes()
    add(all, answered)
    calm.set(platform, all)
    const isHealthy = day === 'answer'
    const pushes = isHealthy ? answered : await runDay(platform, day)
    measured.push({ name, platform, isHealthy, pushes })
  }
  process.stdout.write('calm is beside a broadcast that is answered, quiet is without a broadcast\n')
  for (const stream of STREAMS) say(`quiet: ${stream}`, quiet.get(stream))
  for (const [platform, pushes] of calm) {
    for (const stream of STREAMS) say(`calm, a broadcast to ${platform}: ${stream}`, pushes.get(stream))
  }
  for (const row of measured) judge(row, { quiet, calm: calm.get(row.platform) ?? noPushes() })
}

type Measured = {
  readonly name: string
  readonly platform: Platform
  readonly isHealthy: boolean
  readonly pushes: Pushes
}

function judge(
  { name, isHealthy, pushes }: Measured,
  days: { readonly quiet: Pushes; readonly calm: Pushes },
): void {
  for (const stream of STREAMS) {
    const p99 = at(pushes.get(stream), 0.99)
    say(`${name}: ${stream}`, pushes.get(stream))
    const [toCalm, toQuiet] = [days.calm, days.quiet].map((day) => p99 / at(day.get(stream), 0.99))
    const ratios = `${toCalm?.toFixed(2)} × calm, ${toQuiet?.toFixed(2)} × quiet`
    // A broadcast in good health may take the turns of its own brand, and of no other.
    if (isHealthy && stream !== 'another brand') continue
    const [ratio, day] = isHealthy ? [toQuiet, 'quiet'] : [toCalm, 'calm']
    const isGood = (ratio ?? Number.POSITIVE_INFINITY) <= RATIO_MAX
    const compared = isHealthy ? days.quiet : days.calm
    saveFigure({
      what: `${name}: p99 of ${stream}`,
      unit: 'ms',
      ours: [p99],
      limit: { name: `a ${day} day`, rounds: [at(compared.get(stream), 0.99)] },
      bar: { of: 'limit', atMost: RATIO_MAX },
    })
    verdict(`${name}: p99 of ${stream} is ${ratios}`, isGood, `≤ ${RATIO_MAX} × ${day}`)
  }
}

/** How long the pushes of each stream took, in milliseconds. */
type Pushes = Map<Stream, readonly number[]>

function noPushes(): Pushes {
  return new Map(STREAMS.map((stream) => [stream, []]))
}

function add(all: Pushes, more: Pushes): void {
  for (const [stream, took] of more) all.set(stream, [...(all.get(stream) ?? []), ...took])
}

/** One day with a brand and a worker of its own, so that nothing is left of the day before. Null: no broadcast. */
async function runDay(platform: Platform, day: BadDay | null): Promise<Pushes> {
  const worker = run('../test/fault/worker-process.ts', ['--url', fresh.url, '--access', accessFile])
  await firstLine(worker)
  const { brandId, targets, broadcast } = await newBrand(platform)
  bad.stdin?.write('answer\n')
  await measure(targets, PHASE_MS / 4)
  bad.stdin?.write(`${day ?? 'answer'}\n`)
  const [pushes] = await Promise.all([measure(targets, PHASE_MS), day === null ? null : broadcast()])
  await kill(worker)
  await database.query('delete from chunks where brand_id = $1', [brandId])
  return pushes
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A brand with a channel that can get into trouble, its broadcast, and the targets of the pushes that are measured. */
async function newBrand(platform: Platform) {
  const { brandId } = await fresh.brand()
  const other = await fresh.brand()
  const vapid = makeP256Pair()
  const credential = { subject: 'mailto:push@example.com', keys: [{ ...vapid, since: 0 }] }
  await setCredential(database, { brandId, platform: 'web' }, credential)
  const known = { seed: SEED, vapidKey: vapid.publicKey }
  const [browser] = devicesOf('web', 1, { ...known, origin: own.web.origin })
  const targets = new Map<Stream, Target>([
    ['another channel of the brand', await newTarget(brandId, 'android', androidDevice())],
    ['another push host of the brand', await newTarget(brandId, 'web', browser)],
    ['another brand', await newTarget(other.brandId, 'android', androidDevice())],
  ])
  const devices = devicesOf(platform, TROUBLED, { ...known, origin: badOrigin })
  await seedDevices(database, { brandId, platform, devices })
  await database.query('analyze subscriptions')
  const single = await loadSubscription(brandId, devices[0]?.address ?? '')
  const broadcast = async (): Promise<void> => {
    await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
    const target = { brandId, platform, subscriptionId: single }
    for (let made = 0; made < TROUBLED_SINGLES; made += 1) await sendSingle(target)
  }
  return { brandId, targets, broadcast }
}

async function newTarget(
  brandId: number,
  platform: Platform,
  device: SeedDevice | undefined,
): Promise<Target> {
  if (device === undefined) throw new Error('there is no device')
  await seedDevices(database, { brandId, platform, devices: [device] })
  return { brandId, platform, subscriptionId: await loadSubscription(brandId, device.address) }
}

async function loadSubscription(brandId: number, address: string): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    'select subscription_id as id from subscriptions where brand_id = $1 and address = $2',
    [brandId, address],
  )
  return rows[0]?.id ?? ''
}

async function sendSingle({ brandId, platform, subscriptionId }: Target): Promise<string> {
  const keys = { userId: null, subscriptionId, eitherId: null, deviceId: null }
  return acceptNotification(database, { brandId, platform, target: { kind: 'one', keys } })
}

/** Sends in every stream for a while, and gives how long each push took, in milliseconds. */
async function measure(targets: ReadonlyMap<Stream, Target>, forMs: number): Promise<Pushes> {
  const sent = new Map<Stream, string[]>(STREAMS.map((stream) => [stream, []]))
  const endAt = performance.now() + forMs
  for (let tick = performance.now(); tick < endAt; tick += EVERY_MS) {
    for (const [stream, target] of targets) sent.get(stream)?.push(await sendSingle(target))
    await delay(Math.max(0, tick + EVERY_MS - performance.now()))
  }
  const took = noPushes()
  for (const [stream, ids] of sent) took.set(stream, await untilTaken(ids))
  return took
}

async function untilTaken(ids: readonly string[]): Promise<readonly number[]> {
  for (;;) {
    const { rows } = await database.query<{ ms: number }>(
      `select (extract(epoch from d.at - n.created_at) * 1000)::float8 as ms from notifications as n
       join all_deliveries as d on d.brand_id = n.brand_id and d.notification_id = n.id
       where n.id = any($1::uuid[]) and d.state = 'accepted'`,
      [ids],
    )
    if (rows.length === ids.length) return rows.map(({ ms }) => ms)
    await delay(100)
  }
}

function at(tookMs: readonly number[] = [], share = 1): number {
  const sorted = tookMs.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function say(name: string, tookMs: readonly number[] = []): void {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => `${at(tookMs, share).toFixed(1)} ms`)
  process.stdout.write(`  ${name}: p50 ${p50}, p99 ${p99}, worst ${max}, ${tookMs.length} pushes\n`)
}

function run(file: string, args: readonly string[]) {
  const path = join(import.meta.dirname, file)
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function firstLine({
  stdout,
}: {
  readonly stdout: NonNullable<ChildProcess['stdout']>
}): Promise<string> {
  const [line] = await once(stdout, 'data')
  return String(line)
}
