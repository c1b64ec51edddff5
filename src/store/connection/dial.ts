import { Client, type ClientConfig } from 'pg'
import { reasonOf } from '../../runtime/errors.ts'
import { type DatabaseUse, type ServerAddress, serverName } from '../../runtime/postgres/database-url.ts'

/** No server of the list takes writes: each is away, starting, or a standby. */
export class NoPrimary extends Error {
  readonly code = NO_PRIMARY
}

const NO_PRIMARY = 'NO_PRIMARY'

/** Servers answer a greeting in milliseconds; a server that is silent for longer is left out. */
const DIAL_MAX_MS = 3_000

/**
 * Dials all servers at once and gives the first one that takes writes, or for reads the first one that answers. A server that hangs delays nobody, unless no
 * other one takes writes. The connections are closed again.
 */
export async function dialServers(
  config: ClientConfig,
  servers: readonly ServerAddress[],
  use: DatabaseUse,
): Promise<ServerAddress> {
  const found = new AbortController()
  try {
    return await Promise.any(
      servers.map(async (server) => dialOne(config, server, { use, signal: found.signal })),
    )
  } catch (cause) {
    // Each server failed for a reason of its own, and the operator needs all of them.
    const reasons = cause instanceof AggregateError ? cause.errors.map(reasonOf).join('; ') : reasonOf(cause)
    throw new NoPrimary(`no server takes ${use}: ${reasons}`, { cause })
  } finally {
    found.abort()
  }
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
): Promise<ServerAddress> {
  const client = new Client({ ...config, connectionTimeoutMillis: DIAL_MAX_MS })
  client.on('error', () => undefined)
  if (server.host !== '') client.host = server.host
  client.port = server.port
  const isStandby = watchStandby(client)
  const hangUp = (): void => void client.connection.stream.destroy()
  signal.addEventListener('abort', hangUp, { once: true })
  try {
    await client.connect()
    if (use === 'writes' && isStandby()) throw new Error('it is a standby')
    return server
  } catch (cause) {
    throw new Error(`${serverName(server)}: ${reasonOf(cause)}`, { cause })
  } finally {
    signal.removeEventListener('abort', hangUp)
    // A polite end needs the server to answer; nobody waits for it.
    void client.end().catch(() => undefined)
  }
}
