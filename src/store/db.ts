import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { Client, type ClientBase, type ClientConfig, Pool, type QueryConfig, type QueryResult } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { reasonOf, StartError } from '../runtime/errors.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { type AuthoredRequest, BEGIN } from './author.ts'
import { COLUMN_TYPES } from './column-types.ts'
import { type Listener, listenForKeysGone, listenForWork, Notifier, type WorkKind } from './notify.ts'
import { PLANS_BY_INDEX } from './plans.ts'
import { measurePools } from './pool-meters.ts'
import { retryContended } from './retry.ts'
import { CONNECT_TIMEOUT_MS, PROBED, type SessionOptions, sessionSettings } from './session-settings.ts'

/** Anything that runs SQL: the engine's pool, or one open transaction. */
export type Db = {
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Rows<Row>>
}

/** A statement with a name is planned once for each connection, which pays where it runs with every request. */
export type Statement = string | { readonly name: string; readonly text: string }

export type Rows<Row> = { readonly rows: readonly Row[]; readonly count: number }

export type DatabaseOptions = SessionOptions & {
  readonly connectionsMax: number
  /** Where the pools and the commits are measured; nowhere, if absent. */
  readonly metrics?: Metrics
}

/**
 * The only access to the database. Requests use the role `beckon_app`, which sees the rows of one brand. Work for all
 * brands (planner, pipeline, key lookup) uses `beckon_engine`. Members and their sessions are `beckon_team`'s. No role
 * owns a table. On the embedded server they log in by themselves; on another server the user of the URL switches to them.
 */
