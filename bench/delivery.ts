/**
 * What a message of a broadcast costs, from claim to settled row, in CPU time of the worker and of PostgreSQL, against
 * other people's clients, which store nothing and are charged for their own process only.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { SandboxAccess } from '../src/delivery/sandbox/file.ts'
import type { Platform } from '../src/rules/platforms.ts'
import { startPostgres } from '../src/runtime/postgres/start-postgres.ts'
import { makeP256Pair } from '../src/runtime/secrets/key-pair.ts'
import { freshDatabase } from '../test/support/database/database.ts'
import { setCredential } from '../test/support/push/engine.ts'
import { acceptNotification } from '../test/support/push/notifications.ts'
import { seedDevices } from '../test/support/subscriptions/subscriptions.ts'
import { cpuMs } from './support/cpu.ts'
import { saveFigure } from './support/figures.ts'
import { installPeer } from './support/install-peers.ts'
import { median } from './support/median.ts'
import type { PeerCost, PeerCosts, PeerJob } from './support/peer-job.ts'
import { devicesOf } from './support/platform-devices.ts'
import { peakMiB } from './support/processes.ts'
import { verdict } from './support/verdict.ts'
import { loadWalBytes } from './support/wal.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
/** A worker has been up for days: caches are filled, tokens made, and its code is compiled. */
const WARM_UPS = 3
/** A small broadcast, as the bar on growth has it (bench/broadcast.ts). */
const COUNT = Number(process.env['BENCH_COUNT'] ?? 10_000)
/** As many as all of the peers can be given at once. */
const PEER_COUNT = Math.min(5_000, COUNT)
/** Seldom enough to cost nothing beside what is measured. */
const LOOK_MS = 100
/** Bytes of WAL that an accepted message may cost, all of the server's writes taken together. */
const WAL_MAX = 40
const SEED = randomBytes(32)

/** `ratioMax`: how much of the peer's CPU per message ours may be. */
const CASES = [
  { platform: 'web', peer: 'web-push', ratioMax: 0.18 },
  { platform: 'ios', peer: 'node-apn', ratioMax: 0.25 },
  { platform: 'android', peer: 'firebase-admin', ratioMax: 0.25 },
] as const satisfies readonly {
  readonly platform: Platform
  readonly peer: PeerJob['peer']
  readonly ratioMax: number
}[]

installPeer('firebase-admin')
const folder = await mkdtemp(join(tmpdir(), 'beckon-bench-'))
const postgres = await startPostgres({ dataDir: join(folder, 'data') })
process.env['BECKON_TEST_DATABASE_URL'] = postgres.url
const fresh = await freshDatabase()
const { database } = fresh
const sandbox = run('support/sandbox-process.ts', [SEED.toString('hex')])
const { access, peers }: Sandboxed = JSON.parse(await firstLine(sandbox))
const accessFile = join(folder, 'access.json')
await writeFile(accessFile, JSON.stringify(access))
const worker = run('../test/fault/worker-process.ts', ['--url', fresh.url, '--access', accessFile])
await firstLine(worker)

try {
  for (const one of CASES) await compare(one)
} finally {
  for (const child of [worker, sandbox]) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await fresh.drop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

type Sandboxed = { readonly access: SandboxAccess; readonly peers: PeerJob['apnsKey'][] }

async function compare({ platform, peer, ratioMax }: (typeof CASES)[number]): Promise<void> {
  const { brandId } = await fresh.brand()
  const vapid = makeP256Pair()
  const browsers = { seed: SEED, origin: access.web.origin, vapidKey: vapid.publicKey }
  const devices = devicesOf(platform, COUNT, browsers)
  await seedDevices(database, { brandId, platform, devices })
  await database.query('analyze subscriptions')
  if (platform === 'web') {
    const keys = [{ ...vapid, since: 0 }]
    await setCredential(database, { brandId, platform }, { subject: 'mailto:push@example.com', keys })
  }
  const jobFile = join(folder, `${platform}.json`)
  const ours: OwnCost[] = []
  const theirs: PeerCosts[] = []
  const alone: PeerCosts[] = []
  for (let round = 0; round < WARM_UPS; round += 1) await broadcast(brandId, platform)
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await broadcast(brandId, platform))
    for (const [client, costs] of [[peer, theirs] as const, ['own client', alone] as const]) {
      const apnsKey = platform === 'ios' ? peers.pop() : peers[0]
      const job = { peer: client, platform, access, vapid, devices: devices.slice(0, PEER_COUNT), apnsKey }
      await writeFile(jobFile, JSON.stringify(job))
      costs.push(await measurePeer(jobFile))
    }
  }
  saveFigure({
    what: `${platform}: a message`,
    unit: 'µs',
    ours: ours.map(costOf),
    peer: { name: `\`${peer}\``, rounds: firstOf(theirs).map(costOf) },
    limit: { name: 'our own client, nothing stored', rounds: warmOf(alone).map(costOf) },
    bar: { of: 'peer', atMost: ratioMax },
    parts: {
      worker: median(ours.map(({ workerMs, sent }) => (workerMs * 1000) / sent)),
      PostgreSQL: median(ours.map(({ cpuMs: all, workerMs, sent }) => ((all - workerMs) * 1000) / sent)),
    },
    memoryMiB: peakMiB(worker.pid ?? 0),
  })
  saveFigure({
    what: `${platform}: a message, beside the peer once it is warm`,
    unit: 'µs',
    ours: ours.map(costOf),
    peer: { name: `\`${peer}\`, warm`, rounds: warmOf(theirs).map(costOf) },
  })
  say(`${platform}: Beckon`, ours)
  say(`${platform}: ${peer}, in a new process`, firstOf(theirs))
  say(`${platform}: ${peer}, warm`, warmOf(theirs))
  say(`${platform}: our own client alone`, warmOf(alone))
  const ratioTo = (costs: readonly PeerCost[]): number => median(ours.map(costOf)) / median(costs.map(costOf))
  const [ratio, warmRatio] = [ratioTo(firstOf(theirs)), ratioTo(warmOf(theirs))]
  process.stdout.write(`  CPU ratio to the warm peer ${warmRatio.toFixed(3)}\n`)
  verdict(`${platform}: CPU ratio ${ratio.toFixed(3)}`, ratio <= ratioMax, `at most ${ratioMax}`)
  const wal = ours.map(({ walBytes: bytes, sent }) => bytes / sent)
  const each = median(wal)
  saveFigure({
    what: `${platform}: WAL of a message`,
    unit: 'bytes',
    ours: wal,
    bar: { of: 'figure', atMost: WAL_MAX },
  })
  verdict(`${platform}: WAL ${each.toFixed(0)} bytes a message`, each <= WAL_MAX, `at most ${WAL_MAX}`)
}

