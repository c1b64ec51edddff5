import { join } from 'node:path'
import { type Config, HOME, loadConfig } from '../config.ts'
import { removeDeadSandbox } from '../delivery/sandbox/file.ts'
import { linkUrl, makeFirstLink } from '../intake/team/links.ts'
import { aborted } from '../runtime/clock.ts'
import { openDashboard } from '../runtime/dashboard-bundle.ts'
import { type FolderLock, takeFolderLock } from '../runtime/folder-lock.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { Metrics } from '../runtime/metrics.ts'
import { openDataFolder } from '../runtime/open-folder.ts'
import { checkPort } from '../runtime/processes/listen-error.ts'
import { DRAIN_MAX_MS, hasTerminal, listenForShutdown, type Shutdown } from '../runtime/processes/shutdown.ts'
import { Supervisor } from '../runtime/processes/supervisor.ts'
import { Database } from '../store/db.ts'
import { migrate } from '../store/migrate.ts'
import { loadMoment } from '../store/push/planning.ts'
import { loadHold } from '../store/push/sending-hold.ts'
import { banner, type Demo, publicUrl } from './banner.ts'
import { defineCommand } from './command.ts'
import { makeDemoDevices } from './demo.ts'
import { describeReplication } from './doctor-database.ts'
import { ensureConfiguredBrand, ensureDemoBrand } from './first-brand.ts'
import { checkDropped } from './open-database.ts'
import { prepareSecret } from './secret.ts'
import { openStorage } from './storage.ts'
import { say } from './terminal.ts'
import { describeUnknownSettings } from './unknown-settings.ts'
import { describeUnusedSettings } from './unused-settings.ts'

/** The supervisor waits this much longer than a process may take to drain, and then kills it. */
const DRAIN_MARGIN_MS = 500

export const startCommand = defineCommand({
  name: 'start',
  summary: 'Starts everything: PostgreSQL, the API and the workers.',
  about: [
    'The first start creates the database and a demo brand, and prints the keys of the brand once. SIGTERM or Ctrl-C finishes the requests in flight and stops within 10 seconds; a second one stops at once. SIGHUP replaces the processes one by one without failing a request.',
    'A Beckon whose secret was lost, or is another than the one that encrypted the stored credentials, does not start. With --new-secret it starts and deletes the credentials that it cannot open.',
    'bin/beckon help settings lists the settings.',
  ],
  flags: {
    'new-secret': {
      type: 'boolean',
      meaning: 'Goes on without the credentials that a lost secret encrypted.',
    },
  },
  examples: ['bin/beckon start', 'PORT=9000 BECKON_DATA_DIR=/var/lib/beckon bin/beckon start'],
  run: async ({ 'new-secret': isNewAllowed = false }) => {
    const shutdown = listenForShutdown()
    // Until there are processes to replace, SIGHUP is ignored, so that it does not end the start.
    if (!hasTerminal()) process.on('SIGHUP', () => undefined)
    const config = loadConfig()
    const log = createLog({ level: config.logLevel, process: 'supervisor' })
    for (const sentence of [...describeUnknownSettings(), ...describeUnusedSettings(config)])
      log.warn(sentence)
    const port = await checkPort(config)
    const lock = await lockFolder(config)
    await runProcesses({ ...config, port }, { log, shutdown, isNewAllowed }).catch((cause: unknown) => {
      // Ctrl-C during the start ends processes half-way, which is no failure.
      if (!shutdown.signal.aborted) throw cause
    })
    lock?.release()
    // A person who pressed Ctrl-C would otherwise see nothing for up to ten seconds.
    say('Stopped.')
  },
})

/** Without an embedded database, a secret file, a sandbox and event files, nothing is written to the folder, and it may be read-only. */
async function lockFolder(config: Config): Promise<FolderLock | null> {
  const { databaseUrl, secret, sandbox, eventFilesDir, eventFilesUrl, dataDir } = config
  const hasFiles = eventFilesDir !== null || eventFilesUrl !== null
  if (databaseUrl !== null && secret !== null && sandbox === 'off' && !hasFiles) return null
  await openDataFolder(dataDir)
  return takeFolderLock(dataDir, { pid: process.pid })
}

type StartOptions = {
  readonly log: Log
  readonly shutdown: Shutdown
  /** Whether credentials that the secret cannot open are given up. */
  readonly isNewAllowed: boolean
}

