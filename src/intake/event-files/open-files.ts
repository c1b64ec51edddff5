import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { EVENT_FILE_LIMITS, QUESTIONS_FOLDER } from '../../rules/event-files.ts'
import { systemSleep } from '../../runtime/clock.ts'
import { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../../store/db.ts'
import { areFilesUnused } from '../../store/event-files/file-use.ts'
import { listFiles } from '../../store/event-files/manifest.ts'
import type { EventFiles } from './ask-files.ts'
import { FileCache } from './file-cache.ts'
import { openPlace, type PlaceSettings } from './open-place.ts'
import { QuestionScratch } from './question-scratch.ts'
import { StoreOutage } from './store-outage.ts'

type OpenFiles = {
  readonly config: PlaceSettings & {
    readonly analyticsMemoryMib: number
    readonly eventFilesCacheMib: number
  }
  readonly log: Log
}

/** DuckDB starts with the first question that needs it, and ends when none has come for a while. */
export function openEventFiles({ config, log }: OpenFiles): EventFiles | null {
  const opened = openPlace(config)
  if (opened === null) return null
  const { place, store } = opened
  const { folder } = place
  const scratch = openScratch(config)
  const duckdb = new DuckDbProcess({
    folder,
    scratch: scratch.folder,
    memoryMib: config.analyticsMemoryMib,
    threads: Math.min(4, availableParallelism()),
    access: 'read',
    idleMs: IDLE_MS,
  })
  const bytesMax = config.eventFilesCacheMib * MIB
  const outage = new StoreOutage(log)
  const cache = store === null ? null : new FileCache({ folder, bytesMax, store, outage })
  return { folder, scratch, cache, duckdb, log }
}

export async function closeEventFiles(files: EventFiles | null): Promise<void> {
  await files?.duckdb.close()
  files?.cache?.close()
}

const IDLE_MS = 300_000
const MIB = 1_048_576

/** The place for rows of questions, which is there whether event files are or not. */
export function openScratch({ dataDir }: Pick<PlaceSettings, 'dataDir'>): QuestionScratch {
  return new QuestionScratch({ folder: join(dataDir, QUESTIONS_FOLDER) })
}

/** Removes copies of objects that are listed no more and that nobody uses, now and then, until the signal aborts. */
export async function followCache(
  files: EventFiles | null,
  db: Database,
  signal: AbortSignal,
): Promise<void> {
  if (files === null || files.cache === null) return
  while (!signal.aborted) {
    try {
      const listed = await db.asEngine(async (tx) => ((await areFilesUnused(tx)) ? listFiles(tx) : null))
      if (listed !== null) await files.cache.sweep(new Set(listed.map(({ path }) => path)))
    } catch (error) {
      // This is a worker loop: the next look may find the database or the disk again.
      files.log.warn('copies of event files could not be looked through', { error })
    }
    await systemSleep(EVENT_FILE_LIMITS.cacheSweepMs, signal)
  }
}
