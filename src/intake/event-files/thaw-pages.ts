import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { DuckDbError } from '../../runtime/duckdb/duckdb-error.ts'
import type { DuckDbProcess } from '../../runtime/duckdb/duckdb-process.ts'
import type { DuckDbCell } from '../../runtime/duckdb/messages.ts'
import type { NeededFiles } from '../../store/event-files/alone-files.ts'
import { textOf } from '../../store/event-files/duck-sql.ts'
import { type PeoplePart, thawCountSql, thawSql } from '../../store/event-files/thaw-sql.ts'
import type { EventNeed } from '../../store/event-needs.ts'
import type { FileCache } from './file-cache.ts'

/** The files of dropped rows, and a DuckDB that reads them. */
export type ThawPlace = {
  readonly folder: string
  readonly cache: FileCache | null
  readonly duckdb: DuckDbProcess
  /** The most events that are brought for one statement; `thawedMax` if it is not given. */
  readonly bringMax?: number
  /** The time in which the events of one statement are brought; half a minute if it is not given. */
  readonly bringMsMax?: number
  /** The time of one page; the time of a question if it is not given. */
  readonly pageMsMax?: number
  /** Aborts when nobody wants the events any more. */
  readonly signal?: AbortSignal | undefined
  /** Takes the time that each statement waited until DuckDB had answered those of others. */
  readonly onWait?: (ms: number) => void
}

/** The files cannot be read now. The statement fails with the code of a database whose resources are used up, so its caller may try again. */
export class DroppedAway extends Error {
  readonly code = '53000'
}

export type Thawing = {
  readonly need: Omit<EventNeed, 'since' | 'until' | 'people' | 'use'>
  readonly needed: NeededFiles
}

/** A page of events, as lines for `copyThawed`. */
export type ThawedPage = { readonly lines: string; readonly events: number }

/** All events of files, page by page. They need not be counted. */
export async function* thawEvents(place: ThawPlace, thawing: Thawing): AsyncGenerator<ThawedPage> {
  for await (const batch of thawBatches(place, thawing)) yield* thawPages(place, batch, null)
}

/**
 * The same need of one part of its files after the other. The files of a batch are brought to this machine, and stay there for a minute from
 * the beginning of that; those that then have to make room cannot be read. More events than a need picks never change an answer, so each
 * batch can be picked from by itself.
 */
export async function* thawBatches(
  { cache, signal = NEVER }: ThawPlace,
  { need, needed }: Thawing,
): AsyncGenerator<Thawing> {
  if (cache === null) {
    yield { need, needed }
    return
  }
  for (const files of cut(needed.files, ({ bytes }) => bytes, cache.bytesMax * BATCH_SHARE)) {
    const held = await cache.hold(files, signal).catch((cause: unknown) => {
      throw new DroppedAway('files of events whose rows are dropped could not be fetched', { cause })
    })
    try {
      yield { need, needed: { ...needed, files } }
    } finally {
      // The next batch may need the room.
      if (files.length < needed.files.length) await cache.release(held)
    }
  }
}

const NEVER = new AbortController().signal
/** Other questions hold files too. */
const BATCH_SHARE = 0.5

/** Cuts a list so that the sizes of each piece are at most `max` together. A larger item is a piece by itself. */
function cut<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  max: number,
): readonly (readonly Item[])[] {
  const pieces: Item[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const item of items) {
    size += sizeOf(item)
    const last = pieces.at(-1)
    if (last === undefined || size > max) {
      pieces.push([item])
      size = sizeOf(item)
    } else last.push(item)
  }
  return pieces
}

/** The events of a need that files have, and those among which they are picked. */
export type ThawedCount = { readonly events: number; readonly read: number }

/**
 * The events that all pages have. Null if they need not be known, or if DuckDB cannot count them: it has too little memory, or cannot compare a
 * value. The pages then tell.
 */
export async function countThawed(place: ThawPlace, { need, needed }: Thawing): Promise<ThawedCount | null> {
  const { folder } = place
  const { files, ...bounds } = needed
  const most = files.reduce((sum, { events }) => sum + events, 0)
  if (most <= uncountedMax(place, need) || isBounded(need) || isFew(needed.people)) return null
  const sql = thawCountSql({ folder, files, need, bounds })
  try {
    const [events, read] = await runInTurn(place, need, sql)
    return { events: Number(textOf(events)), read: Number(textOf(read)) }
  } catch (cause) {
    if (cause instanceof DuckDbError && (cause.trouble === 'memory' || cause.trouble === 'failed'))
      return null
    place.signal?.throwIfAborted()
    throw new DroppedAway('events whose rows are dropped could not be counted in their files', { cause })
  }
}

/** So many events need not be counted first. Those of each person are counted also to know how many steps they need. */
function uncountedMax(
  { bringMax = EVENT_FILE_LIMITS.thawedMax }: ThawPlace,
  need: Pick<EventNeed, 'pick' | 'isBare'>,
): number {
  return need.pick.kind === 'each' ? Math.min(bringMax, pageOf(need)) : bringMax
}

function isBounded({ pick }: Thawing['need']): boolean {
  return pick.kind !== 'all' && pick.kind !== 'each' && pick.limit <= EVENT_FILE_LIMITS.thawPage
}

