import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { errorCode } from '../../runtime/errors.ts'
import { isAway, isPoolFull } from '../unavailable.ts'
import type { PrimaryHosts } from './primary-hosts.ts'

export function openPool(hosts: PrimaryHosts, session: ClientConfig, connectionsMax: number): Pool {
  const pool = new Pool({
    ...session,
    max: connectionsMax,
    idleTimeoutMillis: IDLE_MS,
    Client: hosts.Client,
  })
  // A connection that breaks while idle is replaced by the pool; the next query reports a server that is gone.
  pool.on('error', () => undefined)
  // A connection that breaks between two queries of a transaction reports it only here; the next query on it fails.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * A new connection costs as much as a hundred statements. Loops of an idle process ask every few seconds, and several of
 * them at once now and then; connections that they share stay open.
 */
const IDLE_MS = 300_000

/**
 * Does some work with a connection of a pool. The work ends its transaction itself, or throws; `isBroken` tells of an
 * error after which the connection cannot be lent again.
 */
export async function borrow<Value>(
  { pool, hosts }: { readonly pool: Pool; readonly hosts: PrimaryHosts },
  work: (client: PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await connect(pool, hosts)
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (cause) {
    if (errorCode(cause) === READ_ONLY) hosts.leave(client)
    // After an error outside a transaction the connection is as good as before, unless its server is gone.
    broken = cause instanceof Error && (isAway(cause) || !isIdle(client)) ? cause : undefined
    throw cause
  } finally {
    client.release(broken)
  }
}

/**
 * Nothing was asked of the database yet, so a second attempt is safe: it may find another server. A pool whose connections
 * are all at work is told from one whose machine fell silent under them, because its caller is told another time to come back.
 */
async function connect(pool: Pool, hosts: PrimaryHosts): Promise<PoolClient> {
  return pool.connect().catch(async (cause: unknown) => {
    if (isPoolFull(cause)) await hosts.expectAnswer()
    if (!hosts.areMany || !isAway(cause)) throw cause
    return pool.connect()
  })
}

function isIdle(client: PoolClient): boolean {
  return client.getTransactionStatus() === 'I'
}

/** The server became a standby. Nothing was written. */
const READ_ONLY = '25006'
