import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'

/** What a server says about itself in `postmaster.pid`. Early in a start the port and the status are not there yet. */
type PidFile = { readonly pid: number; readonly port: number | null; readonly status: string | null }

/** The lines of `postmaster.pid` that we read, counted from 0, as PostgreSQL writes them. */
const LINES = { pid: 0, port: 3, status: 7 } as const

export async function loadPidFile(folder: string): Promise<PidFile | null> {
  const text = await loadText(folder)
  return text === null ? null : parsePidFile(text)
}

/** Null when the text names no process: an empty file, left by a power cut. */
export function parsePidFile(text: string): PidFile | null {
  const lines = text.split('\n').map((line) => line.trim())
  const pid = wholeNumber(lines[LINES.pid])
  if (pid === null) return null
  return { pid, port: wholeNumber(lines[LINES.port]), status: lines[LINES.status] || null }
}

/** A file with no number in it is being written, or was left by a power cut; after this long it is the latter. */
const UNWRITTEN_MAX_MS = 5_000

/**
 * Makes a file left by a dead server acceptable to the next one, though its number belongs to another process by now.
 * PostgreSQL ignores the number of its own parent, which we are about to be; the other lines stay, because through
 * them it makes sure that no orphan of the dead server still uses the shared memory. A number that nobody has is
 * left to PostgreSQL, which knows what to do. The caller has made sure that no server runs.
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
    // Another user's process takes the number as well; no process at all does not.
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
    // No file is the ordinary state of a server that is not running.
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

function pidFile(folder: string): string {
  return join(folder, 'postmaster.pid')
}