/** One broadcast to everybody, until its last outcome is written. */
async function broadcast(brandId: number, platform: Platform): Promise<OwnCost> {
  const [before, workerBefore, walBefore] = [engineCpuMs(), workerCpuMs(), await loadWalBytes(database)]
  const startedAt = performance.now()
  const id = await acceptNotification(database, { brandId, platform, target: { kind: 'all' } })
  const accepted = await untilOver(brandId, id)
  if (accepted !== COUNT) throw new Error(`only ${accepted} of ${COUNT} were accepted`)
  const seconds = (performance.now() - startedAt) / 1000
  const workerMs = workerCpuMs() - workerBefore
  const spentMs = engineCpuMs() - before
  return {
    cpuMs: spentMs,
    workerMs,
    walBytes: (await loadWalBytes(database)) - walBefore,
    seconds,
    sent: accepted,
  }
}

type OwnCost = PeerCost & { readonly workerMs: number; readonly walBytes: number }

async function untilOver(brandId: number, id: string): Promise<number> {
  for (;;) {
    const { rows } = await database.query<{ accepted: number; finishedAt: number | null }>(
      'select accepted, finished_at as "finishedAt" from notifications where brand_id = $1 and id = $2',
      [brandId, id],
    )
    const [found] = rows
    if (found !== undefined && found.finishedAt !== null) return found.accepted
    await delay(LOOK_MS)
  }
}

function engineCpuMs(): number {
  return workerCpuMs() + cpuMs(postgres.pid).server
}

function workerCpuMs(): number {
  return cpuMs(worker.pid ?? 0).server
}

async function measurePeer(jobFile: string): Promise<PeerCosts> {
  const peer = run('support/peer.ts', [jobFile])
  const costs: PeerCosts = JSON.parse(await text(peer.stdout))
  for (const { sent } of [costs.first, costs.warm]) {
    // Nobody can mend somebody else's client. Its cost is that of the messages that arrived.
    if (sent !== PEER_COUNT)
      process.stdout.write(`  a round of the peer: only ${sent} of ${PEER_COUNT} messages were accepted\n`)
  }
  return costs
}

function firstOf(costs: readonly PeerCosts[]): readonly PeerCost[] {
  return costs.map(({ first }) => first)
}

function warmOf(costs: readonly PeerCosts[]): readonly PeerCost[] {
  return costs.map(({ warm }) => warm)
}

function costOf({ cpuMs: spent, sent }: PeerCost): number {
  return (spent * 1000) / sent
}

function say(name: string, costs: readonly PeerCost[]): void {
  const micros = median(costs.map(costOf))
  const rate = median(costs.map(({ seconds, sent }) => sent / seconds))
  const perCpuSecond = (1e6 / micros).toFixed(0)
  process.stdout.write(
    `  ${name}: ${micros.toFixed(0)} µs of CPU a message (${perCpuSecond} per CPU-second), ${rate.toFixed(0)} a second\n`,
  )
}

function run(file: string, args: readonly string[]) {
  const path = join(import.meta.dirname, file)
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function firstLine({
  stdout,
}: {
  readonly stdout: NonNullable<ChildProcess['stdout']>
}): Promise<string> {
  const [line] = await once(stdout, 'data')
  return String(line)
}
