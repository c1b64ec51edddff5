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
  /** The path of each file, counted from 1. All are in one folder. */
  readonly pathOf: (file: number) => string
}

/** A file of events that is complete and on the disk. */
export type WrittenFile = WrittenRows & { readonly path: string; readonly bytes: number }

/**
 * Writes the rows of a range of ids to files of bounded size, in the order of receipt, and compares them with PostgreSQL by
 * counts and sums. Throws if they differ.
 */
export async function writeRowFiles(order: RowFiles): Promise<readonly WrittenFile[]> {
  const { duckdb, range, names, scratch, pace, pathOf } = order
  const bytesMax = duckdb.plan.memoryMib * MIB * EVENT_FILE_LIMITS.textMemoryShare
  const paths = ['rows-a.csv.part', 'rows-b.csv.part'].map((name) => join(scratch, name))
  const written: WrittenFile[] = []
  for await (const csv of oneAhead(cutLines(copyInParts(order), { paths, bytesMax }))) {
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
  compare(found, await sumInParts(order), range)
  if (written.length > 0) await syncFolder(dirname(pathOf(1)))
  return written
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
 * The rows of a range, a part at a time. PostgreSQL ends its work on a part before the rest that follows it; with one statement
 * for the whole range it would go on during the rest, and fill the buffers of the connection.
 */
async function* copyInParts({ owner, range, pace }: RowFiles): AsyncGenerator<Buffer> {
  let { firstId } = range
  while (firstId < range.endId) {
    const rows = copyPart((await pace?.pieceOf(COPIED_EVENTS)) ?? COPIED_EVENTS.quiet)
    yield* pace?.each(rows) ?? rows
  }

  async function* copyPart(events: number): AsyncGenerator<Buffer> {
    const endId = await findPartEnd(owner, { ...range, firstId }, events)
    yield* copyHotRows(owner, { ...range, firstId, endId })
    firstId = endId
  }
}

/** Some milliseconds of PostgreSQL: a call with events that comes meanwhile is not held up for longer. */
const COPIED_EVENTS = { busy: 500, quiet: 5_000 }

/** The sums of the rows of a range, a part at a time. */
async function sumInParts({ owner, range, pace }: RowFiles): Promise<RowSums> {
  let { firstId } = range
  let sums = NO_ROWS
  while (firstId < range.endId) {
    const events = (await pace?.pieceOf(SUMMED_EVENTS)) ?? SUMMED_EVENTS.quiet
    sums = addSums(sums, await (pace?.run(async () => sumPart(events)) ?? sumPart(events)))
  }
  return sums

  async function sumPart(events: number): Promise<RowSums> {
    const endId = await findPartEnd(owner, { ...range, firstId }, events)
    const part = await sumHotRows(owner, { ...range, firstId, endId })
    firstId = endId
    return part
  }
}

/** As long as a copied part. */
const SUMMED_EVENTS = { busy: 2_000, quiet: 10_000 }

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
