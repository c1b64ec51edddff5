import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventWeek, receivedAt, weekDay, weekOf } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS, EVENT_FILE_NAMES } from '../../rules/event-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isLate } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Log } from '../../runtime/log.ts'
import { type Db, type OwnerSession, withOwner } from '../../store/db.ts'
import { findDroppable, isAlone } from '../../store/event-files/dropping.ts'
import {
  findFreezable,
  findUnwatched,
  isLockTimeout,
  raiseFileFences,
  snapshotFence,
  watchWeek,
} from '../../store/event-files/frozen-weeks.ts'
import { loadFileAttributes, openHotRows, type RowRange } from '../../store/event-files/hot-rows.ts'
import {
  type FrozenFile,
  findRewritable,
  replaceFile,
  saveWeekFiles,
} from '../../store/event-files/manifest.ts'
import { loadWeeks } from '../../store/events/weeks.ts'
import { DroppedAway } from './cold-events.ts'
import { findOddRows, replaceRows, showDropped } from './drop-rows.ts'
import type { FileCache } from './file-cache.ts'
import { type FilePlace, fileSha256 } from './file-place.ts'
import type { FreezePace } from './freeze-pace.ts'
import { type WrittenFile, writeRowFiles } from './row-files.ts'

export type FreezeDeps = {
  readonly databaseUrl: string
  readonly database: Db
  readonly clock: Clock
  readonly place: FilePlace
  /** Brings files of an object store to the folder of the place; null if they are there already. */
  readonly cache: FileCache | null
  /** The days after which rows are dropped once they are in files; null if they stay. */
  readonly rowsDays: number | null
  readonly duckdb: DuckDbProcess
  /** Slows the work on one range down while events come in. */
  readonly newPace: () => FreezePace
  readonly log: Log
}

/** A range of rows that is to be in files: a week for the first time, or a file whose events changed. */
export type FreezeTask = {
  readonly range: RowRange
  /** The file that is written again; null for a week that has none. */
  readonly replaces: string | null
  /** Whether the rows of the range are to be dropped. */
  readonly drops: boolean
  /** When the first event was deleted that is still in the file; null if none was. */
  readonly goneAt: number | null
}

/**
 * The weeks and files to write now. Weeks that have ended are watched first, so that a change after the copy of a row is
 * noted. A week is frozen in a later round at the earliest, when all transactions from before the watch have ended.
 */
export async function planFreezing(deps: FreezeDeps): Promise<readonly FreezeTask[]> {
  const { database, clock } = deps
  const now = clock.now()
  const weeks = await loadWeeks(database)
  const ended = weeks.filter(({ endsAt }) => endsAt <= now - EVENT_FILE_LIMITS.closedAfterMs)
  for (const week of ended) await watchEnded(deps, week)
  await raiseFileFences(database)
  const freezable = await findFreezable(database, { now, limit: EVENT_FILE_LIMITS.roundWeeksMax })
  const changed = await findRewritable(database, {
    goneBefore: now - EVENT_FILE_LIMITS.goneForMs,
    changedBefore: now - EVENT_FILE_LIMITS.changedForMs,
    share: EVENT_FILE_LIMITS.changedShare,
    now,
    limit: EVENT_FILE_LIMITS.roundFilesMax,
  })
  const rewrites = changed.map(({ path, goneAt, ...range }) => ({
    range,
    replaces: path,
    drops: false,
    goneAt,
  }))
  const firsts = freezable.map(({ brandId, week: { firstId, endId } }) => ({
    range: { brandId, firstId, endId },
    replaces: null,
    drops: false,
    goneAt: null,
  }))
  const drops = (await findDrops(deps, now)).filter(
    ({ replaces }) => !changed.some(({ path }) => path === replaces),
  )
  const { urgent = [], other = [] } = Object.groupBy(rewrites, (task) =>
    isUrgent(task, now) ? 'urgent' : 'other',
  )
  return [...urgent, ...inTurn([other, firsts, drops])]
}

/** Erased people must leave the files within a day, however many files there are and however many events come in. */
function isUrgent({ goneAt }: Pick<FreezeTask, 'goneAt'>, now: number): boolean {
  return goneAt !== null && goneAt <= now - EVENT_FILE_LIMITS.goneUrgentMs
}

/** One of each kind after the other, so that no kind keeps another from its turn when a round is not long enough for all. */
function inTurn(kinds: readonly (readonly FreezeTask[])[]): readonly FreezeTask[] {
  const longest = Math.max(...kinds.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => kinds.flatMap((tasks) => tasks.slice(at, at + 1))).flat()
}

/** The files whose rows are to be dropped. Each is written once more, and compared with its rows value by value. */
async function findDrops({ database, rowsDays }: FreezeDeps, now: number): Promise<readonly FreezeTask[]> {
  if (rowsDays === null) return []
  const files = await findDroppable(database, {
    receivedBefore: now - rowsDays * DAY_MS,
    now,
    limit: EVENT_FILE_LIMITS.roundFilesMax,
  })
  return files.map(({ path, ...range }) => ({ range, replaces: path, drops: true, goneAt: null }))
}

