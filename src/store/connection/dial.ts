import { Client, type ClientConfig, DatabaseError } from 'pg'
import { systemSleep } from '../../runtime/clock.ts'
import { reasonOf } from '../../runtime/errors.ts'
import { type DatabaseUse, type ServerAddress, serverName } from '../../runtime/postgres/database-url.ts'

/** No server of the list takes writes: each is away, starting, or a standby. */
export class NoPrimary extends Error {
  readonly code = NO_PRIMARY
}

const NO_PRIMARY = 'NO_PRIMARY'

/** Servers answer a greeting in milliseconds; a server that is silent for longer is left out. */
const DIAL_MAX_MS = 3_000

/** The wait for the other servers, once one has said that it takes writes: another may say so too. */
const OTHERS_MS = 1_000

/** A server that answered, and its timeline if it takes writes: a number that grows each time a standby takes over. */
export type DialledServer = { readonly server: ServerAddress; readonly timeline: number | null }

/**
 * Dials all servers at once and gives the one that takes writes, or for reads the first one that answers. If several take writes,
 * the one with the newest timeline is meant: a machine that was frozen and woken does not know yet that another has taken over. A server that
 * hangs delays nobody by more than `OTHERS_MS`, unless no other one takes writes. The connections are closed again.
 */
export async function dialServers(
  config: ClientConfig,
  servers: readonly ServerAddress[],
  use: DatabaseUse,
): Promise<DialledServer> {
  const over = new AbortController()
  const dials = servers.map(async (server) => dialOne(config, server, { use, signal: over.signal }))
  try {
    const first = await Promise.any(dials)
    return use === 'writes' ? await newestOf(dials, over.signal) : first
  } catch (cause) {
    // Each server failed for a reason of its own, and the operator needs all of them.
    const reasons = cause instanceof AggregateError ? cause.errors.map(reasonOf).join('; ') : reasonOf(cause)
    throw new NoPrimary(`no server takes ${use}: ${reasons}`, { cause })
  } finally {
    over.abort()
  }
}

async function newestOf(
  dials: readonly Promise<DialledServer>[],
  signal: AbortSignal,
): Promise<DialledServer> {
  const answers: DialledServer[] = []
  const all = dials.map(async (dial) => dial.then((answer) => answers.push(answer)))
  await Promise.race([Promise.allSettled(all), systemSleep(OTHERS_MS, signal)])
  return answers.reduce((newest, one) => (isNewer(one.timeline, newest.timeline) ? one : newest))
}

/** Whether a timeline is newer than another. One that is not known is not. */
export function isNewer(one: number | null, other: number | null): boolean {
  return one !== null && one > (other ?? 0)
}

/** Watches for what a server says in its greeting, and later when it changes: whether it refuses writes. */
export function watchStandby({ connection }: Client): () => boolean {
  const reported = new Map<string, string>()
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    reported.set(parameterName, parameterValue)
  })
  return () => REFUSALS.some((name) => reported.get(name) === 'on')
}

type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string }

/** PostgreSQL reports both since version 14. */
const REFUSALS = ['in_hot_standby', 'default_transaction_read_only'] as const

async function dialOne(
  config: ClientConfig,
  server: ServerAddress,
  { use, signal }: { readonly use: DatabaseUse; readonly signal: AbortSignal },
): Promise<DialledServer> {
  const client = new Client({ ...config, connectionTimeoutMillis: DIAL_MAX_MS })
  client.on('error', () => undefined)
  if (server.host !== '') client.host = server.host
  client.port = server.port
  const isStandby = watchStandby(client)
  const hangUp = (): void => void client.connection.stream.destroy()
  signal.addEventListener('abort', hangUp, { once: true })
  const late = setTimeout(hangUp, DIAL_MAX_MS)
  try {
    await client.connect()
    if (use === 'reads') return { server, timeline: null }
    if (isStandby()) throw new Error('it is a standby')
    return { server, timeline: await loadTimeline(client) }
  } catch (cause) {
    throw new Error(`${serverName(server)}: ${reasonOf(cause)}`, { cause })
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', hangUp)
    // A polite end needs the server to answer; nobody waits for it.
    void client.end().catch(() => undefined)
  }
}

/** The name of a file of the write-ahead log begins with the timeline. Null where a service hides its log. */
async function loadTimeline(client: Client): Promise<number | null> {
  try {
    const { rows } = await client.query<{ file: string }>(
      'select pg_walfile_name(pg_current_wal_lsn()) as file',
    )
    return Number.parseInt(rows[0]?.file.slice(0, 8) ?? '', 16) || null
  } catch (cause) {
    if (cause instanceof DatabaseError) return null
    throw cause
  }
}
