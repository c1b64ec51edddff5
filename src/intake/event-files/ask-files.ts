import { dirname } from 'node:path'
import type { WeeksRead } from '../../domain/events/week-parts.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { isPassing, isTooLarge } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import { threadMib } from '../../runtime/duckdb/memory.ts'
import { errorCode } from '../../runtime/errors.ts'
import { QueueFull } from '../../runtime/limits/limiter.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../../store/db.ts'
import type { ColdRows } from '../../store/event-files/cold-rows.ts'
import type { FileRows, FileStep, FileSteps } from '../../store/event-files/file-steps.ts'
import { type FrozenView, loadFrozenView } from '../../store/event-files/frozen-view.ts'
import { type CopyPeople, planPeopleSearch } from '../../store/event-files/people-csv.ts'
import { type EventNeed, needing } from '../../store/event-needs.ts'
import { STATEMENT_TIMEOUT_MS } from '../../store/session-settings.ts'
import { type Limited, QuestionTooLong } from '../events/within-limit.ts'
import { CacheFull, CacheTooSmall, type FileCache } from './file-cache.ts'
import { type CopyRows, type QuestionScratch, ScratchFull, TooManyRows } from './question-scratch.ts'
import { DroppedAway } from './thaw-pages.ts'
import { TooManyDropped } from './too-many-dropped.ts'

/** The files of frozen weeks, for questions: their folder, a place for rows beside them, and a DuckDB that can only read both. */
export type EventFiles = {
  readonly folder: string
  readonly scratch: QuestionScratch
  /** Brings files of an object store to the folder; null if they are there already. */
  readonly cache: FileCache | null
  readonly duckdb: DuckDbProcess
  readonly log: Log
}

/** How the caller of a question follows it. */
export type QuestionWatch = Limited & {
  /** Takes how many weeks were read, or null if that is not known; null if nobody wants to know. */
  readonly tell: ((weeks: WeeksRead | null) => void) | null
}

export type FileAsking = QuestionWatch & {
  readonly brandId: number
  /** The time of all events that the question reads. */
  readonly fromAt: number
  readonly toAt: number
  /** Copies the rows that are not in files (`copyHotSql`). */
  readonly hot: (view: FrozenView) => string
  /** Copies the people that the question is about (`copyPeopleSql`); null if it is about everybody. */
  readonly people: CopyPeople | null
  /** The events that the copies above read of people, to tell who they are. */
  readonly needs: readonly EventNeed[]
  /** The statements of DuckDB; null if only rows can answer. */
  readonly cold: (cold: ColdRows) => FileSteps | null
}

/** The two places of events that a question may be asked of; null for files where there are none. */
export type AskDeps = { readonly database: Database; readonly eventFiles: EventFiles | null }

/**
 * Answers a question from files and rows together; null if there are no files of the time, or only rows can answer. Where rows of all
 * events are there, a file or a DuckDB in trouble is no failure of the question: it is asked of the rows.
 */
export async function askFiles(
  { database, eventFiles }: AskDeps,
  asking: FileAsking,
): Promise<FileRows | null> {
  if (eventFiles === null) return null
  const { folder, scratch, cache, duckdb, log } = eventFiles
  const begunAt = performance.now()
  let hasAlone = false
  const onView = (view: FrozenView): void => {
    hasAlone = view.hasAlone
  }
  try {
    return await scratch.lend(async (copy) => {
      const copied = await copyRows(database, asking, { copy, onView })
      if (copied === null) return null
      const steps = asking.cold({ ...copied, folder, threadMib: threadMib(duckdb.plan) })
      if (steps === null) return null
      await cache?.hold(copied.view.files, asking.signal)
      const { files } = copied.view
      return runSteps(eventFiles, { steps, files, timeMs: timeOf(copied.view, begunAt) }, asking)
    })
  } catch (error) {
    // The rows answer, or fail with the reason that the caller should get. If a part of them took too long, or needed too many events
    // without rows, all of them would.
    asking.signal.throwIfAborted()
    asking.tell?.(null)
    if (errorCode(error) === STATEMENT_TIMEOUT || error instanceof TooManyDropped) throw error
    if (hasAlone) refuseAlone(error, log)
    if (cache?.isOutage(error) === true) return null
    if (isTooMuch(error) || isBusy(error))
      log.debug('a question is too large for event files; rows are read instead', { error })
    else log.warn('event files could not be asked; rows are read instead', { error })
    return null
  }
}

const STATEMENT_TIMEOUT = '57014'

/**
 * Refuses a question of which some events have no rows: they would have to be brought from the same files, by the same DuckDB. What is too
 * large for that is so again; all else may be over soon, however few the events are. Nothing is thrown if only the statement is in trouble,
 * such as one with a value that DuckDB cannot compare: the statements that bring events are others.
 */