const DAY_MS = 86_400_000

/** A week whose lock is not free is watched in a later round; it keeps no other week and no file from its turn. */
async function watchEnded({ databaseUrl, database, log }: FreezeDeps, week: EventWeek): Promise<void> {
  const brandIds = await findUnwatched(database, week)
  if (brandIds.length === 0) return
  try {
    await withOwner(databaseUrl, async (owner) => watchWeek(owner, { week, brandIds }))
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause
    log.debug('a week of events is being written to; it is frozen later', { week: week.table })
  }
}

/**
 * Copies a range to files and records them, in one transaction; the number of events that were written, or null if the range
 * was not wanted any more. A kill before the record leaves files that are on no list, which `sweepFiles` removes.
 */
export async function freezeRange(deps: FreezeDeps, task: FreezeTask): Promise<number | null> {
  const { range, replaces } = task
  const { databaseUrl, database, place, duckdb, clock } = deps
  const token = randomBytes(6).toString('hex')
  const scratch = join(place.folder, `${EVENT_FILE_NAMES.scratch}${token}`)
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const pathOf = pathsOf(range, token)
  const isDropped = replaces !== null && (await isAlone(database, { ...range, path: replaces }))
  const drops = task.drops || isDropped
  const saved = await withOwner(databaseUrl, async (owner) => {
    await openHotRows(owner, drops ? 'scratch' : 'read')
    if (isDropped) await showDropped({ ...deps, folder: place.folder }, owner, range)
    const fence = await snapshotFence(owner)
    const names = await loadFileAttributes(owner, range.brandId)
    const written = await writeRowFiles({
      owner,
      duckdb,
      range: drops ? { ...range, whose: 'everybody' } : range,
      names,
      scratch,
      // Events that were brought from a file are rows of this transaction, and readers of new events wait for its end.
      pace: isDropped || isUrgent(task, clock.now()) ? null : deps.newPace(),
      pathOf: (file) => join(scratch, `${file}.parquet`),
    })
    const odd = drops ? await findOddRows(duckdb, owner, { range, written, scratch }) : []
    await owner.query('commit')
    const files: FrozenFile[] = []
    for (const [at, file] of written.entries()) {
      const [firstId, endId] = [
        at === 0 ? range.firstId : file.firstId,
        written[at + 1]?.firstId ?? range.endId,
      ]
      const kept = await keepFile(place, file, pathOf(at + 1))
      files.push({ ...file, ...kept, brandId: range.brandId, firstId, endId })
    }
    const order = { range, files, fence, now: clock.now() }
    const isSaved = drops
      ? await replaceRows(owner, { ...order, odd, isDropped, replaces: replaces ?? '' })
      : await asEngine(owner, async () =>
          replaces === null ? saveWeekFiles(owner, order) : replaceFile(owner, replaces, order),
        )
    return isSaved ? files.reduce((sum, { sums }) => sum + Number(sums.count), 0) : null
  })
  await rm(scratch, { recursive: true })
  return saved
}

/**
 * The same, and again at once if DuckDB was late: on a machine whose cores are always busy it gets nothing of them at first, and the
 * second try has the priority of everybody.
 */
export async function freezeRangeInTime(deps: FreezeDeps, task: FreezeTask): Promise<number | null> {
  const { duckdb, log } = deps
  const { isHurried } = duckdb
  try {
    return await freezeRange(deps, task)
  } catch (cause) {
    // The second try is the answer to this failure, and to no other one.
    if (isHurried || !isLate(cause instanceof DroppedAway ? cause.cause : cause)) throw cause
    log.debug('the machine is busy; events are written to files with more priority', { error: cause })
    return freezeRange(deps, task)
  }
}

async function keepFile(
  place: FilePlace,
  { path: madeAt, bytes }: WrittenFile,
  path: string,
): Promise<{ readonly path: string; readonly sha256: string }> {
  const sha256 = await fileSha256(madeAt)
  await place.keep({ path, madeAt, content: { bytes, sha256 } })
  return { path, sha256 }
}

/** No two files have the same name, so an old file is never taken for a new one. */
function pathsOf({ brandId, firstId }: RowRange, token: string): (file: number) => string {
  const week: EventWeek = weekOf(receivedAt(firstId))
  return (file) =>
    `brand=${brandId}/week=${weekDay(week)}/events-${String(file).padStart(4, '0')}-${token}.parquet`
}

/** One transaction on the rows of all brands, on the owner's connection. */
async function asEngine<Value>(owner: OwnerSession, work: () => Promise<Value>): Promise<Value> {
  await owner.query('begin; set local role beckon_engine')
  const value = await work()
  await owner.query('commit')
  return value
}
