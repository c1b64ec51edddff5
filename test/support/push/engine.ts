import { runEngine } from '../../../src/delivery/engine.ts'
import { runPlanner } from '../../../src/delivery/planner.ts'
import type { SandboxAccess } from '../../../src/delivery/sandbox/file.ts'
import type { PoolLimits } from '../../../src/providers/pool-limits.ts'
import type { Platform } from '../../../src/rules/platforms.ts'
import { DatabaseClock } from '../../../src/runtime/database-clock.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { loopMeters } from '../../../src/runtime/loop/meters.ts'
import { Wake } from '../../../src/runtime/loop/wake.ts'
import { Metrics } from '../../../src/runtime/metrics.ts'
import { makeP256Pair } from '../../../src/runtime/secrets/key-pair.ts'
import { createReceiptSigner } from '../../../src/runtime/secrets/receipt-token.ts'
import { createSealer } from '../../../src/runtime/secrets/sealed.ts'
import type { Certificate } from '../../../src/sandbox/certificate.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import type { Database } from '../../../src/store/db.ts'
import { WORK_KINDS } from '../../../src/store/notify.ts'
import { type ChannelRef, channelSecret, saveChannel } from '../../../src/store/push/channels.ts'
import type { NotificationReport } from '../../../src/store/push/notification-reads.ts'
import { loadMoment } from '../../../src/store/push/planning.ts'
import { wakeChunks } from '../../../src/store/push/postpone.ts'
import { saveSecret } from '../../../src/store/secrets.ts'
import { freshDatabase, type TestDatabase } from '../database/database.ts'
import { memoryLog } from '../memory-log.ts'
import type { SeedDevice } from '../subscriptions/subscriptions.ts'
import { untilWorked } from '../until-worked.ts'
import { report } from './notifications.ts'

export const SECRET = 'the secret of a test, long enough to be one'
export const SEALER = createSealer(SECRET)
export const RECEIPTS = createReceiptSigner({ secret: SECRET, oldSecrets: [], lifeDays: 90 })

/** A database, sandbox providers, and a way to run workers against both. */
export type TestEngine = TestDatabase & {
  readonly sandbox: Sandbox
  readonly access: SandboxAccess
  readonly log: ReturnType<typeof memoryLog>
  /** Waits for something that nobody tells us of, or for a worker's failure, which it throws. */
  readonly until: (isTrue: () => Promise<boolean> | boolean) => Promise<void>
  /** Waits in the same way until a notification is over. */
  readonly untilOver: (ref: NotificationRef) => Promise<NotificationReport>
  /** Starts what a worker process does for the push lane; it ends with the test, or when told. */
  readonly startWorker: (database?: Database) => { readonly stop: () => Promise<void> }
  readonly close: () => Promise<void>
}

export type NotificationRef = { readonly brandId: number; readonly id: string }

export type EngineOptions = {
  /** The message of an error that the test provokes in its workers. */
  readonly provoked?: string
  /** Bounds of the conversation with providers. */
  readonly poolLimits?: Partial<PoolLimits>
  /** Another provider for iOS devices than the sandbox. */
  readonly apns?: { readonly origin: string; readonly certificate: Certificate }
  /** The messages that the sandbox keeps to be looked at. */
  readonly arrivalsMax?: number
}

export async function startEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const { provoked, poolLimits, apns, arrivalsMax } = options
  const fresh = await freshDatabase()
  const sandbox = await startSandbox({
    ...(apns === undefined ? {} : { certificate: apns.certificate }),
    ...(arrivalsMax === undefined ? {} : { arrivalsMax }),
  })
  const access = accessWith(sandboxAccess(sandbox), apns)
  const log = memoryLog()
  const workers = new Set<() => Promise<void>>()
  const startWorker = (database = fresh.database) => {
    const stop = runPushLane(database, access, log, poolLimits)
    workers.add(stop)
    return { stop }
  }
  const close = async (): Promise<void> => {
    await Promise.all([...workers].map(async (stop) => stop()))
    await sandbox.close()
    await fresh.drop()
  }
  const until = async (isTrue: () => Promise<boolean> | boolean): Promise<void> =>
    untilWorked(isTrue, { lines: log.lines, provoked })
  const untilOver = async (ref: NotificationRef): Promise<NotificationReport> => {
    await until(async () => (await report(fresh.database, ref)).finishedAt !== null)
    return report(fresh.database, ref)
  }
  return { ...fresh, sandbox, access, log, startWorker, until, untilOver, close }
}

