import { type IncomingMessage, request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import { parseJson } from '../../../src/domain/values/json.ts'
import type { Deps, SandboxDeps } from '../../../src/http/deps.ts'
import { HttpServer } from '../../../src/http/edge/server.ts'
import type { ServerOptions } from '../../../src/http/edge/server-options.ts'
import { ReadinessProbe } from '../../../src/http/health/ready.ts'
import { type LiveBounds, LiveHub } from '../../../src/http/live/hub.ts'
import { makeScript } from '../../../src/http/pages/scripts.ts'
import type { Route } from '../../../src/http/route.ts'
import { ROUTES } from '../../../src/http/routes.ts'
import type { OidcSettings } from '../../../src/http/team/auth-library.ts'
import { openTeam } from '../../../src/http/team/team-deps.ts'
import { EventIntake } from '../../../src/intake/events/intake.ts'
import { type VisitorBudgetLimits, VisitorBudgets } from '../../../src/intake/people/visitor-budgets.ts'
import { PushIntake } from '../../../src/intake/push/intake.ts'
import { PushWarnings } from '../../../src/intake/push/warnings.ts'
import { renderPayload } from '../../../src/providers/payload-bytes.ts'
import { EXPORT_LANE } from '../../../src/rules/events.ts'
import { VISITOR_BUDGETS } from '../../../src/rules/people.ts'
import { PREFERENCE_LINK_DAYS } from '../../../src/rules/topics.ts'
import { type Clock, systemClock } from '../../../src/runtime/clock.ts'
import { openDashboard } from '../../../src/runtime/dashboard-bundle.ts'
import { Limiter } from '../../../src/runtime/limits/limiter.ts'
import { LoopShare } from '../../../src/runtime/limits/loop-share.ts'
import { createLog } from '../../../src/runtime/log.ts'
import type { SendMail } from '../../../src/runtime/mailer.ts'
import { Metrics } from '../../../src/runtime/metrics.ts'
import type { HttpsProxy } from '../../../src/runtime/outgoing-setting.ts'
import { PasswordHasher } from '../../../src/runtime/secrets/password.ts'
import { createPreferenceSigner } from '../../../src/runtime/secrets/preference-token.ts'
import { createReceiptSigner } from '../../../src/runtime/secrets/receipt-token.ts'
import { createSealer } from '../../../src/runtime/secrets/sealed.ts'
import { createVisitorSigner } from '../../../src/runtime/secrets/visitor-token.ts'
import { withOwner } from '../../../src/store/db.ts'
import { freshDatabase, type TestBrand, type TestDatabase } from '../database/database.ts'
import { NO_SANDBOX } from '../push/no-sandbox.ts'
import { DASHBOARD_FOLDER } from './dashboard-folder.ts'

const NO_SCRIPT = makeScript('')
/** Built for the first test that opens a page, and kept for the next run. */
const DASHBOARD = openDashboard({ dataDir: DASHBOARD_FOLDER, dashboardDir: DASHBOARD_FOLDER })
/** The address at which the members of a test server open it. */
export const PUBLIC_URL = 'https://beckon.example'
const SECRET = 'the secret of a test server, long enough'

export type TestServer = {
  readonly port: number
  readonly server: HttpServer
  readonly deps: Deps
  /** The lines that were logged as errors. */
  readonly log: readonly string[]
  /** Runs SQL as the owner of the tables, for what the program's own roles may not do. */
  readonly asOwner: (sql: string) => Promise<void>
  /** Stops the server and drops its database. */
  readonly close: () => Promise<void>
  /** Stops listening, as a Beckon that restarts does, and returns the way to listen again on the same port. */
  readonly halt: () => Promise<() => Promise<void>>
}

export type RunningServer = TestServer & Pick<TestDatabase, 'brand' | 'url'>

export type TestServerOptions = {
  readonly routes?: readonly Route[]
  readonly options?: Partial<ServerOptions>
  readonly clock?: Clock
  /** Other budgets of browsers than the usual ones. */
  readonly budgets?: Partial<VisitorBudgetLimits>
  /** Other bounds of live streams than the usual ones. */
  readonly liveBounds?: Partial<LiveBounds>
  /** The mail server of the members. */
  readonly sendMail?: SendMail
  /** The identity provider of the members. */
  readonly oidc?: OidcSettings
  /** The proxy between this server and the identity provider. */
  readonly httpsProxy?: HttpsProxy
  /** Whether a sandbox stands in for credentials, as on a machine that was just started. */
  readonly hasSandbox?: boolean
  /** A free port; without it the system chooses one. */
  readonly port?: number
  /** Null: members use this machine, as a browser of a test does. */
  readonly publicUrl?: string | null
  /** In place of the usual ones. */
  readonly deps?: Partial<Deps>
}

/** The days that signed tokens are valid. */
export const LIFE_DAYS = { receipt: 90, visitor: 400 } as const

/** A server on a free loopback port with a database of its own. */
export async function startServer(settings: TestServerOptions = {}): Promise<RunningServer> {
  const test = await freshDatabase({ author: null })
  const log: string[] = []
  const metrics = new Metrics('test')
  const clock = settings.clock ?? systemClock
  const { hasSandbox = true } = settings
  const { database = test.database } = settings.deps ?? {}
  const {
    sandbox = idleSandbox(hasSandbox),
    receipts = createReceiptSigner({ secret: SECRET, oldSecrets: [], lifeDays: LIFE_DAYS.receipt }),
  } = settings.deps ?? {}
  const pushWarnings = new PushWarnings({ database, clock, hasSandbox: sandbox.isPresent })
  const lines = createLog({ level: 'error', process: 'test', to: { write: (line) => log.push(line) } })
  const openHub = (): LiveHub =>
    new LiveHub({
      database,
      clock,
      metrics,
      log: lines,
      pushWarnings,
      hasSandbox: sandbox.isPresent,
      virtual: { receipts, sandbox },
      random: Math.random,
      bounds: settings.liveBounds ?? {},
    })
  const deps: Deps = {
    database,
    clock,
    intake: new EventIntake({ database, clock }),
    visitorBudgets: new VisitorBudgets({
      database,
      metrics,
      limits: { ...VISITOR_BUDGETS, ...settings.budgets },
    }),
    pushes: new PushIntake(database),
    eventFiles: null,
    loopShare: new LoopShare(),
    exports: new Limiter(EXPORT_LANE),
    live: openHub(),
    log: lines,
    outage: { ageMs: () => null },
    loadPushHosts: async () => new Set(),
    renderPayload,
    sealer: createSealer(SECRET),
    receipts,
    visitors: createVisitorSigner({ secret: SECRET, oldSecrets: [], lifeDays: LIFE_DAYS.visitor }),
    preferenceLinks: createPreferenceSigner({
      secret: SECRET,
      oldSecrets: [],
      lifeDays: PREFERENCE_LINK_DAYS,
    }),
    team: openTeam({
      database,
      publicUrl: settings.publicUrl === undefined ? PUBLIC_URL : settings.publicUrl,
      port: settings.port ?? 0,
      secret: SECRET,
      oldSecrets: [],
      oidc: settings.oidc ?? null,
      httpsProxy: settings.httpsProxy ?? null,
      sendMail: settings.sendMail ?? null,
      // A hundredth of the real work, which test/unit/password.test.ts looks at.
      passwords: new PasswordHasher({ log2: 10, blockSize: 8, rounds: 1 }),
    }),
    // Those who want the real ones bring `loadScripts()`; everybody else need not wait for the bundler.
    demo: { page: '', style: '', script: '' },
    loadDashboard: DASHBOARD,
    docs: { guides: new Map(), style: NO_SCRIPT, script: NO_SCRIPT, font: NO_SCRIPT },
    scripts: {
      'sdk.js': NO_SCRIPT,
      'sdk.mjs': NO_SCRIPT,
      'sdk.d.ts': NO_SCRIPT,
      'preferences.mjs': NO_SCRIPT,
      'sw.js': NO_SCRIPT,
    },
    testSend: async () => ({ kind: 'no_channel' }),
    webhookHosts: new Set(),
    testWebhook: async () => null,
    sandbox,
    pushWarnings,
    readiness: new ReadinessProbe({ database, clock }),
    metrics,
    ...settings.deps,
    renderMetrics: async () => metrics.render(),
  }
  const options = { ...PATIENT_WITH_CALLERS, ...settings.options }
  const routes = settings.routes ?? ROUTES
  const server = new HttpServer(deps, routes, options)
  const { port } = await server.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
  let running: HttpServer | null = server
  const halt = async (): Promise<() => Promise<void>> => {
    await running?.stop()
    running = null
    return async () => {
      running = new HttpServer({ ...deps, live: openHub() }, routes, options)
      await running.listen({ host: '127.0.0.1', port })
    }
  }
  const asOwner = async (sql: string): Promise<void> => {
    await withOwner(test.url, async (session) => session.query(sql))
  }
  const close = async (): Promise<void> => {
    await running?.stop()
    await test.drop()
  }
  return { port, server, deps, log, asOwner, close, halt, brand: test.brand, url: test.url }
}

/** A sandbox to which nothing was sent, or none. */
function idleSandbox(isPresent: boolean): SandboxDeps {
  const messagesOf: SandboxDeps['messagesOf'] = async (devices) => (isPresent ? devices.map(() => []) : null)
  return { ...NO_SANDBOX, isPresent: async () => isPresent, messagesOf }
}

/** The test itself, and a machine with other tests on it, hold up the loop that the server shares with its callers, and the database. */
export const PATIENT_WITH_CALLERS = {
  quietMs: 20,
  loopDelayMaxMs: 60_000,
  headersTimeoutMs: 60_000,
  slowLaneWaitMs: 5 * 60_000,
} as const

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  /** The reply as JSON with exact integers; null when it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

export type Call = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes go as they are; anything else as JSON. */
  readonly body?: string | Uint8Array | object
}

/** One request on a connection of its own. */
export async function call(port: number, { method, path, headers = {}, body }: Call): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = body === undefined || isRaw ? body : JSON.stringify(body)
  const json = bytes === undefined ? {} : { 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const verb = method ?? (bytes === undefined ? 'GET' : 'POST')
  const options = {
    host: '127.0.0.1',
    port,
    path,
    method: verb,
    headers: { ...json, ...headers },
    agent: false,
  }
  const request = send(options, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        body: isJson(response) ? objectOf(text) : {},
      })
    })
  })
  request.on('error', reject).end(bytes)
  return promise
}

/** Bytes on a bare socket, for what a well-behaved client cannot say. Gives all that came back until the end. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return readAll(socket)
}

export async function readAll(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  socket.on('error', reject).on('close', () => resolve(Buffer.concat(chunks).toString()))
  return promise
}

export function keyHeaders(brand: TestBrand): Readonly<Record<string, string>> {
  return { 'x-api-key': brand.secretKey, 'x-brand-id': brand.externalId }
}

function isJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/json') === true
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {}
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
