import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type EventWeek, receivedAt, WEEK_MS, weekOf } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'
import { type OwnerSession, withOwner } from '../../store/db.ts'
import {
  copyHotRows,
  copyPeople,
  loadFileAttributes,
  loadReceiptSpan,
  openHotRows,
  type RowSums,
  sumHotRows,
} from '../../store/event-files/hot-rows.ts'
import { addSums, NO_ROWS, writeEventFile, writePeopleFile } from '../../store/event-files/write-file.ts'

export type EventExport = {
  readonly databaseUrl: string
  readonly brandId: number
  /** An empty folder. */
  readonly folder: string
  readonly duckdb: DuckDbProcess
  readonly onWeek: (week: ExportedWeek) => void
}

export type ExportedWeek = { readonly day: string; readonly events: number; readonly files: number }

/**
 * Writes all events of a brand, as of one instant, as Parquet files: a folder for each week of receipt, and `people.parquet`.
 * Each week is compared with PostgreSQL, by counts and sums, before the next begins.
 */
export async function exportEventFiles(order: EventExport): Promise<void> {
  await withOwner(order.databaseUrl, async (owner) => {
    await openHotRows(owner)
    const names = await loadFileAttributes(owner, order.brandId)
    for (const week of await weeksOf(owner, order.brandId)) await exportWeek(order, owner, { week, names })
    await exportPeople(order, owner)
    await owner.query('commit')
    await syncFolder(order.folder)
  })
}

/** All weeks from the first event to the last; those without events are passed over when they are read. */
async function weeksOf(owner: OwnerSession, brandId: number): Promise<readonly EventWeek[]> {
  const span = await loadReceiptSpan(owner, brandId)
  if (span === null) return []
  const weeks: EventWeek[] = []
  for (
    let week = weekOf(receivedAt(span.firstId));
    week.firstId <= span.lastId;
    week = weekOf(week.startsAt + WEEK_MS)
  ) {
    weeks.push(week)
  }
  return weeks
}

type WeekOrder = { readonly week: EventWeek; readonly names: readonly string[] }

async function exportWeek(
  { brandId, folder, duckdb, onWeek }: EventExport,
  owner: OwnerSession,
  { week, names }: WeekOrder,
): Promise<void> {
  const day = new Date(week.startsAt).toISOString().slice(0, 10)
  const place = join(folder, `week=${day}`)
  let sums = NO_ROWS
  let files = 0
  const bytesMax = duckdb.memoryMib * MIB * EVENT_FILE_LIMITS.textMemoryShare
  const paths = ['rows-a.csv.part', 'rows-b.csv.part'].map((name) => join(folder, name))
  const texts = cutLines(copyHotRows(owner, { brandId, week }), { paths, bytesMax })
  for await (const csv of oneAhead(texts)) {
    if (files === 0) await mkdir(place)
    files += 1
    const file = join(place, `events-${String(files).padStart(4, '0')}.parquet`)
    sums = addSums(sums, await writeEventFile(duckdb, { csv, file: `${file}.part` }, names))
    await publish(file)
  }
  for (const path of paths) await rm(path, { force: true })
  compare(sums, await sumHotRows(owner, { brandId, week }), day)
  if (files === 0) return
  await syncFolder(place)
  onWeek({ day, events: Number(sums.count), files })
}

async function exportPeople({ brandId, folder, duckdb }: EventExport, owner: OwnerSession): Promise<void> {
  const [csv, file] = [join(folder, 'people.csv.part'), join(folder, 'people.parquet')]
  await writeAll(copyPeople(owner, brandId), csv)
  await writePeopleFile(duckdb, { csv, file: `${file}.part` })
  await publish(file)
  await rm(csv)
}

function compare(written: RowSums, stored: RowSums, day: string): void {
  const [found, wanted] = [JSON.stringify(written), JSON.stringify(stored)]
  if (found !== wanted)
    throw new Error(`the files of the week ${day} have ${found}, and PostgreSQL has ${wanted}`)
}

/** Gives a file its name once it is on the disk, so a file without `.part` is complete. */
async function publish(file: string): Promise<void> {
  const handle = await open(`${file}.part`, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

type Cut = { readonly paths: readonly string[]; readonly bytesMax: number }

/** Writes lines to files of bounded size, and yields the path of each. The files take turns, so one can be read meanwhile. */
async function* cutLines(chunks: AsyncIterable<Buffer>, { paths, bytesMax }: Cut): AsyncGenerator<string> {
  let count = 0
  const nextPath = (): string => paths[count++ % paths.length] ?? ''
  let path = nextPath()
  let part = new LinesFile(path)
  for await (const chunk of chunks) {
    const cut = part.bytes + chunk.length < bytesMax ? -1 : chunk.lastIndexOf(LINE_FEED)
    await part.write(cut === -1 ? chunk : chunk.subarray(0, cut + 1))
    if (cut === -1) continue
    await part.end()
    yield path
    path = nextPath()
    part = new LinesFile(path)
    await part.write(chunk.subarray(cut + 1))
  }
  await part.end()
  if (part.bytes > 0) yield path
}

/** Yields the same values, and lets each next one be made while the reader works with the one before. */
async function* oneAhead<Value>(values: AsyncGenerator<Value>): AsyncGenerator<Value> {
  let coming = values.next()
  for (;;) {
    const { done, value } = await coming
    if (done === true) return
    coming = values.next()
    // A failure of the next one is thrown when its turn comes. If the reader fails first, that failure is the one to report.
    coming.catch(() => undefined)
    yield value
  }
}

async function writeAll(chunks: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = new LinesFile(path)
  for await (const chunk of chunks) await file.write(chunk)
  await file.end()
}

const LINE_FEED = 0x0a
const MIB = 1024 * 1024

/** A file that is written from its beginning, in pieces of some size: each costs a trip to the disk and back. */
class LinesFile {
  readonly #stream
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  bytes = 0

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: 0o600 })
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.bytes += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= PIECE_BYTES) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    this.#stream.end()
    await finished(this.#stream)
  }

  async #flush(): Promise<void> {
    const piece = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    const written = Promise.withResolvers<void>()
    this.#stream.write(piece, (cause) => (cause ? written.reject(cause) : written.resolve()))
    await written.promise
  }
}

const PIECE_BYTES = MIB
