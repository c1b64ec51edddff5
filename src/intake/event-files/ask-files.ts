import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EVENT_FILE_LIMITS, EVENT_FILE_NAMES } from '../../rules/event-files.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import { errorCode } from '../../runtime/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { QuestionSession } from '../../store/connection/question.ts'
import type { Database } from '../../store/db.ts'
import type { ColdRows } from '../../store/event-files/cold-rows.ts'
import { type FrozenView, loadFrozenView } from '../../store/event-files/frozen-view.ts'

/** The files of frozen weeks, for questions: their folder, and a DuckDB that can only read it. */
export type EventFiles = {
  readonly folder: string
  readonly duckdb: DuckDbProcess
  readonly log: Log
}

export type FileAsking = {
  readonly brandId: number
  /** The time of all events that the question reads. */
  readonly fromAt: number
  readonly toAt: number
  readonly signal: AbortSignal
  /** Copies the rows that are not in files (`copyHotSql`). */
  readonly hot: (view: FrozenView) => string
  /** Copies the people that the question is about (`copyPeopleSql`); null if it is about everybody. */
  readonly people: string | null
  /** The statement of DuckDB; null if only rows can answer. */
  readonly cold: (cold: ColdRows) => string | null
}

type AskDeps = { readonly database: Database; readonly eventFiles: EventFiles | null }

type Answer = readonly (readonly DuckDbCell[])[]

/**
 * Answers a question from files and rows together; null if there are no files of the time, or only rows can answer. Rows of all
 * events are there, so a file or a DuckDB in trouble is no failure of the question: it is asked of the rows.
 */
export async function askFiles(
  { database, eventFiles }: AskDeps,
  asking: FileAsking,
): Promise<Answer | null> {
  if (eventFiles === null) return null
  const name = `${EVENT_FILE_NAMES.asked}${randomBytes(6).toString('hex')}`
  const scratch = join(eventFiles.folder, name)
  try {
    const copied = await copyRows(database, asking, scratch)
    const sql = copied === null ? null : asking.cold({ ...copied, folder: eventFiles.folder })
    return sql === null ? null : await runFiles(eventFiles, sql, asking)
  } catch (error) {
    // The rows answer, or fail with the reason that the caller should get. If a part of them took too long, all of them would.
    asking.signal.throwIfAborted()
    if (errorCode(error) === STATEMENT_TIMEOUT) throw error
    eventFiles.log.warn('event files could not be asked; rows are read instead', { error })
    return null
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const STATEMENT_TIMEOUT = '57014'

/** Files and rows are of one instant: a change after it is in neither. A filter of people is asked as the engine. */
async function copyRows(
  database: Database,
  { brandId, fromAt, toAt, signal, hot, people, cold }: FileAsking,
  scratch: string,
): Promise<Omit<ColdRows, 'folder'> | null> {
  const asked = { brandId: people === null ? brandId : null, signal, isOfOneInstant: true }
  return database.asQuestion(asked, async (tx) => {
    const view = await loadFrozenView(tx, { brandId, fromAt, toAt })
    const draft = { view, csv: null, people: people === null ? null : { csv: null } }
    if (view.paths.length === 0 || cold({ ...draft, folder: '' }) === null) return null
    await mkdir(scratch, { mode: 0o700 })
    const csv = await copyTo(tx, hot(view), join(scratch, 'rows.csv'))
    if (people === null) return { ...draft, csv }
    return { ...draft, csv, people: { csv: await copyTo(tx, people, join(scratch, 'people.csv')) } }
  })
}

/** The path of the copy; null if there was nothing to copy. */
async function copyTo(tx: QuestionSession, text: string, path: string): Promise<string | null> {
  const file = createWriteStream(path, { mode: 0o600 })
  await pipeline(tx.copyOut(text), file)
  return file.bytesWritten === 0 ? null : path
}

/** Brands take turns with DuckDB, so that a brand with many questions keeps no other waiting. */
async function runFiles(
  { duckdb }: EventFiles,
  sql: string,
  { brandId, signal }: FileAsking,
): Promise<Answer> {
  const { questionMsMax: timeoutMs, answerRowsMax: rowsMax } = EVENT_FILE_LIMITS
  return duckdb.run({ sql }, { timeoutMs, rowsMax, signal, key: String(brandId) })
}
