import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { isLate } from '../../runtime/duckdb/duckdb-error.ts'
import type { Db } from '../../store/db.ts'
import {
  findNeededFiles,
  indexShadow,
  insertThawed,
  lockDroppedRows,
  type NeededFiles,
  openShadow,
} from '../../store/event-files/alone-files.ts'
import type { EventNeed } from '../../store/event-needs.ts'
import { countThawed, DroppedAway, type ThawPlace, thawEvents } from './thaw-pages.ts'
import { TooManyDropped } from './too-many-dropped.ts'

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

type Bringing = { readonly need: EventNeed; readonly needed: NeededFiles }

async function bringNeed(place: ThawPlace, tx: Db, bringing: Bringing): Promise<void> {
  const { bringMax: max = EVENT_FILE_LIMITS.thawedMax, bringMsMax = EVENT_FILE_LIMITS.thawMsMax } = place
  const tooMany = (events: string): TooManyDropped => new TooManyDropped({ events, max, bringMsMax })
  const { need } = bringing
  const { brandId, use, isBare } = need
  const endsAt = performance.now() + bringMsMax
  let count = 0
  try {
    const counted = await countIfMany(place, bringing, max)
    if (counted !== null && counted > max) throw tooMany(String(counted))
    if (use === 'read') await openShadow(tx)
    const table = use === 'read' ? 'pg_temp.cold_events' : 'public.events'
    for await (const events of thawEvents(place, bringing)) {
      count += events.length
      if (count > max) throw tooMany(`more than ${max}`)
      await insertThawed(tx, { brandId, events, isBare }, table)
      if (performance.now() >= endsAt) throw tooMany(`more than ${count}`)
    }
  } catch (cause) {
    // A page that took too long would take too long again. The caller can ask for less.
    const isTooLong = cause instanceof DroppedAway && isLate(cause.cause)
    throw isTooLong ? tooMany(`more than ${count}`) : cause
  }
  if (use === 'read' && count > INDEXED_FROM) await indexShadow(tx)
}

const INDEXED_FROM = 500

/** Counts the events that would be brought, if there may be too many, so that a refusal costs one look at the files. Else null. */
async function countIfMany(place: ThawPlace, bringing: Bringing, max: number): Promise<number | null> {
  const { need, needed } = bringing
  const most = needed.files.reduce((sum, { events }) => sum + events, 0)
  if (most <= max || isBounded(need, max) || isFew(needed.people)) return null
  return countThawed(place, bringing)
}

function isBounded({ pick }: EventNeed, max: number): boolean {
  return pick.kind !== 'all' && pick.kind !== 'each' && pick.limit <= max
}

/** Whether the people are so few that their events are not counted first: they hardly ever have too many, and the count takes as long as bringing them. */
function isFew(people: NeededFiles['people']): boolean {
  return people !== null && people.length <= COUNTED_FROM
}

const COUNTED_FROM = 1_000
