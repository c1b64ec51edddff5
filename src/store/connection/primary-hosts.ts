import { callbackify } from 'node:util'
import { Client, type ClientConfig, DatabaseError } from 'pg'
import { systemSleep } from '../../runtime/clock.ts'
import {
  type DatabaseUrl,
  type DatabaseUse,
  type ServerAddress,
  serverName,
} from '../../runtime/postgres/database-url.ts'
import { TlsSource } from '../../runtime/postgres/tls-options.ts'
import { type DialledServer, dialServers, isNewer, NoPrimary, watchStandby } from './dial.ts'
import { Silence } from './silence.ts'

type ClientClass = new (config?: ClientConfig) => Client

type OpenConnection = { readonly server: ServerAddress; readonly openedAt: number }

/**
 * The servers of a database, of which one takes writes.
 *
 * States: unknown → searching → known → unknown. A search dials all servers at once, and all who ask meanwhile share it.
 * The known server is forgotten when a connection to it fails, when it turns out to be a standby, or when the watch finds
 * it silent, or another server that took over from it. At that moment the connections to all other servers are cut: their machine
 * may be gone without a word, and they would wait for minutes. A search that finds nobody cuts nothing at first, because
 * the old server may still answer. After `SILENT_MAX_MS` without an answer it cuts all connections, so that every call
 * ends in bounded time and its caller learns that the database is away.
 *
 * A server whose timeline is older than one that was seen is not taken, even if no other one answers. It was frozen while
 * another took over, and what it acknowledges before it learns that is thrown away.
 *
 * With one server there is nothing to search: it is checked that it takes writes, and it is watched in the same way. Another machine
 * may answer at its address after a while (a proxy, a virtual address). The connections from before are cut then.
 */
export class PrimaryHosts {
  /** The class of connections to the server that takes writes. `pg` makes the connections of a pool from it. */
  readonly Client: ClientClass
  /** For reads, a standby will do. */
  readonly use: DatabaseUse
  readonly #servers: readonly ServerAddress[]
  readonly #config: ClientConfig
  readonly #tls: { readonly source: TlsSource; readonly isDirect: boolean } | null
  readonly #open = new Map<Client, OpenConnection>()
  #known: ServerAddress | null = null
  /** The newest timeline that was seen. */
  #timeline: number | null = null
  /** When any connection, or a search, last had an answer. A standby where writes are wanted is no answer. */
  #answeredAt = Number.NEGATIVE_INFINITY
  #silentAt = Number.NEGATIVE_INFINITY
  /** When the server that the watch is connected to was started: no two machines have the same instant. */
  #startedAt: string | null = null
  #search: Promise<ServerAddress> | null = null
  readonly #silence = new Silence(async () => this.#greet())

  constructor({ servers, tls }: DatabaseUrl, config: ClientConfig, use: DatabaseUse = 'writes') {
    this.use = use
    this.#servers = servers
    this.#config = config
    this.#tls = tls === null ? null : { source: new TlsSource(tls), isDirect: tls.isDirect }
    this.Client = clientClass(this)
  }

  get serversCount(): number {
    return this.#servers.length
  }

  get areMany(): boolean {
    return this.serversCount > 1
  }

  /** All connections were cut because no server answered, and none has answered since. */
  get isSilent(): boolean {
    return this.#silentAt > this.#answeredAt
  }

