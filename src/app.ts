import type { Config } from './config.ts'
import { runEngine } from './delivery/engine.ts'
import { runPlanner } from './delivery/planner.ts'
import { sandboxFinder } from './delivery/sandbox/file.ts'
import type { EventFiles } from './intake/event-files/ask-files.ts'
import { bringEvents } from './intake/event-files/cold-events.ts'
import { closeEventFiles, followCache, openEventFiles } from './intake/event-files/open-files.ts'
import { runBacklog } from './pipeline/backlog.ts'
import { runBrandPurge } from './pipeline/brand/purge.ts'
import { runDecisions } from './pipeline/campaigns/decisions.ts'
import { runGoals } from './pipeline/campaigns/goals.ts'
import { runResultCounts } from './pipeline/campaigns/results.ts'
import { runCampaignStates } from './pipeline/campaigns/states.ts'
import { runDueWork, WOKEN_IDLE_MAX_MS } from './pipeline/due-work.ts'
import { runCounting } from './pipeline/events/counting.ts'
import { runFreezing } from './pipeline/events/freezing.ts'
import { runEventWeeks } from './pipeline/events/weeks.ts'
import { runHousekeeping } from './pipeline/housekeeping.ts'
import { runJourneys } from './pipeline/journeys/journeys.ts'
import { runSegmentSizes } from './pipeline/segments/sizes.ts'
import { runSeries } from './pipeline/series/series.ts'
import { openWebhookClient } from './pipeline/webhooks/client.ts'
import { runWebhooks } from './pipeline/webhooks/webhooks.ts'
import { PREFERENCE_LINK_DAYS } from './rules/topics.ts'
import { systemClock } from './runtime/clock.ts'
import { DatabaseClock } from './runtime/database-clock.ts'
import { createLog, type Log } from './runtime/log.ts'
import type { LoopContext } from './runtime/loop/loop.ts'
import { loopMeters } from './runtime/loop/meters.ts'
import { Wake } from './runtime/loop/wake.ts'
import type { Metrics } from './runtime/metrics.ts'
import { Outage, type OutageAge, withoutOutage } from './runtime/outage.ts'
import type { ProcessLifecycle } from './runtime/processes/lifecycle.ts'
import { DRAIN_MAX_MS } from './runtime/processes/shutdown.ts'
import { keepHeapSmall } from './runtime/processes/small-heap.ts'
import { createPreferenceSigner, type PreferenceSigner } from './runtime/secrets/preference-token.ts'
import { createReceiptSigner, type ReceiptSigner } from './runtime/secrets/receipt-token.ts'
import { createSealer, type Sealer } from './runtime/secrets/sealed.ts'
import { createVisitorSigner, type VisitorSigner } from './runtime/secrets/visitor-token.ts'
import { Database } from './store/db.ts'
import { WORK_KINDS } from './store/notify.ts'
import { loadMoment } from './store/push/planning.ts'
import { troubleOf } from './store/unavailable.ts'

/** The resources of one API or worker process. */
export type App = {
  readonly config: Config
  readonly lifecycle: ProcessLifecycle
  /** The log without the lines of an outage, and the outage that counts them. */
  readonly log: Log
  readonly outage: OutageAge
  readonly metrics: Metrics
  readonly clock: DatabaseClock
  readonly database: Database
  /** Null if weeks are not frozen. */
  readonly eventFiles: EventFiles | null
  readonly databaseUrl: string
  readonly secret: string
  readonly sealer: Sealer
  readonly receipts: ReceiptSigner
  readonly visitors: VisitorSigner
  readonly preferenceLinks: PreferenceSigner
}

type AppOptions = {
  /** The name of the process in the log and in the metrics: `api-1`. */
  readonly name: string
  readonly lifecycle: ProcessLifecycle
  readonly metrics: Metrics
  readonly databaseUrl: string
  readonly secret: string
}

/** The background work of a worker process. */
const LOOPS: readonly ((app: App, context: LoopContext) => Promise<void>)[] = [
  runDueWork,
  runHousekeeping,
  runBacklog,
  runBrandPurge,
  runCounting,
  runEventWeeks,
  runFreezing,
  runJourneys,
  runGoals,
  runCampaignStates,
  runDecisions,
  runResultCounts,
  runPlanner,
  runDelivery,
  runCalls,
  runSegmentSizes,
  runSeries,
]

export function createApp(config: Config, options: AppOptions): App {
  const { name, lifecycle, metrics, databaseUrl, secret } = options
  const { oldSecrets, visitorDays, notificationRetentionDays } = config
  const plainLog = createLog({ level: config.logLevel, process: name })
  const outage = new Outage({ log: plainLog, clock: systemClock, troubleOf })
  const log = withoutOutage(plainLog, outage)
  const eventFiles = openEventFiles({ config, log })
  const dropsRows = eventFiles !== null && config.eventRowsDays !== null
  const database = new Database({
    url: databaseUrl,
    connectionsMax: config.databaseConnections,
    name: `beckon ${name}`,
    ...(config.databaseReadUrl === null ? {} : { readUrl: config.databaseReadUrl }),
    readLagMaxMs: config.databaseReadLagMs,
    onAnswer: () => outage.answered(),
    metrics,
    ...(dropsRows && { bringEvents: async (tx, needs) => bringEvents(eventFiles, tx, needs) }),
  })
  return {
    config,
    lifecycle,
    log,
    outage,
    metrics,
    clock: new DatabaseClock({ load: async () => loadMoment(database) }),
    database,
    eventFiles,
    databaseUrl,
    secret,
    sealer: createSealer(secret, oldSecrets),
    // A receipt of a notification that is no longer kept would count for nothing.
    receipts: createReceiptSigner({ secret, oldSecrets, lifeDays: notificationRetentionDays }),
    visitors: createVisitorSigner({ secret, oldSecrets, lifeDays: visitorDays }),
    preferenceLinks: createPreferenceSigner({ secret, oldSecrets, lifeDays: PREFERENCE_LINK_DAYS }),
  }
}

/** Runs every loop until the signal of the lifecycle aborts; leases are released before it returns. */
export async function runWorker(app: App): Promise<void> {
  const { lifecycle, log, metrics } = app
  keepHeapSmall()
  const wakes = new Map(WORK_KINDS.map((kind) => [kind, new Wake()]))
  const { signal } = lifecycle
  const context = {
    signal,
    log,
    meters: loopMeters(metrics),
    graceMs: DRAIN_MAX_MS,
    wakes,
    wokenIdleMaxMs: WOKEN_IDLE_MAX_MS,
  }
  const listening = app.database.listen((kind) => wakes.get(kind)?.nudge(), signal)
  const loops = LOOPS.map(async (run) => run(app, context))
  log.debug('in service', { loops: loops.length })
  await lifecycle.ready()
  const sweeping = followCache(app.eventFiles, app.database, signal)
  await Promise.all([...loops, listening, sweeping, app.clock.follow(signal)])
  await closeEventFiles(app.eventFiles)
  await app.database.close()
}

async function runDelivery(app: App, context: LoopContext): Promise<void> {
  await runEngine({ ...app, ...outsideOf(app.config) }, context)
}

async function runCalls(app: App, context: LoopContext): Promise<void> {
  const client = openWebhookClient(app.config.webhookHosts)
  await runWebhooks({ ...app, client }, context)
  client.close()
}

/** The settings of the providers, and the sandbox that replaces them. */
export function outsideOf(config: Config) {
  return { settings: config, findSandbox: sandboxFinder(config.dataDir) }
}
