import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../errors.ts'
import { findServer } from './find-server.ts'

const FAST_MAX_MS = 30_000
const IMMEDIATE_MAX_MS = 10_000
const POLL_MS = 20

/**
 * Stops the server: it disconnects its clients and writes everything to disk. A server that takes too long is stopped at
 * once, which is safe too: its next start recovers from the write-ahead log.
 */
export async function stopServer(folder: string): Promise<void> {
  if (await endedBy('SIGINT', folder, FAST_MAX_MS)) return
  if (await endedBy('SIGQUIT', folder, IMMEDIATE_MAX_MS)) return
  throw new Error(`PostgreSQL on ${folder} does not stop`)
}

async function endedBy(signal: 'SIGINT' | 'SIGQUIT', folder: string, maxMs: number): Promise<boolean> {
  const server = await findServer(folder)
  if (server === null) return true
  sendSignal(server.pid, signal)
  const giveUpAt = performance.now() + maxMs
  while (performance.now() < giveUpAt) {
    const now = await findServer(folder)
    if (now === null || now.pid !== server.pid) return true
    await wait(POLL_MS)
  }
  return false
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (cause) {
    // The server has ended by itself.
    if (errorCode(cause) !== 'ESRCH') throw cause
  }
}