/** Whether the people are so few that their events are not counted first: they hardly ever have too many, and the count takes as long as bringing them. */
function isFew(people: NeededFiles['people']): boolean {
  return people !== null && people.length <= COUNTED_FROM
}

const COUNTED_FROM = 1_000

function pageOf({ isBare }: Pick<EventNeed, 'isBare'>): number {
  return isBare ? EVENT_FILE_LIMITS.thawPageBare : EVENT_FILE_LIMITS.thawPage
}

/** The only row of a statement's answer. */
async function runInTurn(
  { duckdb, pageMsMax: timeoutMs = EVENT_FILE_LIMITS.questionMsMax, signal, onWait }: ThawPlace,
  { brandId }: Pick<EventNeed, 'brandId'>,
  sql: string,
): Promise<readonly DuckDbCell[]> {
  const options = { timeoutMs, rowsMax: 1, key: String(brandId), onWait, ...(signal && { signal }) }
  const [row = []] = await duckdb.run({ sql }, options)
  return row
}

/** The pages of a batch. */
export async function* thawPages(
  place: ThawPlace,
  { need, needed }: Thawing,
  count: ThawedCount | null,
): AsyncGenerator<ThawedPage> {
  for (const step of stepsOf({ need, needed }, count)) yield* stepPages(place, need, step)
}

/** The part of a batch that a statement reads: some of its files, or some of its people. */
type Step = { readonly needed: NeededFiles; readonly people: PeoplePart | null; readonly afterId?: bigint }

/**
 * Without steps each page would read all files, and compare all events with each other, again. Events that are all needed are read from few
 * files at a time; those of which some of each person are needed, from all files for some of the people at a time.
 */
function stepsOf({ need, needed }: Thawing, count: ThawedCount | null): readonly Step[] {
  if (need.pick.kind === 'all')
    return cut(needed.files, ({ events }) => events, STEP_EVENTS).map((files) => ({
      needed: { ...needed, files },
      people: null,
    }))
  if (need.pick.kind !== 'each' || count === null) return [{ needed, people: null }]
  // A little less than a page for each, because people are not spread evenly.
  const of = Math.max(1, Math.ceil(count.events / (pageOf(need) * 0.9)), Math.ceil(count.read / READ_MAX))
  return Array.from({ length: of }, (_, part) => ({ needed, people: { part, of } }))
}

/** The files of a step have about so many events. */
const STEP_EVENTS = 200_000
/** Events that DuckDB compares with each other at once: they fit into its memory. */
const READ_MAX = 1_000_000

/** The pages of a step, by id. */
async function* stepPages(
  place: ThawPlace,
  need: Thawing['need'],
  { needed, people, afterId: firstId = 0n }: Step,
): AsyncGenerator<ThawedPage> {
  const { folder } = place
  const { files, ...bounds } = needed
  let limit = pageOf(need)
  let { where } = need
  for (let afterId = firstId; ; ) {
    const sql = thawSql({ folder, files, need: { ...need, where }, bounds, people, afterId, limit })
    const page = await readPage(place, need, { sql, isChosen: where.length > 0 })
    if (page === 'unfit') {
      where = []
      continue
    }
    if (page instanceof TooLarge) {
      // The memory of a pick of each person's events is that of the people, and not of the page.
      if (need.pick.kind === 'each') {
        for (const half of halvesOf(people, page))
          yield* stepPages(place, { ...need, where }, { needed, people: half, afterId })
        return
      }
      if (limit === 1) throw page
      limit = Math.max(1, Math.floor(limit / 8))
      continue
    }
    if (page.events > 0) yield page
    if (page.events < limit) return
    afterId = page.lastId
  }
}

/** The two halves of a part of all people, if it is not too small for that. */
function halvesOf(people: PeoplePart | null, failure: TooLarge): readonly PeoplePart[] {
  const { part, of } = people ?? { part: 0, of: 1 }
  if (of >= PARTS_MAX) throw failure
  return [part, part + of].map((half) => ({ part: half, of: of * 2 }))
}

const PARTS_MAX = 1_024

type PageQuery = {
  readonly sql: string
  /** Whether the statement has conditions on attributes. */
  readonly isChosen: boolean
}

type ReadPage = ThawedPage & { readonly lastId: bigint }

/** A page needs more memory than DuckDB has. */
class TooLarge extends DroppedAway {}

/** The events of a page, or that they do not fit into the memory. `unfit`: DuckDB cannot compare a value, so the conditions must go. */
async function readPage(
  place: ThawPlace,
  need: Thawing['need'],
  { sql, isChosen }: PageQuery,
): Promise<ReadPage | TooLarge | 'unfit'> {
  try {
    const [lines, events, lastId] = await runInTurn(place, need, sql)
    return { lines: textOf(lines), events: Number(textOf(events)), lastId: BigInt(textOf(lastId) || 0) }
  } catch (cause) {
    place.signal?.throwIfAborted()
    // A smaller page may fit into memory. Any other cause, such as a process that ended, would end a smaller page too, so it is a failure of
    // the files. Callers handle that as a failure of the database.
    const away = 'events whose rows are dropped could not be read from their files'
    if (cause instanceof DuckDbError && cause.trouble === 'memory') return new TooLarge(away, { cause })
    if (isChosen && cause instanceof DuckDbError && cause.trouble === 'failed') return 'unfit'
    throw new DroppedAway(away, { cause })
  }
}
