import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'

/** The content of `postmaster.pid`. Early in a start the port and the status are missing. */
type PidFile = { readonly pid: number; readonly port: number | null; readonly status: string | null }

/** The line numbers of `postmaster.pid`, counted from 0. */
const LINES = { pid: 0, port: 3, status: 7 } as const

export async function loadPidFile(folder: string): Promise<PidFile | null> {
  const text = await loadText(folder)
  return text === null ? null : parsePidFile(text)
}

/** Null when the text names no process, as in an empty file after a power cut. */
export function parsePidFile(text: string): PidFile | null {
  const lines = text.split('\n').map((line) => line.trim())
  const pid = wholeNumber(lines[LINES.pid])
  if (pid === null) return null
  return { pid, port: wholeNumber(lines[LINES.port]), status: lines[LINES.status] || null }
}

/** A file without a number is being written, or a power cut left it; after this time it was a power cut. */
const UNWRITTEN_MAX_MS = 5_000

/**
 * Rewrites the file of a dead server whose process number another process has by now: PostgreSQL would refuse to start.
 * PostgreSQL ignores the number of its parent process, so the file gets our own number. The other lines stay, because PostgreSQL
 * uses them to check that no orphan of the dead server uses the shared memory. A number that no process has is left to
 * PostgreSQL. The caller has made sure that no server runs.
 */
export async function rewriteStalePidFile(folder: string): Promise<void> {
  const text = await loadText(folder)
  if (text === null) return
  const [first = '', ...rest] = text.split('\n')
  const pid = wholeNumber(first.trim())
  if (pid === null) return removeUnwritten(folder)
  if (isTaken(pid)) await writeFile(pidFile(folder), [String(process.pid), ...rest].join('\n'))
}

async function removeUnwritten(folder: string): Promise<void> {
  const { mtimeMs } = await stat(pidFile(folder))
  if (Date.now() - mtimeMs > UNWRITTEN_MAX_MS) await rm(pidFile(folder))
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // A process of another user has the number.
    return errorCode(cause) === 'EPERM'
  }
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null
}

async function loadText(folder: string): Promise<string | null> {
  try {
    return await readFile(pidFile(folder), 'utf8')
  } catch (cause) {
    // A server that does not run has no file.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

function pidFile(folder: string): string {
  return join(folder, 'postmaster.pid')
}
