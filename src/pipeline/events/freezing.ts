import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { FileCache } from '../../intake/event-files/file-cache.ts'
import type { FilePlace } from '../../intake/event-files/file-place.ts'
import { type FreezeDeps, freezeRangeInTime } from '../../intake/event-files/freeze.ts'
import { FreezePace, IntakeWatch } from '../../intake/event-files/freeze-pace.ts'
import type { FreezeTask } from '../../intake/event-files/freeze-task.ts'
import { openPlace, type PlaceSettings } from '../../intake/event-files/open-place.ts'
import { planFreezing } from '../../intake/event-files/plan-freezing.ts'
import { StoreOutage } from '../../intake/event-files/store-outage.ts'
import { removeScratch, sweepFiles } from '../../intake/event-files/sweep.ts'
import { DroppedAway } from '../../intake/event-files/thaw-pages.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Log } from '../../runtime/log.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { isStoreAway } from '../../runtime/object-store/object-store-error.ts'
import { type Database, withOwner } from '../../store/db.ts'
import { isLockTimeout, loadLastBatch, lockEventFiles } from '../../store/event-files/frozen-weeks.ts'
import { noteFailedTry } from '../../store/event-files/tries.ts'

export type FreezingDeps = {
  readonly databaseUrl: string
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly config: { readonly analyticsMemoryMib: number; readonly eventRowsDays: number | null }
  /** The time after which a part of a week ends (`FreezePace`). Tests bring their own. */
  readonly partMsMax?: number
  /**
   * The CPU of DuckDB: what nobody else wants, if this is absent, or an equal part. Tests bring `equal`: their machine is busy from the first
   * test to the last, and DuckDB would hardly run.
   */
  readonly cpuShare?: 'equal'
}

/** The place of the files, and copies of them on this machine if it is an object store. */
type FreezingPlace = { readonly place: FilePlace; readonly cache?: FileCache | null }

/** Writes ended weeks of events to files, and files with changed events again, if there is a place for them. */
export async function runFreezing(
  deps: FreezingDeps & { readonly config: PlaceSettings & { readonly eventFilesCacheMib: number } },
  context: LoopContext,
): Promise<void> {
  const { clock, config, log } = deps
  const opened = openPlace(config)
  if (opened === null) return
  const { place, store } = opened
  const outage = new StoreOutage(log)
  const bytesMax = config.eventFilesCacheMib * MIB
  const cache = store === null ? null : new FileCache({ folder: place.folder, bytesMax, store, outage })
  let ranAt = Number.NEGATIVE_INFINITY
  await runLoop(
    {
      name: 'freezing',
      claim: async () => (Math.abs(clock.now() - ranAt) >= EVENT_FILE_LIMITS.roundEveryMs ? ['round'] : []),
      work: async (_, signal) => freezeUnlessAway({ ...deps, place, cache }, signal, outage),
      settle: async (_, { isFinished }) => {
        // The work that a round left is taken up at once.
        ranAt = isFinished ? clock.now() : Number.NEGATIVE_INFINITY
      },
      lease: null,
      concurrency: 1,
      idle: { minMs: 1_000, maxMs: 60_000 },
    },
    context,
  )
  opened.store?.close()
}

const MIB = 1_048_576

/** A store that is away keeps freezing waiting until the next round. The log says so once. */
export async function freezeUnlessAway(
  deps: FreezingDeps & FreezingPlace,
  signal: AbortSignal,
  outage: StoreOutage,
): Promise<Round> {
  try {
    const round = await freezeRound(deps, signal)
    if (round.isOurs) outage.answered()
    return round
  } catch (error) {
    if (outage.takes(error)) return { isFinished: true, isOurs: true }
    throw error
  }
}

/** Whether nothing is left to do now, and whether this process has the lock. */
type Round = { readonly isFinished: boolean; readonly isOurs: boolean }