export class Database implements Db {
  readonly #tenants: Pool
  readonly #engine: Pool
  readonly #queues: Pool
  readonly #team: Pool
  readonly #notifier = new Notifier(this)
  readonly #options: DatabaseOptions
  readonly #onCommit: CommitMeter = () => undefined

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#tenants = openPool(options, 'beckon_app')
    this.#engine = openPool(options, 'beckon_engine')
    const queues = { ...options, connectionsMax: this.queueConnectionsMax }
    this.#queues = openPool(queues, 'beckon_engine', PLANS_BY_INDEX)
    const team = { ...options, connectionsMax: Math.min(options.connectionsMax, TEAM_CONNECTIONS_MAX) }
    this.#team = openPool(team, 'beckon_team')
    const { metrics } = options
    if (metrics !== undefined) this.#onCommit = measurePools(metrics, this.#pools)
  }

  get #pools(): Readonly<Record<string, Pool>> {
    return { requests: this.#tenants, engine: this.#engine, queues: this.#queues, team: this.#team }
  }

  /** The most connections that each of the two roles may have, and of those for queues. */
  get connectionsMax(): number {
    return this.#options.connectionsMax
  }
  get queueConnectionsMax(): number {
    return Math.min(this.#options.connectionsMax, QUEUE_CONNECTIONS_MAX)
  }

  /** One statement across brands. */
  async query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Rows<Row>> {
    return run<Row>(this.#engine, statement, values)
  }

  /** One transaction on the rows of one brand. Its work may run again (`retryContended`): it changes the database only. */
  async asBrand<Value>(brandId: number, work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#tenants, begin: BEGIN.brand(brandId) }, work)
  }

  /** The same for what Beckon makes by itself, such as a key that a browser needs. */
  async asSystem<Value>(brandId: number, work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#tenants, begin: BEGIN.system(brandId) }, work)
  }

  /** The same for a request, which the audit log names. */
  async asCaller<Value>(request: AuthoredRequest, work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#tenants, begin: BEGIN.caller(request) }, work)
  }

  /** One transaction across brands; its work runs again in the same way. A request is its author if it is given. */
  async asEngine<Value>(work: (tx: Db) => Promise<Value>, request?: AuthoredRequest): Promise<Value> {
    return this.#transact({ pool: this.#engine, begin: BEGIN.engine(request) }, work)
  }

  /** Single statements across brands on queues, which only step through indexes (`plans.ts`). */
  get queue(): Db {
    return { query: async (statement, values = []) => run(this.#queues, statement, values) }
  }

  /** One transaction of such statements. */
  async asQueue<Value>(work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#queues, begin: 'begin' }, work)
  }

  /** One transaction on members, their sessions and their memberships; its work runs again in the same way. */
  async asTeam<Value>(work: (tx: Db) => Promise<Value>, request?: AuthoredRequest): Promise<Value> {
    return this.#transact({ pool: this.#team, begin: BEGIN.engine(request) }, work)
  }

  /** Single statements on the same tables. */
  get team(): Db {
    return { query: async (statement, values = []) => run(this.#team, statement, values) }
  }

  /** Notifies the workers of all processes, after a commit, that there is work. It never fails and is not awaited. */
  notify(kind: WorkKind): void {
    this.#notifier.notify(kind)
  }

  /** Listens for work that any process notifies of, until the signal aborts. */
  async listen(onWork: (kind: WorkKind) => void, signal: AbortSignal): Promise<void> {
    await listenForWork(this.#listening(signal), onWork)
  }

  /** Listens, until the signal aborts, for API keys that any process revoked or deleted. */
  async listenForKeysGone(onGone: () => void, signal: AbortSignal): Promise<void> {
    await listenForKeysGone(this.#listening(signal), onGone)
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map(async (pool) => pool.end()))
  }

  async #transact<Value>(place: Place, work: (tx: Db) => Promise<Value>): Promise<Value> {
    return retryContended(async () => tryOnce(place, work, this.#onCommit))
  }

  #listening(signal: AbortSignal) {
    const session = sessionSettings(
      { ...this.#options, name: `${this.#options.name} listener` },
      'beckon_engine',
    )
    const listenOnce = async (channel: string, listener: Listener): Promise<void> =>
      listenUntilEnd({ session, channel, signal }, listener)
    return { listenOnce, signal }
  }
}

/** The owner's connection can also move whole tables: `copy … to stdout` and `copy … from stdin` as streams. */
export type OwnerSession = Db & {
  copyOut(text: string): Readable & Copied
  copyIn(text: string): Writable & Copied
}

/** How many rows went through; known once the stream has ended. */
export type Copied = { readonly rowCount: number }

/**
 * One connection as the user in the URL, who owns the tables: for migrations, backups and the doctor. A start meets
 * the server here first, so a failure to connect is explained in one sentence.
 */
export async function withOwner<Value>(
  url: string,
  work: (session: OwnerSession) => Promise<Value>,
): Promise<Value> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...PROBED,
    application_name: 'beckon owner',
    options: '-c timezone=UTC',
    types: COLUMN_TYPES,
  })
  // A broken connection also fails the query that waits on it, and that failure is the one to report.
  client.on('error', () => undefined)
  try {
    await client.connect().catch((cause: unknown) => {
      throw new StartError(`Cannot use the database at ${client.host}:${client.port}: ${reasonOf(cause)}.`, {
        cause,
      })
    })
    return await work({
      query: async (statement, values = []) => run(client, statement, values),
      copyOut: (text) => client.query(copyTo(text)),
      copyIn: (text) => client.query(copyFrom(text)),
    })
  } finally {
    await client.end()
  }
}

/** The most connections of a process for `queryQueue` and `asQueue`. Their statements are short and many at a time. */
export const QUEUE_CONNECTIONS_MAX = 6

/** People sign in rarely, and their sessions are cached. */
const TEAM_CONNECTIONS_MAX = 3

function openPool(options: DatabaseOptions, role: string, settings = ''): Pool {
  const pool = new Pool({ ...sessionSettings(options, role, settings), max: options.connectionsMax })
  // A connection that breaks while idle is replaced by the pool; the next query reports a server that is gone.
  pool.on('error', () => undefined)
  // A connection that breaks between two queries of a transaction reports it only here; the next query on it fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

type Listening = { readonly session: ClientConfig; readonly channel: string; readonly signal: AbortSignal }

async function listenUntilEnd(
  { session, channel, signal }: Listening,
  { onReady, onMessage }: Listener,
): Promise<void> {
  const socket = new Socket()
  const client = new Client({ ...session, stream: () => socket })
  const ended = Promise.withResolvers<void>()
  // `end` during a connect never settles; a destroyed socket fails the connect at once.
  const close = (): void => void socket.destroy()
  client.on('notification', ({ payload = '' }) => onMessage(payload))
  client.on('error', () => undefined)
  client.on('end', () => ended.resolve())
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    await client.query(`listen ${channel}`)
    onReady()
    await ended.promise
  } finally {
    signal.removeEventListener('abort', close)
    await client.end()
  }
}

type CommitMeter = (pool: Pool, tookMs: number) => void

/** The pool of a transaction, and the statement that begins it. */
type Place = { readonly pool: Pool; readonly begin: string }

async function tryOnce<Value>(
  { pool, begin }: Place,
  work: (tx: Db) => Promise<Value>,
  onCommit: CommitMeter,
): Promise<Value> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await ask(client, { text: begin })
    const value = await work({ query: async (statement, values = []) => run(client, statement, values) })
    const endedAt = performance.now()
    const { command } = await ask(client, { text: 'commit' })
    onCommit(pool, performance.now() - endedAt)
    if (command !== 'COMMIT') throw new Error('rolled back: a statement failed and its error was swallowed')
    return value
  } catch (cause) {
    // The transaction must end before the pool lends its connection again; if the rollback fails, the connection is
    // dropped.
    await ask(client, { text: 'rollback' }).catch((broken: unknown) => {
      failure = new Error('rollback failed', { cause: broken })
    })
    throw cause
  } finally {
    client.release(failure)
  }
}

async function run<Row extends object>(
  target: Pool | ClientBase,
  statement: Statement,
  values: readonly unknown[],
): Promise<Rows<Row>> {
  const named = typeof statement === 'string' ? { text: statement } : statement
  const { rows, rowCount } = await ask<Row>(target, { ...named, values: [...values] })
  return { rows, count: rowCount ?? 0 }
}

/**
 * The promise of `pg` keeps its query, and with it every row, alive until V8 collects the whole heap: reading 140 MB
 * made the heap grow by 130 MB. With a callback the rows are free at the next small collection.
 */
async function ask<Row extends object>(
  target: Pool | ClientBase,
  query: QueryConfig,
): Promise<QueryResult<Row>> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult<Row>>()
  target.query<Row>(query, (cause: Error | null | undefined, result) => {
    if (cause === null || cause === undefined) resolve(result)
    else reject(cause)
  })
  return promise.catch(throwHere)
}

/** Gives an error from the socket the stack of the caller. */
function throwHere(cause: unknown): never {
  if (cause instanceof Error) Error.captureStackTrace(cause)
  throw cause
}
