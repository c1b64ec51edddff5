import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { DuckDbError, isLate } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'
import type { OwnerSession } from '../../store/db.ts'
import {
  type CopiedRange,
  copyHotRows,
  findPartEnd,
  type RowRange,
  type RowSums,
  sumHotRows,
} from '../../store/event-files/hot-rows.ts'
import { addSums, NO_ROWS, type WrittenRows, writeEventFile } from '../../store/event-files/write-file.ts'
import type { FreezePace } from './freeze-pace.ts'
import { cutLines, oneAhead } from './lines-file.ts'

type RowFiles = {
  /** In the transaction that `openHotRows` began. */
  readonly owner: OwnerSession
  readonly duckdb: DuckDbProcess
  readonly range: CopiedRange
  /** The attributes that get columns. */
  readonly names: readonly string[]
  /** The folder for lines on their way to a file. */
  readonly scratch: string
  /** Slows the work down beside intake; null for work that somebody waits for. */
  readonly pace: FreezePace | null
  /** Whether the files may end before the range does (`FreezePace.isPartOver`). */
  readonly isPart: boolean
  /** Runs when all rows are copied, while the last file is being written. */
  readonly onCopied?: () => Promise<unknown>
  /** The path of each file, counted from 1. All are in one folder. */
  readonly pathOf: (file: number) => string
}

/** The files of all rows of the range below `endId`. */
type RowFilesWritten = { readonly files: readonly WrittenFile[]; readonly endId: bigint }

/** A file of events that is complete and on the disk. */
export type WrittenFile = WrittenRows & { readonly path: string; readonly bytes: number }

/**
 * Writes the rows of a range of ids to files of bounded size, in the order of receipt, and compares them with PostgreSQL by
 * counts and sums. Throws if they differ.
 */
export async function writeRowFiles(order: RowFiles): Promise<RowFilesWritten> {
  const { duckdb, range, names, scratch, pace, pathOf } = order
  const { textMemoryShare, textBytesMax } = EVENT_FILE_LIMITS
  const bytesMax = Math.min(duckdb.plan.memoryMib * MIB * textMemoryShare, textBytesMax)
  const rows = new CopiedRows(order, bytesMax)
  const paths = ['rows-a.csv.part', 'rows-b.csv.part'].map((name) => join(scratch, name))
  const written: WrittenFile[] = []
  for await (const csv of oneAhead(cutLines(rows.copy(), { paths, bytesMax }))) {
    const path = pathOf(written.length + 1)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const write = async (): Promise<WrittenRows> => {
      const content = await writeTwice(async () =>
        writeEventFile(duckdb, { csv, file: `${path}.part` }, names),
      )
      await publish(path)
      return content
    }
    // The rest is within the turn, so that the other range does not write meanwhile.
    const content = await duckdb.alone(async () => pace?.write(write) ?? write())
    const { size: bytes } = await stat(path)
    written.push({ ...content, path, bytes })
  }
  for (const path of paths) await rm(path, { force: true })
  const found = written.reduce((sums, file) => addSums(sums, file.sums), NO_ROWS)
  compare(found, rows.sums, { ...range, endId: rows.endId })
  if (written.length > 0) await syncFolder(dirname(pathOf(1)))
  return { files: written, endId: rows.endId }
}

/**
 * This catches the error because a process keeps some memory of each file that it has written, and with large events it may grow beyond its
 * bound and end. The process that comes after it has all of the memory for this file.
 */
async function writeTwice<Value>(write: () => Promise<Value>): Promise<Value> {
  return write().catch(async (cause: unknown) => {
    if (!(cause instanceof DuckDbError) || isLate(cause)) throw cause
    return write()
  })
}

/**
 * The rows of a range, a piece at a time, and their sums by PostgreSQL. PostgreSQL ends its work on a piece before the rest that follows
 * it; with one statement for the whole range it would go on during the rest, and fill the buffers of the connection.
 */
class CopiedRows {
  readonly #order: RowFiles
  readonly #bytesMax: number
  #sums = NO_ROWS
  #bytes = 0
  #endId: bigint

  constructor(order: RowFiles, bytesMax: number) {
    this.#order = order
    this.#bytesMax = bytesMax
    this.#endId = order.range.firstId
  }

  /** The sums of the rows that were copied. */
  get sums(): RowSums {
    return this.#sums
  }

  /** The id below which all rows of the range were copied. */
  get endId(): bigint {
    return this.#endId
  }

  async *copy(): AsyncGenerator<Buffer> {
    const { range, pace, onCopied } = this.#order
    while (this.#endId < range.endId && !(await this.#isPartOver())) {
      const count = Number(this.#sums.count)
      const rows = this.#copyPiece((await pace?.pieceOf(PIECE_EVENTS)) ?? PIECE_EVENTS.quiet)
      yield* pace?.each(rows, () => Number(this.#sums.count) - count) ?? rows
    }
    await onCopied?.()
  }

  async *#copyPiece(events: number): AsyncGenerator<Buffer> {
    const { owner, range } = this.#order
    const firstId = this.#endId
    const endId = await findPartEnd(owner, { ...range, firstId }, events)
    for await (const chunk of copyHotRows(owner, { ...range, firstId, endId })) {
      this.#bytes += chunk.length
      yield chunk
    }
    this.#sums = addSums(this.#sums, await sumHotRows(owner, { ...range, firstId, endId }))
    this.#endId = endId
  }

  /** A part has one event at least: the next part begins where the listed files end, so an empty part would be repeated for ever. */
  async #isPartOver(): Promise<boolean> {
    const { isPart, pace } = this.#order
    if (!isPart || pace === null || this.#bytes === 0) return false
    return pace.isPartOver({ isFileFull: this.#bytes >= this.#bytesMax * FULL_SHARE })
  }
}

/** The events of a piece: some milliseconds of PostgreSQL's work, so that a call with events waits for no longer. */
const PIECE_EVENTS = { busy: 500, quiet: 5_000 }
/** A file counts as full from this part of its bytes on, because one more piece could begin another file. */
const FULL_SHARE = 0.95

function compare(written: RowSums, stored: RowSums, { firstId, endId }: RowRange): void {
  const [found, wanted] = [JSON.stringify(written), JSON.stringify(stored)]
  if (found === wanted) return
  throw new Error(
    `the files of the events ${firstId} to ${endId} have ${found}, and PostgreSQL has ${wanted}`,
  )
}

/** Gives a file its name once it is on the disk, so a file without `.part` is complete. */
export async function publish(file: string): Promise<void> {
  const handle = await open(`${file}.part`, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

const MIB = 1024 * 1024