/** One round, by the one process that has the lock. */
export async function freezeRound(deps: FreezingDeps & FreezingPlace, signal: AbortSignal): Promise<Round> {
  const { databaseUrl, database, place, log, config, cpuShare } = deps
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
  const duckdb = new DuckDbProcess({
    folder: place.folder,
    memoryMib: config.analyticsMemoryMib,
    threads: Math.max(1, Math.floor(availableParallelism() / 2)),
    access: 'write',
    idleMs: 600_000,
    isBackground: cpuShare !== 'equal',
  })
  try {
    return await withOwner(databaseUrl, async (owner) => {
      if (!(await lockEventFiles(owner))) {
        await removeScratch(place.folder, EVENT_FILE_LIMITS.scratchMsMax)
        return { isFinished: true, isOurs: false }
      }
      const { lost, gone } = await sweepFiles(database, place, deps.clock.now())
      if (gone.length > 0)
        log.error('event files with the only copy of their events are missing or damaged', { gone })
      if (lost.length > 0)
        log.warn('event files are missing or damaged; their weeks are frozen anew', { lost })
      const rowsDays = config.eventRowsDays
      const intake = new IntakeWatch(async () => loadLastBatch(owner))
      const { partMsMax } = deps
      const newPace = (eventMsMax: number): FreezePace =>
        new FreezePace({ intake, signal, eventMsMax, partMsMax })
      const cache = deps.cache ?? null
      const isFinished = await freezeAll({ ...deps, duckdb, cache, rowsDays, newPace }, intake, signal)
      await sweepFiles(database, place, deps.clock.now())
      return { isFinished, isOurs: true }
    })
  } finally {
    await duckdb.close()
  }
}

/**
 * Whether nothing is left to do that could be done now. If every range failed, the cause is one for all of them, such as a full disk.
 * Two ranges are under way at a time: PostgreSQL copies the rows of one while DuckDB writes the file of the other. While events
 * come in, no second one is begun. The rest of a week takes its turn after all other tasks.
 */
async function freezeAll(deps: FreezeDeps, intake: IntakeWatch, signal: AbortSignal): Promise<boolean> {
  const turns = [...(await planFreezing(deps))]
  const endsAt = deps.clock.now() + EVENT_FILE_LIMITS.roundMsMax
  const work = async (isWelcome: () => Promise<boolean>): Promise<number> => {
    let written = 0
    while (!signal.aborted && deps.clock.now() < endsAt && (await isWelcome())) {
      const task = turns.shift()
      if (task === undefined) break
      const { isWritten, rest } = await tryRange(deps, task)
      if (isWritten) written += 1
      if (rest !== null) turns.push(rest)
    }
    return written
  }
  const first = new AbortController()
  const lanes = [
    work(async () => true).finally(() => first.abort()),
    work(async () => intake.untilQuiet(AbortSignal.any([first.signal, signal]))),
  ]
  // The lock of this process ends with the round, so no lane may outlive it.
  const ends = await Promise.allSettled(lanes)
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return signal.aborted || ends.every((end) => end.status === 'rejected' || end.value === 0)
}

type Tried = { readonly isWritten: boolean; readonly rest: FreezeTask | null }

/** Tries to write a range. A range that cannot be written keeps no other from its turn, in this round and in the next. */
async function tryRange(deps: FreezeDeps, task: FreezeTask): Promise<Tried> {
  const { brandId } = task.range
  try {
    const part = await freezeRangeInTime(deps, task)
    deps.log.debug('events were written to files', { brand: brandId, events: part?.events ?? null })
    return { isWritten: true, rest: part?.rest ?? null }
  } catch (error) {
    // The store failed, and no range did, so the round ends. It may have failed to give the file that was to be written again.
    const cause = error instanceof DroppedAway ? error.cause : error
    if (isStoreAway(cause)) throw cause
    if (isLockTimeout(error))
      deps.log.debug('rows of events are in use; they are dropped later', { brand: brandId })
    else deps.log.error('a range of events could not be frozen', { brand: brandId, error })
    await noteFailedTry(deps.database, { ...task, now: deps.clock.now() })
    return { isWritten: false, rest: null }
  }
}
