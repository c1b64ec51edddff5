import type { BringSession } from '../../store/bringing.ts'
import { findNeededFiles, lockDroppedRows, type NeededFiles } from '../../store/event-files/alone-files.ts'
import {
  copyThawed,
  indexShadow,
  keepOpen,
  keepOpenNoLonger,
  moveBrought,
  openBrought,
  openShadow,
} from '../../store/event-files/shadow.ts'
import type { EventNeed } from '../../store/event-needs.ts'
import { BringLimit } from './bring-limit.ts'
import { countThawed, type ThawPlace, thawBatches, thawPages } from './thaw-pages.ts'

/**
 * Brings the dropped events that a statement needs, in its transaction: as a shadow of the table `events`, which ends with the
 * transaction, or as rows again. So every statement has the answer that it had when all events were rows.
 */
export async function bringEvents(
  place: ThawPlace,
  tx: BringSession,
  needs: readonly EventNeed[],
): Promise<void> {
  let limit: BringLimit | null = null
  for (const need of needs) {
    await lockDroppedRows(tx, need)
    const needed = await findNeededFiles(tx, need)
    if (needed.files.length === 0) continue
    if (limit === null) await keepOpen(tx)
    limit ??= new BringLimit(place)
    await bringNeed({ ...place, signal: tx.signal }, tx, { need, needed, limit })
  }
  // If the bringing fails, the transaction ends, and its settings with it.
  if (limit !== null) await keepOpenNoLonger(tx)
}

/** All needs of a statement share its limit. */
type Bringing = { readonly need: EventNeed; readonly needed: NeededFiles; readonly limit: BringLimit }

async function bringNeed(
  place: ThawPlace,
  tx: BringSession,
  { need, needed, limit }: Bringing,
): Promise<void> {
  const { use, isBare } = need
  const shadow = use === 'read' ? await openShadow(tx) : null
  // Events that come into an empty table need not be compared with others.
  if (shadow === 'new') {
    const count = await copyPages(place, tx, { need, needed, limit, table: 'pg_temp.cold_events' })
    if (count > INDEXED_FROM) await indexShadow(tx, { isBare })
    return
  }
  await openBrought(tx)
  const count = await copyPages(place, tx, { need, needed, limit, table: 'pg_temp.brought_events' })
  await moveBrought(tx, { table: shadow === null ? 'public.events' : 'pg_temp.cold_events', isBare })
  if (shadow !== null && count > INDEXED_FROM) await indexShadow(tx, { isBare })
}

const INDEXED_FROM = 500

type Copying = Bringing & { readonly table: 'pg_temp.cold_events' | 'pg_temp.brought_events' }

/** Copies all pages into a table, within the bounds, and counts their events. */
async function copyPages(
  place: ThawPlace,
  tx: BringSession,
  { need, needed, limit, table }: Copying,
): Promise<number> {
  const signal = AbortSignal.any([...(place.signal ? [place.signal] : []), limit.signal])
  const bounded = { ...place, signal, onWait: (ms: number) => limit.waited(ms) }
  let count = 0
  try {
    for await (const batch of thawBatches(bounded, { need, needed })) {
      // A refusal costs one look at the files.
      const counted = await countThawed(bounded, batch)
      if (counted !== null) limit.check(counted.events)
      for await (const { lines, events } of thawPages(bounded, batch, counted)) {
        limit.add(events)
        count += events
        await copyThawed(tx, lines, table)
        limit.signal.throwIfAborted()
      }
    }
    return count
  } catch (cause) {
    place.signal?.throwIfAborted()
    const all = needed.files.reduce((sum, { events }) => sum + events, 0)
    throw limit.judge(cause, all - count)
  }
}
