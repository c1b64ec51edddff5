import type { Frame } from '../../runtime/archive/frame.ts'
import { writeArchive } from '../../runtime/archive/write.ts'
import { errorCode } from '../../runtime/errors.ts'
import { type OwnerSession, withOwner } from '../db.ts'
import { useFiles } from '../event-files/file-use.ts'
import { schemaVersion } from '../migrate.ts'
import { loadPartitions, loadSequences, loadTables, type Table } from './catalogue.ts'
import type { BackupNote, Head, SmallFile } from './notes.ts'
import { type OnProgress, startMeter } from './progress.ts'

export type BackupOptions = {
  readonly file: string
  readonly files: readonly SmallFile[]
  readonly now: number
  readonly onProgress: OnProgress
  /** Shows the events of a table whose rows are dropped, part by part, in `pg_temp.cold_events`; absent if no rows are. */
  readonly showDropped?: ShowDropped
}

type ShowDropped = (session: OwnerSession, table: string) => AsyncIterable<void>

/** Writes all rows, as of one instant, to a file. Other sessions may read and write meanwhile. */
export async function saveBackup(url: string, options: BackupOptions): Promise<void> {
  await withOwner(url, async (session) => {
    if (options.showDropped !== undefined) await useFiles(session)
    const head = await openSnapshot(session, options)
    await writeArchive(options.file, frames(session, head, options))
    await session.query('commit')
  })
}

/**
 * A backup signs nobody in: after a restore every member signs in again. Event files are copies of rows that a backup has, so
 * it has neither the files nor their list; after a restore they are written anew.
 */
const NOT_KEPT = new Set([
  'public.event_file_changes',
  'public.event_file_weeks',
  'public.event_files',
  'public.member_links',
  'public.member_sessions',
  'public.member_used_codes',
  'public.member_verifications',
])

const ATTEMPTS_MAX = 5
const UNDEFINED_TABLE = '42P01'

/** Opens a snapshot of one instant, and locks its tables, so that none is dropped or emptied before it is read. */
async function openSnapshot(
  session: OwnerSession,
  { files, now, showDropped }: BackupOptions,
): Promise<Head> {
  // Only a table of the transaction's own is written, for events that come from files.
  const access = showDropped === undefined ? 'read only' : 'read write'
  for (let attempt = 1; ; attempt += 1) {
    await session.query(`begin isolation level repeatable read ${access}; set local row_security = off`)
    const tables = (await loadTables(session)).filter(({ name }) => !NOT_KEPT.has(name))
    try {
      await lockTables(session, tables)
    } catch (cause) {
      // An old partition was dropped between the two statements, so the tables are loaded again.
      if (errorCode(cause) !== UNDEFINED_TABLE || attempt === ATTEMPTS_MAX) throw cause
      await session.query('rollback')
      continue
    }
    const partitions = await loadPartitions(session)
    return {
      kind: 'head',
      schemaVersion: await schemaVersion(session),
      madeAt: now,
      tables,
      partitions,
      files,
    }
  }
}

async function lockTables(session: OwnerSession, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return
  await session.query(
    `lock table ${tables.map(({ name }) => `only ${name}`).join(', ')} in access share mode`,
  )
}

async function* frames(session: OwnerSession, head: Head, options: BackupOptions): AsyncGenerator<Frame> {
  yield note(head)
  for (const table of head.tables) {
    yield note({ kind: 'table', name: table.name })
    yield* tableFrames(session, table, options)
  }
  yield note({ kind: 'tail', sequences: await loadSequences(session) })
}

async function* tableFrames(
  session: OwnerSession,
  { name, columns }: Table,
  { onProgress, showDropped }: BackupOptions,
): AsyncGenerator<Frame> {
  const meter = startMeter(name, onProgress)
  let count = 0
  const copied = async function* (text: string): AsyncGenerator<Frame> {
    const rows = session.copyOut(text)
    for await (const chunk of rows) {
      const bytes = Buffer.from(chunk)
      meter.add(bytes.length)
      yield { kind: 'bytes', bytes }
    }
    count += rows.rowCount
  }
  yield* copied(`copy ${name} (${columns.join(', ')}) to stdout`)
  for await (const _ of showDropped?.(session, name) ?? [])
    yield* copied(`copy (select ${columns.join(', ')} from pg_temp.cold_events) to stdout`)
  meter.end(count)
  yield note({ kind: 'rows', count })
}

function note(value: BackupNote): Frame {
  return { kind: 'note', value }
}
