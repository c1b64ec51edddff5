import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { locateBinaries } from '../../../src/runtime/postgres/binaries.ts'
import { findServer } from '../../../src/runtime/postgres/find-server.ts'
import { initialise } from '../../../src/runtime/postgres/initialise.ts'
import { chooseLaunch } from '../../../src/runtime/postgres/launch.ts'
import { loadPidFile } from '../../../src/runtime/postgres/pid-file.ts'
import { type Launch, spawnServer } from '../../../src/runtime/postgres/program.ts'
import { type PostgresSettings, saveSettings } from '../../../src/runtime/postgres/settings.ts'
import { stopServer } from '../../../src/runtime/postgres/stop-server.ts'
import { PrimaryHosts } from '../../../src/store/connection/primary-hosts.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { addressSettings, readDatabaseUrl } from '../../../src/store/session-settings.ts'
import { endWith } from '../processes/beckon.ts'
import { findQuietPort } from '../processes/quiet-port.ts'
import { until } from '../until.ts'

const SETTINGS = {
  fsync: 'off',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_level: 'replica',
  max_wal_senders: '5',
  max_connections: '60',
  shared_buffers: '32MB',
  hot_standby_feedback: 'on',
  wal_retrieve_retry_interval: '100ms',
} as const

/** One PostgreSQL server of a test's own, on loopback. */
export class PostgresNode {
  readonly port: number
  readonly folder: string
  readonly #launch: Launch
  readonly #password: string

  constructor(place: { port: number; folder: string; launch: Launch; password: string }) {
    this.port = place.port
    this.folder = place.folder
    this.#launch = place.launch
    this.#password = place.password
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  get url(): string {
    return urlOf([this], this.#password)
  }

  async start(settings: PostgresSettings = {}): Promise<void> {
    await saveSettings(this.folder, { ...SETTINGS, ...settings })
    const logFile = join(this.folder, '..', `log-${this.port}`)
    const log = await open(logFile, 'a')
    const args = ['-p', String(this.port)]
    const server = spawnServer(this.#launch, { folder: this.folder, args, logHandle: log.fd })
    const giveUp = once(server, 'exit').then(async () => new Error(`it ended: ${await endOf(logFile)}`))
    await until(async () => /^(?:ready|standby)$/.test((await loadPidFile(this.folder))?.status ?? ''), {
      what: `a server on ${this.address}`,
      giveUp,
    })
    await log.close()
  }

  async stop(): Promise<void> {
    await stopServer(this.folder)
  }

  /** The postmaster dies without a word; its sessions end. */
  async kill(): Promise<void> {
    const server = await findServer(this.folder)
    if (server !== null) process.kill(server.pid, 'SIGKILL')
    await until(async () => (await findServer(this.folder)) === null, { what: 'the end of a postmaster' })
  }

  /** Makes this server, which does not run, a standby of another one. */
  async follow(primary: PostgresNode, extra: PostgresSettings = {}): Promise<void> {
    const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${this.#password} application_name=node${this.port}`
    await writeFile(join(this.folder, 'standby.signal'), '')
    await this.start({ ...extra, primary_conninfo: conninfo })
  }

  /** One statement as the superuser, on a standby too. */
  async run(text: string): Promise<void> {
    const session = addressSettings(this.url)
    const { Client } = new PrimaryHosts(readDatabaseUrl(this.url, 'reads'), session, 'reads')
    const client = new Client(session)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  async promote(): Promise<void> {
    await writeFile(join(this.folder, 'promote'), '')
    process.kill((await findServer(this.folder))?.pid ?? 0, 'SIGUSR1')
    await until(async () => (await loadPidFile(this.folder))?.status === 'ready', {
      what: 'a promoted server',
    })
  }
}

export type TestCluster = {
  /** The first is the primary, the others are its standbys. */
  readonly nodes: readonly PostgresNode[]
  readonly url: (nodes: readonly { readonly address: string }[]) => string
}

/** A primary with Beckon's schema, and standbys that follow it. They end with the test. */
export async function startCluster(context: TestContext, count: number): Promise<TestCluster> {
  const home = await mkdtemp(join(tmpdir(), 'beckon-cluster-'))
  const first = join(home, 'node0')
  const launch = await chooseLaunch(await locateBinaries(), first)
  const password = randomBytes(16).toString('hex')
  await initialise(launch, { folder: first, password, isThrowaway: true })
  const nodes: PostgresNode[] = []
  endWith(context, async () => {
    await Promise.all(nodes.map(async (node) => node.stop()))
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  })
  for (let index = 0; index < count; index += 1) {
    const port = await findQuietPort()
    nodes.push(new PostgresNode({ port, folder: join(home, `node${index}`), launch, password }))
  }
  const [primary, ...standbys] = nodes
  if (primary === undefined) throw new Error('a cluster has a server')
  await primary.start()
  await migrate(primary.url)
  // A copy of a server that was stopped cleanly is a backup: this PostgreSQL comes without pg_basebackup.
  await primary.stop()
  for (const { folder } of standbys)
    await cp(primary.folder, folder, { recursive: true, preserveTimestamps: true })
  await primary.start()
  await Promise.all(standbys.map(async (standby) => standby.follow(primary)))
  return { nodes, url: (chosen) => urlOf(chosen, password) }
}

/** A server that ends with the test has no log any more. */
async function endOf(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '')
  return log.slice(-LOG_CHARS)
}

const LOG_CHARS = 2_000

function urlOf(nodes: readonly { readonly address: string }[], password: string): string {
  return `postgres://postgres:${password}@${nodes.map(({ address }) => address).join(',')}/postgres`
}
