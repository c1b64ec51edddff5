import type { Config } from '../config.ts'
import { systemSleep } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type Backoff, backoffMs } from '../runtime/loop/backoff.ts'
import { isInitialised } from '../runtime/postgres/initialise.ts'
import type { RunningPostgres } from '../runtime/postgres/running-postgres.ts'
import { startPostgres } from '../runtime/postgres/start-postgres.ts'
import { databaseFolder } from '../runtime/postgres/start-server.ts'
import { takeDataLock } from '../store/data-lock.ts'
import { say } from './terminal.ts'

/** The database of a supervisor. `close` stops the server if it is the embedded one. */
export type Storage = { readonly url: string; readonly close: () => Promise<void> }

type StorageOptions = {
  readonly signal: AbortSignal
  readonly log: Log
  /** The embedded server came back on another port, so the processes must be replaced. */
  readonly onMoved: () => void
}

const FIRST_START = 'Creating the database. The first start takes up to half a minute ...'

/** Opens the operator's database, or starts the embedded server and keeps it running. */
export async function openStorage(config: Config, options: StorageOptions): Promise<Storage> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, close: async () => undefined }
  if (!(await isInitialised(databaseFolder(config.dataDir)))) say(FIRST_START)
  const first = await startOwn(config.dataDir, options.signal)
  const keeper = new PostgresKeeper(first, config.dataDir, options)
  keeper.watch()
  return { url: first.url, close: async () => keeper.close() }
}

/**
 * The lock lasts as long as the server, so no other Beckon can take over a server that is about to stop. If another
 * Beckon has the lock, this throws, and the server belongs to that Beckon and stays running.
 */
async function startOwn(dataDir: string, signal: AbortSignal): Promise<RunningPostgres> {
  const postgres = await startPostgres({ dataDir, signal })
  await takeDataLock(postgres.url, { pid: process.pid })
  return postgres
}

const RESTART: Backoff = { minMs: 200, maxMs: 10_000 }

/** Starts the embedded server again when it ends unexpectedly. */
class PostgresKeeper {
  readonly #dataDir: string
  readonly #options: StorageOptions
  readonly #closing = new AbortController()
  #postgres: RunningPostgres
  #running: Promise<void> | null = null

  constructor(postgres: RunningPostgres, dataDir: string, options: StorageOptions) {
    this.#postgres = postgres
    this.#dataDir = dataDir
    this.#options = options
  }

  watch(): void {
    this.#running = this.#keepRunning()
  }

  /** Stops the server, also one that was being started again at this moment. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#postgres.stop()
    await this.#running
    await this.#postgres.stop()
  }

  async #keepRunning(): Promise<void> {
    for (;;) {
      await this.#postgres.ended
      if (this.#closing.signal.aborted) return
      this.#options.log.error('PostgreSQL ended unexpectedly and is started again')
      await this.#restart()
    }
  }

  async #restart(): Promise<void> {
    const { log, onMoved } = this.#options
    const { signal } = this.#closing
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        const before = this.#postgres.url
        await this.#findDatabase()
        this.#postgres = await startOwn(this.#dataDir, signal)
        if (this.#postgres.url !== before) onMoved()
        return
      } catch (error) {
        // The reason may pass (somebody frees a full disk), and the API answers 503 until then.
        log.error('PostgreSQL could not be started again', { error, attempt })
      }
      await systemSleep(backoffMs(RESTART, attempt, Math.random()), signal)
    }
  }

  /** A data folder whose disk was removed must not get a new, empty database. */
  async #findDatabase(): Promise<void> {
    const folder = databaseFolder(this.#dataDir)
    if (!(await isInitialised(folder))) throw new Error(`the database is gone from ${folder}`)
  }
}