  /** The server that takes writes. Throws `NoPrimary` when none does. */
  async find(): Promise<ServerAddress> {
    const [only] = this.#servers
    if (only !== undefined && !this.areMany) return only
    if (this.#known !== null) return this.#known
    this.#search ??= this.#look()
    return this.#search
  }

  /** The settings of a connection with those of its encryption. */
  encrypted(config: ClientConfig): ClientConfig {
    if (this.#tls === null) return config
    const { source, isDirect } = this.#tls
    return { ...config, ssl: source.load(), sslnegotiation: isDirect ? 'direct' : 'postgres' }
  }

  forget(server: ServerAddress): void {
    if (this.#known === server) this.#known = null
  }

  /** A connection is remembered until it ends, so that it can be cut. */
  remember(client: Client, server: ServerAddress): void {
    this.#open.set(client, { server, openedAt: performance.now() })
    client.once('end', () => this.#open.delete(client))
  }

  /** The greeting of a connection was good: it and all that follows on this connection count as answers. */
  heed(client: Client): Client {
    this.#answeredAt = performance.now()
    client.connection.on('readyForQuery', () => (this.#answeredAt = performance.now()))
    return client
  }

  /** A statement was refused because its server became a standby: all connections to that server are renewed. */
  leave(client: Client): void {
    const server = this.#open.get(client)?.server
    if (server === undefined) return
    this.forget(server)
    this.#cut((other) => other.server === server)
  }

  /** Throws what is wrong with the server that takes writes, if it fell silent and cannot be dialled either. */
  async expectAnswer(): Promise<void> {
    await this.#silence.check(this.#answeredAt)
  }

  async #greet(): Promise<void> {
    const client = new this.Client({ ...this.#config, connectionTimeoutMillis: ANSWER_MAX_MS })
    client.on('error', () => undefined)
    try {
      await client.connect()
    } finally {
      client.connection.stream.destroy()
    }
  }

  /** Looks every second whether the known server answers and takes writes; another one is searched when not. */
  async watch(signal: AbortSignal): Promise<void> {
    this.#answeredAt = performance.now()
    let lostAt = this.#answeredAt
    while (!signal.aborted) {
      // A watch that fails is the sign to search; the loops and requests report what is wrong with the database.
      await this.#watchKnown(signal, lostAt).catch(() => undefined)
      lostAt = performance.now()
      if (!signal.aborted) await this.#move().catch((cause: unknown) => this.#giveUp(cause))
      await systemSleep(WATCH_MS, signal)
    }
  }

  async #look(): Promise<ServerAddress> {
    try {
      const { server, timeline } = await this.#dial()
      if (timeline !== null && isNewer(this.#timeline, timeline)) {
        throw new NoPrimary(
          `${serverName(server)} takes writes on timeline ${timeline}, but a server has taken over on timeline ${this.#timeline}; if the database was restored, start Beckon again`,
        )
      }
      this.#timeline = timeline ?? this.#timeline
      this.#known = server
      this.#answeredAt = performance.now()
      return server
    } finally {
      this.#search = null
    }
  }

  /**
   * When a server answers late, the words of the others are old: one that was a standby may have taken over since. So all are
   * dialled anew.
   */
  async #dial(): Promise<DialledServer> {
    for (let dials = 1; ; dials += 1) {
      const begunAt = performance.now()
      const found = await dialServers(this.encrypted(this.#config), this.#servers, this.use)
      if (performance.now() - begunAt <= FRESH_MS || dials === DIALS_MAX) return found
    }
  }

  /** A server that was given up may still answer, and its commits would wait for ever. If nobody can be dialled now, it stays. */
  async #expectNoNewer(): Promise<void> {
    const found = await this.#dial().catch(() => null)
    if (isNewer(found?.timeline ?? null, this.#timeline)) throw new Error('another server has taken over')
  }

  async #move(): Promise<void> {
    if (!this.areMany) {
      await this.#dial()
      this.#answeredAt = performance.now()
      return
    }
    this.#known = null
    const found = await this.find()
    this.#cut(({ server }) => server !== found)
  }

  #giveUp(cause: unknown): void {
    if (!this.areMany && isRefused(cause)) this.#answeredAt = performance.now()
    if (performance.now() - this.#answeredAt <= SILENT_MAX_MS) return
    this.#silentAt = performance.now()
    this.#cut(() => true)
  }

  #cut(isMeant: (connection: OpenConnection) => boolean): void {
    for (const [client, connection] of this.#open) {
      if (isMeant(connection)) client.connection.stream.destroy()
    }
  }

  /** Behind one address another machine may answer now, which took over, and the one of before may be gone without a word. */
  async #expectSame(client: Client, lostAt: number): Promise<void> {
    const { rows } = await client.query<{ startedAt: string }>(
      'select pg_postmaster_start_time()::text as "startedAt"',
    )
    const startedAt = rows[0]?.startedAt ?? null
    if (this.#startedAt !== null && this.#startedAt !== startedAt)
      this.#cut(({ openedAt }) => openedAt < lostAt)
    this.#startedAt = startedAt
  }

  /** Ends without an error only when the signal aborts. `lostAt`: when the connection of the watch before this one failed. */
  async #watchKnown(signal: AbortSignal, lostAt: number): Promise<void> {
    const client = new this.Client({ ...this.#config, connectionTimeoutMillis: ANSWER_MAX_MS })
    const isStandby = watchStandby(client)
    client.on('error', () => undefined)
    const cut = (): void => void client.connection.stream.destroy()
    signal.addEventListener('abort', cut, { once: true })
    try {
      await client.connect()
      for (let looks = 1; !signal.aborted; looks += 1) {
        const late = setTimeout(cut, ANSWER_MAX_MS)
        const look = looks === 1 && !this.areMany ? this.#expectSame(client, lostAt) : client.query('select')
        await look.finally(() => clearTimeout(late))
        if (this.use === 'writes' && isStandby()) throw new Error('the server became a standby')
        if (this.use === 'writes' && this.areMany && isTimeForOthers(looks)) await this.#expectNoNewer()
        await systemSleep(WATCH_MS, signal)
      }
    } finally {
      signal.removeEventListener('abort', cut)
      cut()
    }
  }
}

const WATCH_MS = 1_000
/** An answer that took no longer than this is as new as those of the other servers. */
const FRESH_MS = 1_500
const DIALS_MAX = 3
const ANSWER_MAX_MS = 2_000
/** Two searches find nobody within this time. A server that is only busy has answered one of them. */
const SILENT_MAX_MS = 8_000

/**
 * Whether a server said itself why it takes no connection, for example that it has too many. It is not silent. Words about its start or
 * its end (class 57) may be those of another machine, behind which the connections of before wait.
 */
function isRefused(cause: unknown): boolean {
  const reasons =
    cause instanceof NoPrimary && cause.cause instanceof AggregateError ? cause.cause.errors : []
  return reasons.some(
    (each: unknown) =>
      each instanceof Error &&
      each.cause instanceof DatabaseError &&
      each.cause.code?.startsWith('57') === false,
  )
}

/** The other servers are asked with the first looks, when one may be about to take over, and then seldom: it takes a connection to each. */
function isTimeForOthers(looks: number): boolean {
  return looks <= 5 || looks % 10 === 0
}

/** A class, because a pool makes its connections itself and passes nothing but their settings. */
function clientClass(hosts: PrimaryHosts): ClientClass {
  return class PrimaryClient extends Client {
    constructor(config: ClientConfig = {}) {
      super(hosts.encrypted(config))
    }

    override connect(): Promise<Client>
    override connect(callback: (cause: Error | null, client?: Client) => void): void
    override connect(callback?: (cause: Error | null, client?: Client) => void): Promise<Client> | void {
      if (callback === undefined) return this.#connectToPrimary()
      callbackify(async () => this.#connectToPrimary())(callback)
    }

    async #connectToPrimary(): Promise<Client> {
      const server = await hosts.find()
      if (server.host !== '') this.host = server.host
      this.port = server.port
      const isStandby = watchStandby(this)
      hosts.remember(this, server)
      try {
        await super.connect()
      } catch (cause) {
        hosts.forget(server)
        throw cause
      }
      if (hosts.use === 'reads' || !isStandby()) return hosts.heed(this)
      hosts.forget(server)
      void this.end().catch(() => undefined)
      throw new NoPrimary(`${serverName(server)} is a standby, which takes no writes`)
    }
  }
}
