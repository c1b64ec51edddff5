import { copyFile, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

const LOG_BYTES_MAX = 10 * 1024 * 1024
const CHECK_MS = 60_000

export function logFile(dataDir: string): string {
  return join(dataDir, 'postgres.log')
}

/** The lines written since `offset`, for the error of a failed start. */
export async function readLog(dataDir: string, offset: number): Promise<string> {
  const log = await open(logFile(dataDir), 'r')
  try {
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(TAIL_BYTES_MAX), position: offset })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await log.close()
  }
}

const TAIL_BYTES_MAX = 64 * 1024

/** Keeps the log file bounded until the returned function is called. */
export function boundLog(dataDir: string): () => void {
  const timer = setInterval(() => {
    // A log that cannot be trimmed is tried again in a minute.
    trimLog(dataDir).catch(() => undefined)
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** The server keeps the file open, so the file is emptied in place and never renamed. */
async function trimLog(dataDir: string): Promise<void> {
  const { size } = await stat(logFile(dataDir))
  if (size <= LOG_BYTES_MAX) return
  await copyFile(logFile(dataDir), `${logFile(dataDir)}.1`)
  await truncate(logFile(dataDir))
}
