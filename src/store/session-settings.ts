import { StartError } from '../runtime/errors.ts'
import { type DatabaseUrl, type DatabaseUse, parseDatabaseUrl } from '../runtime/postgres/database-url.ts'
import { roleLogin } from '../runtime/postgres/role-logins.ts'
import type { OwnAuthor } from './author.ts'
import { COLUMN_TYPES } from './column-types.ts'

export type SessionOptions = {
  readonly url: string
  readonly name: string
  /** The author of changes that no request asks for; without it the engine's are `system`, and a request names its own. */
  readonly author?: OwnAuthor
  /** How long to wait for a connection; without it, as long as the URL says. */
  readonly connectTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000

/** Nobody waits behind a start or a command, and a server that has just begun on a slow disk may take long to answer. */
const OWNER_CONNECT_MS = 30_000

/**
 * A server whose cable was pulled sends nothing, and a listener would wait for it: the probes of the operating system
 * begin after two hours. With these settings an idle connection that is dead is noticed after about half a minute. While a statement waits
 * to be acknowledged there are no probes: the system sends the statement again and again, for a quarter of an hour. Node.js has
 * no setting for that (TCP_USER_TIMEOUT), so `PrimaryHosts.watch` cuts such connections.
 */
const PROBED = { keepAlive: true, keepAliveInitialDelayMillis: 15_000 } as const

/** A statement that takes longer is cancelled. */
export const STATEMENT_TIMEOUT_MS = 30_000
const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/**
 * Whether the servers of a database may fall silent, so that a connection has to watch them: they are reached over a network. The embedded
 * server runs on the same machine, and a socket file leads to one that does.
 */
export function isWatched(url: string): boolean {
  if (roleLogin(url, 'beckon_engine') !== null) return false
  const { servers } = readDatabaseUrl(url, 'reads')
  return servers.some(({ host }) => host !== '' && !host.startsWith('/'))
}

/** The settings of a connection in one of the program's roles, as the database client takes them. */
export function sessionSettings(options: SessionOptions, role: string, settings = '') {
  const { url, name, connectTimeoutMs, author } = options
  const login = roleLogin(url, role)
  const address = addressSettings(login?.url ?? url)
  return {
    ...address,
    connectionTimeoutMillis: connectTimeoutMs ?? address.connectionTimeoutMillis,
    ...PROBED,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    application_name: name,
    options: `${login === null ? `-c role=${role}` : ''} -c timezone=UTC -c cursor_tuple_fraction=1 ${author === undefined ? '' : `-c beckon.actor=${author}`} ${settings}`,
    types: COLUMN_TYPES,
  }
}

/** The same for a connection as the user in the URL, who owns the tables. */
export function ownerSettings(url: string) {
  return {
    ...addressSettings(url),
    connectionTimeoutMillis: readDatabaseUrl(url).connectTimeoutMs ?? OWNER_CONNECT_MS,
    ...PROBED,
    application_name: 'beckon owner',
    options: '-c timezone=UTC',
    types: COLUMN_TYPES,
  }
}

/** The settings that the URL gives: user, password, database and patience. Host and encryption come with each connection. */
export function addressSettings(url: string): AddressSettings {
  const { rest, connectTimeoutMs } = readDatabaseUrl(url, 'reads')
  return { connectionString: rest, connectionTimeoutMillis: connectTimeoutMs ?? CONNECT_TIMEOUT_MS }
}

type AddressSettings = { readonly connectionString: string; readonly connectionTimeoutMillis: number }

/** The settings were checked at the start; a URL from elsewhere fails with the same sentence. */
export function readDatabaseUrl(url: string, use: DatabaseUse = 'writes'): DatabaseUrl {
  const parsed = parseDatabaseUrl(url, use)
  if (parsed.ok) return parsed.value
  throw new StartError(`The address of the database must be ${parsed.expected}.`)
}
