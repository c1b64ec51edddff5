import type { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { reasonOf, StartError } from '../runtime/errors.ts'
import { serverNames } from '../runtime/postgres/database-url.ts'
import { type AuthoredRequest, BEGIN, type SignInRequest } from './author.ts'
import { bringing } from './bringing.ts'
import { confirmCommit, markOf } from './connection/commit-marks.ts'
import { type Copied, type CopySession, copyIn, copyOut } from './connection/copy.ts'
import { listenUntilEnd } from './connection/listen.ts'
import { borrow, openPool } from './connection/pool.ts'
import { PrimaryHosts } from './connection/primary-hosts.ts'
import type { AskedQuestion, QuestionSession } from './connection/question.ts'
import {
  runStatement,
  type SqlRows,
  type SqlSession,
  type SqlStatement,
  transactOnce,
} from './connection/session.ts'
import { askEither, openStandby, type Standby } from './connection/standby.ts'
import { QUEUE_CONNECTIONS_MAX, TEAM_CONNECTIONS_MAX } from './connections-wanted.ts'
import type { DatabaseOptions } from './database-options.ts'
import { needsOf } from './event-needs.ts'
import { type Listener, listenForKeysGone, listenForWork, Notifier, type WorkKind } from './notify.ts'
import { PLANS_BY_INDEX } from './plans.ts'
import { measurePools } from './pool-meters.ts'
import { retryContended, retryRefused } from './retry.ts'
import { isWatched, ownerSettings, readDatabaseUrl, sessionSettings } from './session-settings.ts'

/** Anything that runs SQL: the engine's pool, or one open transaction. */
export type Db = SqlSession

export type Statement = SqlStatement

export type Rows<Row> = SqlRows<Row>

/**
 * The only access to the database. Requests use the role `beckon_app`, which sees the rows of one brand. Work for all
 * brands (planner, pipeline, key lookup) uses `beckon_engine`. Members and their sessions are `beckon_team`'s. No role
 * owns a table. On the embedded server they log in by themselves; on another server the user of the URL switches to them.
 */
export class Database implements Db {
  readonly #hosts: PrimaryHosts
  readonly #watching: Promise<void>
  readonly #closing = new AbortController()
  readonly #standby: Standby | null
  readonly #tenants: Pool
  readonly #engine: Pool
  readonly #queues: Pool
  readonly #team: Pool
  readonly #notifier = new Notifier(this)
  readonly #options: DatabaseOptions
  readonly #onCommit: CommitMeter = () => undefined

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.#hosts = new PrimaryHosts(
      readDatabaseUrl(options.url),
      sessionSettings({ ...options, name: `${options.name} look` }, 'beckon_engine'),
    )
    this.#tenants = this.#open('beckon_app', options.connectionsMax)
    this.#engine = this.#open('beckon_engine', options.connectionsMax)
    this.#queues = this.#open('beckon_engine', this.queueConnectionsMax, PLANS_BY_INDEX)
    this.#team = this.#open('beckon_team', Math.min(options.connectionsMax, TEAM_CONNECTIONS_MAX))
    if (options.metrics !== undefined) this.#onCommit = measurePools(options.metrics, this.#pools)
    // A standby takes no table of a transaction, so dropped events can be brought on the primary only.
    this.#standby = options.bringEvents === undefined ? openStandby(options) : null
    this.#watching = this.#watch()
  }

  get #pools() {
    return { requests: this.#tenants, engine: this.#engine, queues: this.#queues, team: this.#team }
  }

  /** How many servers the URL names. */
  get serversCount(): number {
    return this.#hosts.serversCount
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
    return this.#runAlone<Row>(this.#engine, statement, values)
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

  /** One transaction that looks up few rows (`plans.ts`), of a brand or, with null, of any. */
  async asLookUp<Value>(brandId: number | null, work: (tx: Db) => Promise<Value>): Promise<Value> {
    const pool = brandId === null ? this.#engine : this.#tenants
    return this.#transact({ pool, begin: BEGIN.lookUp(brandId) }, work)
  }

  /** A look-up across brands whose page is cut from a long walk along an index. */
  async asWalk<Value>(work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#engine, begin: BEGIN.walk }, work)
  }

  /** One transaction across brands; its work runs again in the same way. A request is its author if it is given. */
  async asEngine<Value>(work: (tx: Db) => Promise<Value>, request?: AuthoredRequest): Promise<Value> {
    return this.#transact({ pool: this.#engine, begin: BEGIN.engine(request) }, work)
  }

  /**
   * Reads rows of one brand that may be a little old: on a standby, if there is one that is not too far behind, else on
   * the primary. A caller who must see its own last write uses `asBrand`.
   */
  async asReader<Value>(brandId: number, work: (tx: Db) => Promise<Value>): Promise<Value> {
    const asked = { role: 'tenants', begin: BEGIN.brand(brandId), primary: this } as const
    const read = await this.#standby?.read(asked, work)
    return read === undefined ? this.asBrand(brandId, work) : read.value
  }

  /** The same for a question of one brand or, with null, of any. Its statement ends when its caller goes away. */
  async asQuestion<Value>(
    asked: AskedQuestion,
    work: (tx: QuestionSession) => Promise<Value>,
  ): Promise<Value> {
    const { brandId, isOfOneInstant = false, ...caller } = asked
    const role = brandId === null ? 'engine' : 'tenants'
    const canWrite = this.#options.bringEvents !== undefined
    const begin = BEGIN.question({ brandId, isOfOneInstant, canWrite })
    const read = { role, begin, primary: this, caller } as const
    const pool = brandId === null ? this.#engine : this.#tenants
    return askEither({ standby: this.#standby, place: { pool, hosts: this.#hosts } }, read, async (tx) =>
      work(bringing(tx, this.#options.bringEvents)),
    )
  }

  /** Single statements across brands that may read something a little old. */
  get reader(): Db {
    return { query: async (statement, values = []) => this.#readAlone(statement, values) }
  }

  /** Single statements across brands on queues, which only step through indexes (`plans.ts`). */
  get queue(): Db {
    return { query: async (statement, values = []) => this.#runAlone(this.#queues, statement, values) }
  }

  /** One transaction of such statements. */
  async asQueue<Value>(work: (tx: Db) => Promise<Value>): Promise<Value> {
    return this.#transact({ pool: this.#queues, begin: 'begin' }, work)
  }

  /** One transaction on members, their sessions and their memberships; its work runs again in the same way. */
  async asTeam<Value>(work: (tx: Db) => Promise<Value>, request?: SignInRequest): Promise<Value> {
    return this.#transact({ pool: this.#team, begin: BEGIN.engine(request) }, work)
  }

  /** Single statements on the same tables. */
  get team(): Db {
    return { query: async (statement, values = []) => this.#runAlone(this.#team, statement, values) }
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
    this.#closing.abort()
    const pools = [...Object.values(this.#pools), ...Object.values(this.#standby?.pools ?? {})]
    await Promise.all([this.#watching, ...pools.map(async (pool) => pool.end())])
  }

  async #readAlone<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Rows<Row>> {
    const place = { role: 'engine', begin: 'begin', primary: this } as const
    const read = await this.#standby?.read(place, async (tx) => tx.query<Row>(statement, values))
    return read === undefined ? this.#runAlone<Row>(this.#engine, statement, values) : read.value
  }

  async #watch(): Promise<void> {
    const { url, readUrl } = this.#options
    const hosts = [
      ...(isWatched(url) ? [this.#hosts] : []),
      ...(this.#standby !== null && readUrl !== undefined && isWatched(readUrl) ? [this.#standby.hosts] : []),
    ]
    await Promise.all(hosts.map(async (each) => each.watch(this.#closing.signal)))
  }

  #open(role: string, connectionsMax: number, settings = ''): Pool {
    return openPool(this.#hosts, sessionSettings(this.#options, role, settings), connectionsMax)
  }

  async #transact<Value>({ pool, begin }: Place, work: (tx: Db) => Promise<Value>): Promise<Value> {
    const place = { pool, hosts: this.#hosts }
    return retryContended(async () => {
      const end = await borrow(place, async (client) =>
        transactOnce(
          { client, begin, mark: markOf(client) },
          async (tx) =>
            work(bringing({ ...tx, copyIn: (text) => copyIn(client, text) }, this.#options.bringEvents)),
          (tookMs) => this.#onCommit(pool, tookMs),
        ),
      )
      if (end.kind === 'lost') await confirmCommit({ ...place, pool: this.#engine }, end.commit, end.cause)
      this.#options.onAnswer?.()
      return end.value
    })
  }

  /** One statement in a transaction of its own. A server that became a standby refused it, so it runs again elsewhere. */
  async #runAlone<Row extends object>(
    pool: Pool,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Rows<Row>> {
    if (this.#options.bringEvents !== undefined && needsOf(values).length > 0)
      return this.#transact({ pool, begin: 'begin' }, async (tx) => tx.query<Row>(statement, values))
    const place = { pool, hosts: this.#hosts }
    const rows = await retryRefused(async () =>
      borrow(place, async (client) => runStatement<Row>(client, statement, values)),
    )
    this.#options.onAnswer?.()
    return rows
  }

  #listening(signal: AbortSignal) {
    const session = sessionSettings(
      { ...this.#options, name: `${this.#options.name} listener` },
      'beckon_engine',
    )
    const listenOnce = async (channel: string, listener: Listener): Promise<void> =>
      listenUntilEnd({ hosts: this.#hosts, session, channel, signal }, listener)
    return { listenOnce, signal }
  }
}

/** The owner's connection can also move whole tables: `copy … to stdout` and `copy … from stdin` as streams. */
export type OwnerSession = CopySession & { copyOut(text: string): Readable & Copied }

/**
 * One connection as the user in the URL, who owns the tables: for migrations, backups and the doctor. A start meets
 * the server here first, so a failure to connect is explained in one sentence.
 */
export async function withOwner<Value>(
  url: string,
  work: (session: OwnerSession) => Promise<Value>,
): Promise<Value> {
  const address = readDatabaseUrl(url)
  const session = ownerSettings(url)
  const { Client } = new PrimaryHosts(address, session)
  const client = new Client(session)
  // A broken connection also fails the query that waits on it, and that failure is the one to report.
  client.on('error', () => undefined)
  try {
    await client.connect().catch((cause: unknown) => {
      const server = serverNames(address.servers)
      throw new StartError(`Cannot use the database at ${server}: ${reasonOf(cause)}.`, { cause })
    })
    return await work({
      query: async (statement, values = []) => runStatement(client, statement, values),
      copyOut: (text) => copyOut(client, text),
      copyIn: (text) => copyIn(client, text),
    })
  } finally {
    await client.end()
  }
}

type CommitMeter = (pool: Pool, tookMs: number) => void

/** The pool of a transaction, and the statement that begins it. */
type Place = { readonly pool: Pool; readonly begin: string }
