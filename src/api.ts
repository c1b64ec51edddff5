import { type App, outsideOf } from './app.ts'
import { openProviders, type Providers } from './delivery/providers.ts'
import { sandboxClient } from './delivery/sandbox/client.ts'
import type { FindSandbox } from './delivery/sandbox/file.ts'
import { sendTest } from './delivery/test-send.ts'
import type { Deps } from './http/deps.ts'
import { HttpServer } from './http/edge/server.ts'
import { ReadinessProbe } from './http/health/ready.ts'
import { LiveHub } from './http/live/hub.ts'
import { type DemoTexts, loadDemo } from './http/pages/load-demo.ts'
import { type DocsFiles, loadDocs } from './http/pages/load-docs.ts'
import { loadScripts } from './http/pages/load-scripts.ts'
import type { Scripts } from './http/pages/scripts.ts'
import { ROUTES } from './http/routes.ts'
import { openSubscriptionList, type SubscriptionList } from './http/subscriptions/list.ts'
import { openTeam } from './http/team/team-deps.ts'
import { closeEventFiles, followCache, openScratch } from './intake/event-files/open-files.ts'
import { EventIntake } from './intake/events/intake.ts'
import type { ImportReport } from './intake/lists/import.ts'
import { VisitorBudgets } from './intake/people/visitor-budgets.ts'
import { PushIntake } from './intake/push/intake.ts'
import { PushWarnings } from './intake/push/warnings.ts'
import { importSubscriptions } from './intake/subscriptions/import.ts'
import { openWebhookClient, type WebhookClient } from './pipeline/webhooks/client.ts'
import { testWebhook } from './pipeline/webhooks/test.ts'
import { renderPayload } from './providers/payload-bytes.ts'
import { EXPORT_LANE } from './rules/events.ts'
import { openDashboard } from './runtime/dashboard-bundle.ts'
import { DatabaseClock } from './runtime/database-clock.ts'
import { Limiter } from './runtime/limits/limiter.ts'
import { LoopShare } from './runtime/limits/loop-share.ts'
import { openMailer, type SendMail } from './runtime/mailer.ts'
import { explainListen } from './runtime/processes/listen-error.ts'
import { DRAIN_MAX_MS } from './runtime/processes/shutdown.ts'
import { PasswordHasher } from './runtime/secrets/password.ts'
import type { Database } from './store/db.ts'
import { loadMoment } from './store/push/planning.ts'

const TEST_ANSWER_MS = 10_000

/** Answers requests until the signal of the lifecycle aborts, then finishes the requests in flight. */
export async function serveApi(app: App): Promise<void> {
  const { lifecycle, config } = app
  // An API process sends tests only, and a person waits for the reply.
  const poolLimits = { answerMs: TEST_ANSWER_MS }
  const providers = openProviders({ ...app, ...outsideOf(config), poolLimits })
  const webhookClient = openWebhookClient(config.webhookHosts)
  // Rows of questions of a killed process are personal data. They go also if event files were switched off meanwhile.
  await openScratch(config)
    .clean()
    .catch((error: unknown) => app.log.warn('rows that old questions left could not be removed', { error }))
  const pages = { scripts: await loadScripts(), demo: await loadDemo(), docs: await loadDocs() }
  const deps = depsOf(app, { ...providers, webhookClient }, pages)
  const { proxyHops } = config
  const logsRequests = config.requestLog === 'on'
  const server = new HttpServer(deps, ROUTES, { stopTimeoutMs: DRAIN_MAX_MS, proxyHops, logsRequests })
  const place = { host: config.host, port: config.port }
  const { port } = await server.listen(place).catch((cause: unknown) => {
    // The operator can change the port, so a port that cannot be used becomes a sentence.
    throw explainListen(cause, place)
  })
  app.log.debug('in service', { port })
  await lifecycle.ready()
  const listening = app.database.listenForKeysGone(() => server.forgetKeys(), lifecycle.signal)
  const following = app.clock.follow(lifecycle.signal)
  const sweeping = followCache(deps.eventFiles, app.database, lifecycle.signal)
  await Promise.all([listening, following, sweeping])
  await server.stop()
  webhookClient.close()
  await providers.close()
  await closeEventFiles(deps.eventFiles)
  await app.database.close()
}

function mailerOf({ smtpUrl, mailFrom }: App['config']): SendMail | null {
  return smtpUrl === null || mailFrom === null ? null : openMailer({ smtpUrl, from: mailFrom })
}

/** The three settings of an identity provider come together (`teamConflicts`). */
function oidcOf({ oidc: { issuer, clientId, clientSecret } }: App['config']) {
  if (issuer === null || clientId === null || clientSecret === null) return null
  return { issuer, clientId, clientSecret }
}

type DeviceList = SubscriptionList & { readonly database: Database; readonly brandId: number }

/** The import of `beckon import`. The rows have the field names of the API, so `http/` reads them. */
export async function* importDeviceList(given: DeviceList): AsyncIterable<ImportReport> {
  const { database, brandId, ...list } = given
  const clock = new DatabaseClock({ load: async () => loadMoment(database) })
  await clock.sync()
  yield* importSubscriptions({ database, clock, brandId, ...openSubscriptionList(list) })
}

/** Browsers of the sandbox may register at its current address, and at those that it had before. */
function pushHostsOf(config: App['config'], findSandbox: FindSandbox): Deps['loadPushHosts'] {
  const hosts = new Set(config.pushHosts)
  return async () => {
    const sandbox = await findSandbox()
    if (sandbox !== null) hosts.add(new URL(sandbox.web.origin).host)
    return hosts
  }
}

/** Files for browsers, built when the process starts. */
type Pages = { readonly scripts: Scripts; readonly demo: DemoTexts; readonly docs: DocsFiles }

function depsOf(
  app: App,
  { channels, webhookClient: client }: Providers & { readonly webhookClient: WebhookClient },
  pages: Pages,
): Deps {
  const { config, database, clock, log, metrics, lifecycle, sealer, receipts, visitors, preferenceLinks } =
    app
  const { findSandbox } = outsideOf(config)
  const sandbox = sandboxClient(findSandbox)
  const hasSandbox = sandbox.isPresent
  const pushWarnings = new PushWarnings({ database, clock, hasSandbox })
  return {
    database,
    clock,
    intake: new EventIntake({ database, clock }),
    eventFiles: app.eventFiles,
    visitorBudgets: new VisitorBudgets({ database, metrics, limits: config.visitorBudgets }),
    pushes: new PushIntake(database),
    pushWarnings,
    loopShare: new LoopShare(),
    exports: new Limiter(EXPORT_LANE),
    live: new LiveHub({
      database,
      clock,
      metrics,
      log,
      pushWarnings,
      hasSandbox,
      virtual: { receipts, sandbox },
      random: Math.random,
    }),
    log,
    outage: app.outage,
    loadPushHosts: pushHostsOf(config, findSandbox),
    webhookHosts: new Set(config.webhookHosts),
    renderPayload,
    sealer,
    receipts,
    visitors,
    preferenceLinks,
    team: openTeam({
      ...config,
      database,
      secret: app.secret,
      oidc: oidcOf(config),
      sendMail: mailerOf(config),
      passwords: new PasswordHasher(),
    }),
    ...pages,
    loadDashboard: openDashboard(config),
    testSend: async (test) => sendTest({ db: database, clock, channels, receipts }, test),
    testWebhook: async (ref) => testWebhook({ database, sealer, clock, client }, ref),
    sandbox,
    readiness: new ReadinessProbe({ database, clock }),
    metrics,
    renderMetrics: lifecycle.renderMetrics,
  }
}
