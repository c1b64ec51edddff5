import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventWeek, receivedAt, weekDay, weekOf } from '../../domain/events/week.ts'
import { EVENT_FILE_NAMES } from '../../rules/event-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import { isLate } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Log } from '../../runtime/log.ts'
import { type Db, type OwnerSession, withOwner } from '../../store/db.ts'
import { isAlone } from '../../store/event-files/dropping.ts'
import { useFiles, useFilesNoLonger } from '../../store/event-files/file-use.ts'
import { snapshotFence } from '../../store/event-files/frozen-weeks.ts'
import { loadFileAttributes, openHotRows, type RowRange } from '../../store/event-files/hot-rows.ts'
import { type FrozenFile, replaceFile, saveWeekFiles } from '../../store/event-files/manifest.ts'
import { findOddRows, replaceRows, showDropped } from './drop-rows.ts'
import type { FileCache } from './file-cache.ts'
import { type FilePlace, fileSha256 } from './file-place.ts'
import type { FreezePace } from './freeze-pace.ts'
import { type FreezeTask, isUrgent } from './freeze-task.ts'
import { type WrittenFile, writeRowFiles } from './row-files.ts'
import { DroppedAway } from './thaw-pages.ts'

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
  /** Slows the work of one transaction down while events come in. */
  readonly newPace: (eventMsMax: number) => FreezePace
  readonly log: Log
}

/** The number of events that were written, and the task for the rest of their range; null if nothing is left. */
export type FrozenPart = { readonly events: number; readonly rest: FreezeTask | null }

/**
 * Copies a range to files in one transaction and lists them in another; null if the range was not wanted any more. If a week takes long, only
 * its next part is copied, so that no transaction lasts for long and a kill loses one part at most. A kill before the files are listed leaves
 * files that are on no list, which `sweepFiles` removes.
 */
export async function freezeRange(deps: FreezeDeps, task: FreezeTask): Promise<FrozenPart | null> {
  const { replaces, drops } = task
  const { databaseUrl, database, place } = deps
  const token = randomBytes(6).toString('hex')
  const scratch = join(place.folder, `${EVENT_FILE_NAMES.scratch}${token}`)
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const isDropped = replaces !== null && (await isAlone(database, { ...task.range, path: replaces }))
  const saved = await withOwner(databaseUrl, async (owner) => {
    const making = { task: { ...task, drops: drops || isDropped }, isDropped, scratch }
    const { written, endId, fence, odd } = await makeFiles(deps, owner, making)
    const range = { ...task.range, endId }
    // The lock of the process may be lost by now, and another process may look for files on no list.
    await useFiles(owner)
    const files = await keepFiles(place, { range, written, pathOf: pathsOf(range, token) })
    const order = { range, files, fence, now: deps.clock.now() }
    const isSaved =
      replaces === null
        ? await asEngine(owner, async () => saveWeekFiles(owner, order))
        : await (drops || isDropped
            ? replaceRows(owner, { ...order, odd, isDropped, replaces })
            : asEngine(owner, async () => replaceFile(owner, replaces, order)))
    await useFilesNoLonger(owner)
    return isSaved ? { events: eventsOf(files), rest: restOf(task, endId) } : null
  })
  await rm(scratch, { recursive: true, force: true })
  return saved
}

function eventsOf(files: readonly FrozenFile[]): number {
  return files.reduce((sum, { sums }) => sum + Number(sums.count), 0)
}

function restOf(task: FreezeTask, firstId: bigint): FreezeTask | null {
  return firstId === task.range.endId ? null : { ...task, range: { ...task.range, firstId } }
}

type Making = { readonly task: FreezeTask; readonly isDropped: boolean; readonly scratch: string }

type Made = {
  readonly written: readonly WrittenFile[]
  readonly endId: bigint
  readonly fence: string
  readonly odd: readonly bigint[]
}

/**
 * Copies rows to files that are on no list yet, in one transaction. The transaction ends with the last copied row; if the rows are to be
 * dropped, it ends after they were compared with the files.
 */
async function makeFiles(
  deps: FreezeDeps,
  owner: OwnerSession,
  { task, isDropped, scratch }: Making,
): Promise<Made> {
  const { place, duckdb, clock } = deps
  const { range, eventMsMax, drops, replaces } = task
  await openHotRows(owner, drops ? 'scratch' : 'read')
  if (isDropped) await showDropped({ ...deps, folder: place.folder }, owner, range)
  const fence = await snapshotFence(owner)
  const names = await loadFileAttributes(owner, range.brandId)
  const commit = async (): Promise<unknown> => owner.query('commit')
  const { files: written, endId } = await writeRowFiles({
    owner,
    duckdb,
    range: drops ? { ...range, whose: 'everybody' } : range,
    names,
    scratch,
    // Events that were brought from a file are rows of this transaction, and readers of new events wait for its end.
    pace: isDropped || isUrgent(task, clock.now()) ? null : deps.newPace(eventMsMax),
    isPart: replaces === null,
    ...(drops ? {} : { onCopied: commit }),
    pathOf: (file) => join(scratch, `${file}.parquet`),
  })
  const odd = drops ? await findOddRows(duckdb, owner, { range, written, scratch }) : []
  if (drops) await commit()
  return { written, endId, fence, odd }
}

/**
 * Runs `freezeRange`, and again at once if DuckDB was late. On a machine whose cores are always busy DuckDB gets no CPU at first; the
 * second try has the same priority as all other programs.
 */
export async function freezeRangeInTime(deps: FreezeDeps, task: FreezeTask): Promise<FrozenPart | null> {
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

type Keeping = {
  readonly range: RowRange
  readonly written: readonly WrittenFile[]
  readonly pathOf: (file: number) => string
}

/** Moves the files to their place. The ranges of all files together are the whole range. */
async function keepFiles(
  place: FilePlace,
  { range, written, pathOf }: Keeping,
): Promise<readonly FrozenFile[]> {
  const files: FrozenFile[] = []
  for (const [at, file] of written.entries()) {
    const firstId = at === 0 ? range.firstId : file.firstId
    const endId = written[at + 1]?.firstId ?? range.endId
    const kept = await keepFile(place, file, pathOf(at + 1))
    files.push({ ...file, ...kept, brandId: range.brandId, firstId, endId })
  }
  return files
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
