import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { SPILLED } from '../../runtime/duckdb/spilled.ts'
import { errorCode } from '../../runtime/errors.ts'

type ScratchOptions = {
  readonly folder: string
  /** The most bytes that one question copies, and all questions of this process together. */
  readonly bytesMax?: number
  readonly allBytesMax?: number
}

/** A question would copy more rows than it may. */
export class TooManyRows extends Error {}

/** The questions of this process would copy more rows together than they may. Each may fit when others are over. */
export class ScratchFull extends Error {}

/** Copies rows into a file of the question's folder; null if there were none. */
export type CopyRows = (rows: Readable, name: string) => Promise<string | null>

/**
 * The folder in which questions put rows for DuckDB, as CSV. Each question has a folder of its own while it lasts, whose name begins
 * with the number of its process. It is in the data folder, which is known also when event files are switched off.
 */
export class QuestionScratch {
  readonly folder: string
  readonly #bytesMax: number
  readonly #allBytesMax: number
  #allBytes = 0

  constructor({ folder, bytesMax, allBytesMax }: ScratchOptions) {
    this.folder = folder
    this.#bytesMax = bytesMax ?? EVENT_FILE_LIMITS.copiedBytesMax
    this.#allBytesMax = allBytesMax ?? EVENT_FILE_LIMITS.allCopiedBytesMax
  }

  /** Lends a folder to a question, and removes it afterwards. A copy beyond the bounds throws `TooManyRows` or `ScratchFull`. */
  async lend<Value>(work: (copy: CopyRows) => Promise<Value>): Promise<Value> {
    const folder = join(this.folder, `${process.pid}-${randomBytes(6).toString('hex')}`)
    let bytes = 0
    const count = (more: number): void => {
      bytes += more
      this.#allBytes += more
      if (bytes > this.#bytesMax) throw new TooManyRows(`a question may copy ${this.#bytesMax} bytes of rows`)
      if (this.#allBytes > this.#allBytesMax)
        throw new ScratchFull(`all questions together may copy ${this.#allBytesMax} bytes of rows`)
    }
    try {
      return await work(async (rows, name) => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        return copyTo(rows, join(folder, name), count)
      })
    } finally {
      this.#allBytes -= bytes
      await rm(folder, { recursive: true, force: true })
    }
  }

  /**
   * Removes the rows of processes that have ended, at the start of a process, before its first question. A number may belong
   * to another process by now, so rows that are older than any question go too.
   */
  async clean(): Promise<void> {
    for (const name of await namesIn(this.folder)) {
      const path = join(this.folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
      const pid = Number.parseInt(name, 10)
      // DuckDB uses its folder for as long as it runs.
      const isRecent = name.endsWith(SPILLED) || Date.now() - mtimeMs < LENT_MAX_MS
      const isInUse = pid !== process.pid && isRunning(pid) && isRecent
      if (!isInUse) await rm(path, { recursive: true, force: true })
    }
  }
}

const LENT_MAX_MS = 600_000

async function copyTo(rows: Readable, path: string, count: (bytes: number) => void): Promise<string | null> {
  const file = createWriteStream(path, { mode: 0o600 })
  await pipeline(
    rows,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        count(chunk.length)
        yield chunk
      }
    },
    file,
  )
  return file.bytesWritten === 0 ? null : path
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    // The first question makes the folder.
    if (errorCode(cause) === 'ENOENT') return []
    throw cause
  }
}

/** Signal 0 is never sent; the kernel only looks whether it could be. A process of somebody else cannot be signalled, and runs. */
function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0)
  } catch (cause) {
    return errorCode(cause) === 'EPERM'
  }
}
