import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../errors.ts'
import { findServer } from './find-server.ts'

const FAST_MAX_MS = 30_000
const IMMEDIATE_MAX_MS = 10_000
const POLL_MS = 20

/**
 * Ends the server: it cuts off its clients, writes everything down and goes. One that does not manage in time is
 * ended at once, which is safe too: its next start recovers from the log of changes.
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
    // It ended by itself in between.
    if (errorCode(cause) !== 'ESRCH') throw cause
  }
}
