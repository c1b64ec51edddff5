import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../errors.ts'
import { findServer, type PostgresServer } from './find-server.ts'

const SETTLE_MAX_MS = 10 * 60_000
const POLL_MS = 50

/** Waits for a server that is starting or stopping, and returns the ready server, or null when none runs. */
export async function awaitServer(
  folder: string,
  signal: AbortSignal | undefined,
): Promise<PostgresServer | null> {
  const giveUpAt = performance.now() + SETTLE_MAX_MS
  while (performance.now() < giveUpAt) {
    const server = await findServer(folder)
    if (server === null || server.isReady) return server
    signal?.throwIfAborted()
    await wait(POLL_MS)
  }
  throw new StartError(
    `The PostgreSQL on ${folder} has neither become ready nor ended for 10 minutes: see postgres.log.`,
  )
}