function refuseAlone(error: unknown, log: Log): void {
  if (isTooLarge(error) || isTooMuch(error)) {
    log.warn('a question is too large for event files whose events have no rows', { error })
    throw new QuestionTooLong('a question is too large for event files', { cause: error })
  }
  if (isPassing(error) || isBusy(error))
    throw new DroppedAway('event files whose events have no rows could not be asked', { cause: error })
}

/** Whether a question needs more than it may ever have. */
function isTooMuch(error: unknown): boolean {
  return error instanceof TooManyRows || error instanceof CacheTooSmall
}

/** Whether other questions have what a question needs, or its files are still coming. */
function isBusy(error: unknown): boolean {
  return [QueueFull, ScratchFull, CacheFull].some((kind) => error instanceof kind)
}

/** The time of all statements of DuckDB. The rest of the question's time is for rows, if files fail. If some events have no rows, DuckDB has all of it. */
function timeOf({ hasAlone }: FrozenView, begunAt: number): number {
  if (!hasAlone) return EVENT_FILE_LIMITS.questionMsMax
  return Math.max(1, Math.ceil(STATEMENT_TIMEOUT_MS - (performance.now() - begunAt)))
}

type Copying = { readonly copy: CopyRows; readonly onView: (view: FrozenView) => void }

/** Files and rows are of one instant: a change after it is in neither. A filter of people is asked as the engine. */
async function copyRows(
  database: Database,
  { brandId, fromAt, toAt, signal, hot, people, needs, cold }: FileAsking,
  { copy, onView }: Copying,
): Promise<Omit<ColdRows, 'folder' | 'threadMib'> | null> {
  const asked = { brandId: people === null ? brandId : null, signal, isOfOneInstant: true }
  return database.asQuestion(asked, async (tx) => {
    const view = await loadFrozenView(tx, { brandId, fromAt, toAt })
    onView(view)
    const draft = { view, csv: null, people: people === null ? null : { csv: null } }
    if (view.files.length === 0 || cold({ ...draft, folder: '', threadMib: 0 }) === null) return null
    if (needs.length > 0) await tx.query('select', needs.reduce<readonly unknown[]>(needing, []))
    const csv = await copy(tx.copyOut(hot(view)), 'rows.csv')
    if (people === null) return { ...draft, csv }
    const search = await planPeopleSearch(tx, { brandId, people: view.people })
    return { ...draft, csv, people: { csv: await copy(tx.copyOut(people(search)), 'people.csv') } }
  })
}

type Steps = {
  readonly steps: FileSteps
  readonly files: FrozenView['files']
  /** The time of all statements together. */
  readonly timeMs: number
}

/** Runs one statement after another. A wait for DuckDB's turn is no part of their time. */
async function runSteps(
  eventFiles: EventFiles,
  { steps, files, timeMs }: Steps,
  asking: FileAsking,
): Promise<FileRows> {
  let leftMs = timeMs
  let isContinued = false
  let next = steps.next()
  while (next.done !== true) {
    let begunAt = performance.now()
    const onTurn = (): void => {
      begunAt = performance.now()
    }
    const timeoutMs = Math.max(1, Math.floor(leftMs))
    const rows = await runStep(
      eventFiles,
      { step: next.value, files, timeoutMs, onTurn, isContinued },
      asking,
    )
    leftMs -= performance.now() - begunAt
    isContinued = true
    next = steps.next(rows)
  }
  return next.value
}

type StepRun = {
  readonly step: FileStep
  readonly files: FrozenView['files']
  readonly timeoutMs: number
  readonly onTurn: () => void
  readonly isContinued: boolean
}

/**
 * Brands take turns with DuckDB, statement by statement, so that a brand with many questions keeps no other waiting. The questions of one brand
 * follow each other: if they took turns too, several long ones would all be late.
 */
async function runStep(
  { duckdb }: EventFiles,
  { step, files, timeoutMs, onTurn, isContinued }: StepRun,
  { brandId, signal, tell, onWait }: FileAsking,
): Promise<FileRows> {
  const { answerRowsMax: rowsMax } = EVENT_FILE_LIMITS
  const { from, to } = step.work
  const onProgress =
    tell === null ? undefined : (share: number): void => tell(weeksOfFiles(files, from + (to - from) * share))
  const options = {
    timeoutMs,
    rowsMax,
    signal,
    onTurn,
    onWait,
    onProgress,
    isContinued,
    key: String(brandId),
  }
  return duckdb.run({ sql: step.sql }, options)
}

/** The share of the work that is done, as weeks: the folder of a file is that of its week. */
function weeksOfFiles(files: FrozenView['files'], share: number): WeeksRead {
  const of = new Set(files.map(({ path }) => dirname(path))).size
  return { read: Math.min(of, Math.floor(share * of)), of }
}