function accessWith(access: SandboxAccess, apns: EngineOptions['apns']): SandboxAccess {
  return apns === undefined ? access : { ...access, apns: { ...access.apns, origin: apns.origin } }
}

export function sandboxAccess(sandbox: Sandbox): SandboxAccess {
  const { origin } = sandbox.servers.fcm
  return {
    certificate: sandbox.certificate,
    fcm: { origin, tokenUrl: `${origin}/token`, credential: sandbox.fcm.newCredential() },
    apns: {
      origin: sandbox.servers.apns.origin,
      credential: { ...sandbox.apns.newCredential(), environment: 'production' },
    },
    web: { origin: sandbox.servers.web.origin },
    controlUrl: '',
    controlToken: '',
  }
}

/** What a worker process does for the push lane; gives what stops it. */
export function runPushLane(
  database: Database,
  sandbox: SandboxAccess,
  log: Log = memoryLog(),
  poolLimits: Partial<PoolLimits> = {},
): () => Promise<void> {
  const end = new AbortController()
  const metrics = new Metrics('test')
  const wakes = new Map(WORK_KINDS.map((kind) => [kind, new Wake()]))
  const host = { signal: end.signal, log, meters: loopMeters(metrics), wakes }
  const deps = {
    database,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    sealer: SEALER,
    receipts: RECEIPTS,
    metrics,
    // A brand's own credential leads to the sandbox too: nobody real is ever reached by a test.
    settings: {
      fcmOrigin: sandbox.fcm.origin,
      fcmTokenUrl: sandbox.fcm.tokenUrl,
      apnsOrigin: sandbox.apns.origin,
      apnsSandboxOrigin: sandbox.apns.origin,
      providerCa: [],
      httpsProxy: null,
      pushHosts: [],
    },
    findSandbox: async () => sandbox,
    poolLimits,
    // A retry comes as soon as its provider allows.
    random: () => 0,
  }
  const listening = database.listen((kind) => wakes.get(kind)?.nudge(), end.signal)
  const running = Promise.all([runPlanner({ database }, host), runEngine(deps, host), listening])
  return async () => {
    end.abort()
    await running
  }
}

/** Devices that the sandbox knows. A browser is bound to its brand's key. */
export function newDevices(
  { sandbox }: TestEngine,
  { platform, count, vapidKey = null }: NewDevices,
): readonly SeedDevice[] {
  return Array.from({ length: count }, () => {
    if (platform === 'android') return { address: sandbox.fcm.newToken() }
    if (platform === 'ios') return { address: sandbox.apns.newToken() }
    const { endpoint, keys } = sandbox.web.newSubscription(vapidKey)
    return { address: endpoint, ...keys }
  })
}

export type NewDevices = {
  readonly platform: Platform
  readonly count: number
  readonly vapidKey?: string | null
}

/** Gives a brand a VAPID key, and returns its public half. */
export async function seedVapidKey(database: Database, brandId: number): Promise<string> {
  const pair = makeP256Pair()
  const credential = { subject: 'mailto:push@example.com', keys: [{ ...pair, since: 0 }] }
  await setCredential(database, { brandId, platform: 'web' }, credential)
  return pair.publicKey
}

export async function setCredential(database: Database, ref: ChannelRef, credential: object): Promise<void> {
  const now = Date.now()
  const secret = { ...channelSecret(ref), plaintext: JSON.stringify(credential), now }
  await database.asSystem(ref.brandId, async (tx) => {
    await saveChannel(tx, { ...ref, facts: {}, now })
    await saveSecret(tx, SEALER, secret)
    await wakeChunks(tx, ref)
  })
}