async function runProcesses(config: Config, { log, shutdown, isNewAllowed }: StartOptions): Promise<void> {
  const supervisor = createSupervisor(config, log)
  const onMoved = (): void => void roll(supervisor, log)
  // Only a second Ctrl-C breaks off the start of PostgreSQL: broken off half-way, the server would stay running.
  const storage = await openStorage(config, { signal: shutdown.hurry, log, onMoved })
  shutdown.hurry.addEventListener('abort', () => supervisor.kill())
  try {
    await prepare(config, storage.url, { isNewAllowed })
    const replication = await describeReplication(storage.url)
    if (replication !== null) log.warn(replication)
    const dashboard = prepareDashboard(config, log)
    await supervisor.start()
    const url = publicUrl(config.host, config.port)
    const demo = await makeDemo(storage.url, config)
    const heldSince = await withSession(storage.url, loadHold)
    const memberLink = demo === null ? null : await makeMemberLink(storage.url, config.publicUrl ?? url)
    await dashboard
    say(...banner({ url, demo, heldSince, memberLink }))
    if (!hasTerminal()) process.on('SIGHUP', () => void roll(supervisor, log))
    await aborted(shutdown.signal)
  } finally {
    await supervisor.stop()
    await storage.close()
  }
}

/** Builds the dashboard before anybody asks for it. The API works without its pages, and the first reader tries again. */
async function prepareDashboard(config: Config, log: Log): Promise<void> {
  const build = openDashboard(config)
  await build().catch((cause: unknown) => log.error('the dashboard could not be built', { cause }))
}

function createSupervisor(config: Config, log: Log): Supervisor {
  return new Supervisor({
    script: join(HOME, 'src', 'main.ts'),
    roles: [
      { role: 'api', count: config.apiProcesses },
      { role: 'worker', count: config.workerProcesses },
      { role: 'sandbox', count: config.sandbox === 'on' ? 1 : 0 },
    ],
    environment: { PORT: String(config.port) },
    log,
    metrics: new Metrics('supervisor'),
    drainMaxMs: DRAIN_MAX_MS + DRAIN_MARGIN_MS,
  })
}

const GIVEN_UP =
  'Set the credentials of the channels again, make new identity keys, and rotate the secrets of webhooks before you enable them.'

/** Prepares the schema, the secret and the brand of the settings, before any process starts. */
async function prepare(
  config: Config,
  url: string,
  { isNewAllowed }: Pick<StartOptions, 'isNewAllowed'>,
): Promise<void> {
  await migrate(url)
  await checkDropped(config, url)
  const lost = await prepareSecret(config, { databaseUrl: url, isNewAllowed })
  if (lost > 0) say(`${lost} credentials were given up. ${GIVEN_UP}`)
  if (config.sandbox === 'off') await removeDeadSandbox(config.dataDir)
  await withSession(url, async (database) =>
    ensureConfiguredBrand(database, config, await loadMoment(database)),
  )
}

/** Created last and printed at once, so that a start that fails never loses keys before anybody has read them. */
async function makeDemo(databaseUrl: string, config: Config): Promise<Demo | null> {
  return withSession(databaseUrl, async (database) => {
    const brand = await ensureDemoBrand(database, await loadMoment(database))
    if (brand === null) return null
    // The keys are printed also when the devices fail.
    const hasDevice = await makeDemoDevices(database, { config, databaseUrl, brand }).catch(() => false)
    return { brand, hasDevice }
  })
}

/** The link of the first administrator. Only the start that made the demo brand prints one. */
async function makeMemberLink(databaseUrl: string, url: string): Promise<string | null> {
  const link = await withSession(databaseUrl, async (database) =>
    makeFirstLink(database, await loadMoment(database)),
  )
  return link === null ? null : linkUrl(url, link)
}

async function withSession<Value>(url: string, work: (database: Database) => Promise<Value>): Promise<Value> {
  const database = new Database({ url, connectionsMax: 1, name: 'beckon supervisor' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A new process that does not start leaves the old one running; that is logged, and Beckon goes on. */
async function roll(supervisor: Supervisor, log: Log): Promise<void> {
  try {
    await supervisor.roll()
  } catch (error) {
    log.error('the rolling restart was broken off', { error })
  }
}
