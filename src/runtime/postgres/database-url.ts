/** One PostgreSQL server of a list. An empty host is the local one. */
export type ServerAddress = { readonly host: string; readonly port: number }

/** How a connection is encrypted: the files, and whether the server must prove its name. */
export type TlsFiles = {
  readonly mode: TlsMode
  readonly rootCert: string | null
  readonly cert: string | null
  readonly key: string | null
  readonly isDirect: boolean
}

type TlsMode = (typeof TLS_MODES)[number]

/** A database URL as libpq writes it, taken apart. */
export type DatabaseUrl = {
  readonly servers: readonly ServerAddress[]
  /** User, password, database and the other parameters, with a placeholder for the host. */
  readonly rest: string
  /** Null: not encrypted. */
  readonly tls: TlsFiles | null
  /** How long to wait for a connection. Null: Beckon's usual time. */
  readonly connectTimeoutMs: number | null
}

/** `reads`: any server will do, a standby too. */
export type DatabaseUse = 'writes' | 'reads'

type Parsed =
  | { readonly ok: true; readonly value: DatabaseUrl }
  | { readonly ok: false; readonly expected: string }

/**
 * Reads `postgres://user:password@host1,host2:5433,host3/database?sslmode=verify-full`. The URL of the web standard has
 * one host only, so the list is taken out first. A fault is described by what the setting must be.
 */
export function parseDatabaseUrl(text: string, use: DatabaseUse = 'writes'): Parsed {
  const [, credentials = '', hosts = '', path = '', query = ''] = SHAPE.exec(text) ?? []
  const rest = URL.parse(`postgres://${credentials}${PLACEHOLDER}${path}${query}`)
  if (rest === null || !SHAPE.test(text))
    return expect('an address such as postgres://user:password@host:port/database')
  const { searchParams: params } = rest
  const target = params.get('target_session_attrs') ?? 'read-write'
  if (use === 'writes' && !WRITABLE.has(target))
    return expect('a server that takes writes: target_session_attrs is read-write or primary')
  const servers = parseServers(hosts, { hosts: params.get('host'), ports: params.get('port') })
  if (typeof servers === 'string') return expect(servers)
  const tls = parseTls(params)
  if (typeof tls === 'string') return expect(tls)
  const seconds = params.get('connect_timeout')
  if (seconds !== null && !SECONDS.test(seconds))
    return expect('an address whose connect_timeout is a number of seconds')
  // As in libpq, zero is the same as none.
  const connectTimeoutMs = Number(seconds) === 0 ? null : Number(seconds) * 1000
  for (const name of OWN_PARAMS) params.delete(name)
  return { ok: true, value: { servers, rest: rest.href, tls, connectTimeoutMs } }
}

/** The servers of a database URL as a person writes them. */
export function serverNames(servers: readonly ServerAddress[]): string {
  return servers.map(serverName).join(', ')
}

export function serverName({ host, port }: ServerAddress): string {
  return `${host.includes(':') ? `[${host}]` : host || 'localhost'}:${port}`
}

const SHAPE = /^postgres(?:ql)?:\/\/((?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/
const PLACEHOLDER = 'host.invalid'
const PORT = 5432
const SERVERS_MAX = 16
const SECONDS = /^\d{1,6}$/

const TLS_MODES = ['require', 'verify-ca', 'verify-full', 'no-verify'] as const

/** Beckon writes, so the default of libpq, `any`, means the same as `read-write` here. */
const WRITABLE: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])

const OWN_PARAMS = [
  'host',
  'port',
  'target_session_attrs',
  'connect_timeout',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
] as const

function expect(expected: string): Parsed {
  return { ok: false, expected }
}

type Listed = { readonly hosts: string | null; readonly ports: string | null }

/** The hosts of the address, or of the parameters `host` and `port`; a text says what is wrong with them. */
function parseServers(address: string, { hosts, ports }: Listed): readonly ServerAddress[] | string {
  const written = hosts === null ? address.split(',') : hosts.split(',').map(bracketed)
  const portList = ports?.split(',') ?? []
  if (portList.length > 1 && portList.length !== written.length) return 'a list with one port for each host'
  if (written.length > SERVERS_MAX) return `a list of at most ${SERVERS_MAX} hosts`
  const servers: ServerAddress[] = []
  for (const [index, entry] of written.entries()) {
    const server = parseServer(entry, portList[index] ?? portList[0])
    if (server === null)
      return `a list of hosts such as host1,host2:5433,host3, and entry ${index + 1} is not one`
    if (servers.some(({ host, port }) => host === server.host && port === server.port))
      return 'a list that names no host twice'
    servers.push(server)
  }
  if (servers.length > 1 && servers.some(({ host }) => host === ''))
    return 'a list of hosts without an empty name'
  return servers
}

/** In a list of the parameter `host` an IPv6 address stands without brackets. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

function parseServer(text: string, portText: string | undefined): ServerAddress | null {
  const match = /^(?:\[([\da-f:.]+)\]|((?:[\w./-]|%[\da-f]{2})*))(?::(\d{1,5}))?$/i.exec(text)
  if (match === null) return null
  const [, address, name = '', ownPort] = match
  const port = Number(ownPort ?? portText ?? PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null
  return { host: address ?? decodeURIComponent(name), port }
}

/** Null is no encryption; a text says what is wrong. `prefer` and `allow` would give up encryption without a word. */
function parseTls(params: URLSearchParams): TlsFiles | null | string {
  const [mode, rootCert, cert, key, negotiation] = [
    params.get('sslmode'),
    params.get('sslrootcert'),
    params.get('sslcert'),
    params.get('sslkey'),
    params.get('sslnegotiation'),
  ]
  if (
    mode === 'disable' ||
    (mode === null && rootCert === null && cert === null && key === null && negotiation === null)
  )
    return null
  const known = TLS_MODES.find((name) => name === (mode ?? 'verify-full'))
  if (known === undefined)
    return `an address whose sslmode is one of disable, ${TLS_MODES.slice(0, 3).join(', ')}`
  if ((cert === null) !== (key === null)) return 'an address with both sslcert and sslkey, or with neither'
  if (known === 'verify-ca' && (rootCert ?? SYSTEM_CERTS) === SYSTEM_CERTS)
    return 'an address whose sslmode=verify-ca comes with an sslrootcert of your own'
  return {
    mode: known,
    rootCert: rootCert === SYSTEM_CERTS ? null : rootCert,
    cert,
    key,
    isDirect: negotiation === 'direct',
  }
}

const SYSTEM_CERTS = 'system'
