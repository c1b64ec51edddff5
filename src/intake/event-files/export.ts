import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventWeek, receivedAt, WEEK_MS, weekDay, weekOf } from '../../domain/events/week.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'
import { type OwnerSession, withOwner } from '../../store/db.ts'
import { useFiles } from '../../store/event-files/file-use.ts'
import {
  copyPeople,
  loadFileAttributes,
  loadReceiptSpan,
  openHotRows,
} from '../../store/event-files/hot-rows.ts'
import { writePeopleFile } from '../../store/event-files/write-file.ts'
import { showDropped } from './drop-rows.ts'
import { writeLines } from './lines-file.ts'
import { publish, writeRowFiles } from './row-files.ts'
import type { ThawPlace } from './thaw-pages.ts'

export type EventExport = {
  readonly databaseUrl: string
  readonly brandId: number
  /** An empty folder. */
  readonly folder: string
  readonly duckdb: DuckDbProcess
  /** The files of events whose rows are dropped; null if no rows are. */
  readonly dropped: ThawPlace | null
  readonly onWeek: (week: ExportedWeek) => void
}

export type ExportedWeek = { readonly day: string; readonly events: number; readonly files: number }

/**
 * Writes all events of a brand, as of one instant, as Parquet files: a folder for each week of receipt, and `people.parquet`.
 * Each week is compared with PostgreSQL, by counts and sums, before the next begins.
 */
export async function exportEventFiles(order: EventExport): Promise<void> {
  await withOwner(order.databaseUrl, async (owner) => {
    if (order.dropped !== null) await useFiles(owner)
    await openHotRows(owner, order.dropped === null ? 'read' : 'scratch')
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
  { brandId, folder, duckdb, dropped, onWeek }: EventExport,
  owner: OwnerSession,
  { week, names }: WeekOrder,
): Promise<void> {
  const day = weekDay(week)
  const pathOf = (file: number): string =>
    join(folder, `week=${day}`, `events-${String(file).padStart(4, '0')}.parquet`)
  const { firstId, endId } = week
  const range = { brandId, firstId, endId }
  if (dropped !== null) await showDropped(dropped, owner, range)
  const order = { owner, duckdb, range, names, scratch: folder, pace: null, isPart: false, pathOf }
  const { files } = await writeRowFiles(order)
  if (files.length === 0) return
  const events = files.reduce((sum, file) => sum + Number(file.sums.count), 0)
  onWeek({ day, events, files: files.length })
}

async function exportPeople({ brandId, folder, duckdb }: EventExport, owner: OwnerSession): Promise<void> {
  const [csv, file] = [join(folder, 'people.csv.part'), join(folder, 'people.parquet')]
  await writeLines(copyPeople(owner, brandId), csv)
  await writePeopleFile(duckdb, { csv, file: `${file}.part` })
  await publish(file)
  await rm(csv)
}
