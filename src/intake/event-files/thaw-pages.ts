import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { DuckDbError } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { AloneFile, NeededFiles, ThawedEvent } from '../../store/event-files/alone-files.ts'
import { textOf } from '../../store/event-files/duck-sql.ts'
import { thawCountSql, thawedOf, thawSql } from '../../store/event-files/thaw-sql.ts'
import type { EventNeed } from '../../store/event-needs.ts'
import type { FileCache } from './file-cache.ts'

/** The files of dropped rows, and a DuckDB that reads them. */
export type ThawPlace = {
  readonly folder: string
  readonly cache: FileCache | null
  readonly duckdb: DuckDbProcess
  /** The most events that are brought for one need; `thawedMax` if it is not given. */
  readonly bringMax?: number
  /** The time in which the events of one need are brought; half a minute if it is not given. */
  readonly bringMsMax?: number
  /** The time of one page; the time of a question if it is not given. */
  readonly pageMsMax?: number
}

/** The files cannot be read now. The statement fails with the code of a database without a free connection, so its caller may try again. */
export class DroppedAway extends Error {
  readonly code = '53000'
}

type Thawing = {
  readonly need: Omit<EventNeed, 'since' | 'until' | 'people' | 'use'>
  readonly needed: NeededFiles
}

/** The events of files, page by page, by id. */
export async function* thawEvents(
  place: ThawPlace,
  { need, needed }: Thawing,
): AsyncGenerator<readonly ThawedEvent[]> {
  const { folder, duckdb, pageMsMax = EVENT_FILE_LIMITS.questionMsMax } = place
  const { files, ...bounds } = needed
  await holdFiles(place, files)
  let limit: number = need.isBare ? EVENT_FILE_LIMITS.thawPageBare : EVENT_FILE_LIMITS.thawPage
  let { where } = need
  for (let afterId = 0n; ; ) {
    const asked = { need: { ...need, where }, bounds, afterId, limit }
    const sql = thawSql({ folder, files: filesFrom(files, afterId, need), ...asked })
    const asking = { sql, limit, timeoutMs: pageMsMax, key: String(need.brandId), isChosen: where.length > 0 }
    const page = await readPage(duckdb, asking)
    if (page === 'unfit') {
      where = []
      continue
    }
    if (page === 'too large') {
      limit = Math.max(1, Math.floor(limit / 8))
      continue
    }
    if (page.length > 0) yield page
    if (page.length < limit) return
    afterId = BigInt(String(page.at(-1)?.id))
  }
}

async function holdFiles({ cache }: ThawPlace, files: readonly AloneFile[]): Promise<void> {
  await cache?.hold(files, NEVER).catch((cause: unknown) => {
    throw new DroppedAway('files of events whose rows are dropped could not be fetched', { cause })
  })
}

const NEVER = new AbortController().signal

/** The files that the next page reads. A pick that compares events with each other needs all files for each page. */
function filesFrom(
  files: readonly AloneFile[],
  afterId: bigint,
  { pick }: Pick<EventNeed, 'pick'>,
): readonly AloneFile[] {
  if (pick.kind !== 'all') return files
  const later = files.filter(({ endId }) => endId > afterId)
  return later.length === 0 ? files : later
}

type PageQuery = {
  readonly sql: string
  readonly limit: number
  readonly timeoutMs: number
  readonly key: string
  /** Whether the statement has conditions on attributes. */
  readonly isChosen: boolean
}

/** The events of a page. `too large`: they do not fit into the memory. `unfit`: DuckDB cannot compare a value, so the conditions must go. */
async function readPage(
  duckdb: DuckDbProcess,
  { sql, limit, timeoutMs, key, isChosen }: PageQuery,
): Promise<readonly ThawedEvent[] | 'too large' | 'unfit'> {
  try {
    const rows = await duckdb.run({ sql }, { timeoutMs, rowsMax: limit, key })
    return rows.map(thawedOf)
  } catch (cause) {
    // A smaller page may fit into memory. Any other cause, such as a process that ended, would end a smaller page too, so it is a failure of
    // the files. Callers handle that as a failure of the database.
    const isTooLarge = cause instanceof DuckDbError && cause.trouble === 'memory'
    if (isTooLarge && limit > 1) return 'too large'
    if (isChosen && cause instanceof DuckDbError && cause.trouble === 'failed') return 'unfit'
    throw new DroppedAway('events whose rows are dropped could not be read from their files', { cause })
  }
}

/**
 * The number of events that all pages have. Null if DuckDB cannot count them: it has too little memory, or cannot compare a value. The
 * pages then tell.
 */
export async function countThawed(place: ThawPlace, { need, needed }: Thawing): Promise<number | null> {
  const { folder, duckdb, pageMsMax = EVENT_FILE_LIMITS.questionMsMax } = place
  const { files, ...bounds } = needed
  await holdFiles(place, files)
  const sql = thawCountSql({ folder, files, need, bounds })
  try {
    const [row] = await duckdb.run({ sql }, { timeoutMs: pageMsMax, rowsMax: 1, key: String(need.brandId) })
    return Number(textOf(row?.[0]))
  } catch (cause) {
    if (cause instanceof DuckDbError && (cause.trouble === 'memory' || cause.trouble === 'failed'))
      return null
    throw new DroppedAway('events whose rows are dropped could not be counted in their files', { cause })
  }
}
