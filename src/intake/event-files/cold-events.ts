import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { DuckDbError } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { Db } from '../../store/db.ts'
import {
  type AloneFile,
  findNeededFiles,
  indexShadow,
  insertThawed,
  lockDroppedRows,
  type NeededFiles,
  openShadow,
  type ThawedEvent,
} from '../../store/event-files/alone-files.ts'
import { thawedOf, thawSql } from '../../store/event-files/thaw-sql.ts'
import type { EventNeed } from '../../store/event-needs.ts'
import type { FileCache } from './file-cache.ts'

/** The files of dropped rows, and a DuckDB that reads them. */
export type ThawPlace = {
  readonly folder: string
  readonly cache: FileCache | null
  readonly duckdb: DuckDbProcess
  /** The time in which the events of one need are brought; half a minute without it. */
  readonly bringMsMax?: number
  /** The time of one page; that of a question without it. */
  readonly pageMsMax?: number
}

/** A statement needs more dropped events than one transaction brings. Its caller is told what a long statement tells. */
export class TooManyDropped extends Error {
  readonly code = '57014'
}

/**
 * Brings the dropped events that a statement needs, in its transaction: as a shadow of the table `events`, which ends with the
 * transaction, or as rows again. So every statement has the answer that it had when all events were rows.
 */
export async function bringEvents(place: ThawPlace, tx: Db, needs: readonly EventNeed[]): Promise<void> {
  for (const need of needs) {
    await lockDroppedRows(tx, need)
    const needed = await findNeededFiles(tx, need)
    if (needed.files.length > 0) await bringNeed(place, tx, { need, needed })
  }
}

/** The files cannot be read now. The statement fails as one does that finds no free connection, and may be tried again. */
export class DroppedAway extends Error {
  readonly code = '53000'
}

type Bringing = { readonly need: EventNeed; readonly needed: NeededFiles }

async function bringNeed(place: ThawPlace, tx: Db, { need, needed }: Bringing): Promise<void> {
  const { brandId, use } = need
  if (use === 'read') await openShadow(tx)
  const table = use === 'read' ? 'pg_temp.cold_events' : 'public.events'
  const { bringMsMax = EVENT_FILE_LIMITS.thawMsMax } = place
  const endsAt = performance.now() + bringMsMax
  let count = 0
  for await (const events of thawEvents(place, { need, needed })) {
    count += events.length
    if (count > EVENT_FILE_LIMITS.thawedMax)
      throw new TooManyDropped(
        `more than ${EVENT_FILE_LIMITS.thawedMax} events would have to be read from files`,
      )
    await insertThawed(tx, { brandId, events, isBare: need.isBare }, table)
    if (performance.now() >= endsAt)
      throw new TooManyDropped(`events were brought from files for more than ${bringMsMax} ms`)
  }
  if (use === 'read' && count > INDEXED_FROM) await indexShadow(tx)
}

const INDEXED_FROM = 500

/** The events of files, page by page, by id. */
export async function* thawEvents(
  { folder, cache, duckdb, pageMsMax = EVENT_FILE_LIMITS.questionMsMax }: ThawPlace,
  {
    need,
    needed,
  }: { readonly need: Omit<EventNeed, 'since' | 'until' | 'people' | 'use'>; readonly needed: NeededFiles },
): AsyncGenerator<readonly ThawedEvent[]> {
  const { files, ...bounds } = needed
  await cache?.hold(files, NEVER).catch((cause: unknown) => {
    throw new DroppedAway('files of events whose rows are dropped could not be fetched', { cause })
  })
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

/** A pick that compares events with each other needs all files each time. */
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
    // A smaller page may fit. Anything else is a failure of files, which callers know as one of the database: a process that ended
    // would end again with a smaller page, if a file or the machine is the cause.
    const isTooLarge = cause instanceof DuckDbError && cause.trouble === 'memory'
    if (isTooLarge && limit > 1) return 'too large'
    if (isChosen && cause instanceof DuckDbError && cause.trouble === 'failed') return 'unfit'
    throw new DroppedAway('events whose rows are dropped could not be read from their files', { cause })
  }
}

const NEVER = new AbortController().signal
