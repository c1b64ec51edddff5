import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'
import type { OwnerSession } from '../../store/db.ts'
import { copyHotRows, type RowRange, type RowSums, sumHotRows } from '../../store/event-files/hot-rows.ts'
import { addSums, NO_ROWS, type WrittenRows, writeEventFile } from '../../store/event-files/write-file.ts'
import { cutLines, oneAhead } from './lines-file.ts'

type RowFiles = {
  /** In the transaction that `openHotRows` began. */
  readonly owner: OwnerSession
  readonly duckdb: DuckDbProcess
  readonly range: RowRange
  /** The attributes that get columns. */
  readonly names: readonly string[]
  /** The folder for lines on their way to a file. */
  readonly scratch: string
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
  const { owner, duckdb, range, names, scratch, pathOf } = order
  const bytesMax = duckdb.memoryMib * MIB * EVENT_FILE_LIMITS.textMemoryShare
  const paths = ['rows-a.csv.part', 'rows-b.csv.part'].map((name) => join(scratch, name))
  const written: WrittenFile[] = []
  for await (const csv of oneAhead(cutLines(copyHotRows(owner, range), { paths, bytesMax }))) {
    const path = pathOf(written.length + 1)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const rows = await duckdb.alone(async () => writeEventFile(duckdb, { csv, file: `${path}.part` }, names))
    await publish(path)
    const { size: bytes } = await stat(path)
    written.push({ ...rows, path, bytes })
  }
  for (const path of paths) await rm(path, { force: true })
  compare(
    written.reduce((sums, file) => addSums(sums, file.sums), NO_ROWS),
    await sumHotRows(owner, range),
    range,
  )
  if (written.length > 0) await syncFolder(dirname(pathOf(1)))
  return written
}

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
