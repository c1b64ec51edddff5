import { unreachable } from '../../domain/unreachable.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { RestList } from '../../runtime/loop/rest-list.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { Database, Db } from '../../store/db.ts'
import { countBatches } from '../../store/events/counting.ts'
import {
  advanceReader,
  type Batch,
  COUNTING_READER,
  type EventReader,
  ensureReaders,
  findBehind,
  loadBatches,
  takeReader,
} from '../../store/events/readers.ts'
import { findRetyped, nextRetyping, raiseRetypingFences, sortRetyped } from '../../store/events/retyping.ts'
import { eraseTraces } from '../../store/people/erasing.ts'
import { findFollowUps, nextFollowUp, raiseFences } from '../../store/people/follow-ups.ts'
import { moveAfterMerge } from '../../store/people/merge-moving.ts'

export type CountingDeps = { readonly database: Database }

/** A batch may be one event. */
const BATCHES_MAX = 400
/** Events of many small calls are counted together. */
const REST_MS = 250
/** So many events make a turn worth its fixed cost. */
const FULL_ENTRIES = 5_000
const ROWS_MAX = 5_000
/** An attribute may be an object of 64 KiB. */
const VALUES_MAX = 1_000

/**
 * Adds up stored events per profile, per event and per attribute, a moment after they were stored; and lets events
 * follow when profiles were merged, or vanish when one was erased. All of it for one brand is done by one worker at a
 * time, who holds the reader's place.
 */
export async function runCounting({ database }: CountingDeps, context: LoopContext): Promise<void> {
  const brands = new RestList<number>({ restMs: REST_MS })
  await runLoop(
    {
      name: 'counting',
      claim: async (limit) => findBrands(database, { limit, except: brands.resting() }),
      work: async (brandId) =>
        brands.run(brandId, async () => (await takeStep(database, brandId)) === 'more'),
      settle: async () => undefined,
      lease: null,
      concurrency: 2,
      idle: { minMs: 100, maxMs: 500 },
      wakeOn: 'events',
    },
    context,
  )
}

async function findBrands(
  database: Database,
  { limit, except }: { readonly limit: number; readonly except: readonly number[] },
): Promise<readonly number[]> {
  const behind = await findBehind(database, { reader: COUNTING_READER, limit, except })
  if (behind.length > 0) return behind
  const waiting = await findFollowUps(database, limit)
  if (waiting.length > 0) return waiting
  const retyped = await findRetyped(database, limit)
  if (retyped.length > 0) return retyped
  await ensureReaders(database, COUNTING_READER)
  return []
}

/** One step for one brand; whether there was anything to do. */
export async function countBrand(database: Database, brandId: number): Promise<boolean> {
  return (await takeStep(database, brandId)) !== 'nothing'
}

/** `all`: every event that was stored by then is counted. */
type Step = 'nothing' | 'all' | 'more'

async function takeStep(database: Database, brandId: number): Promise<Step> {
  return database.asEngine(async (tx) => {
    const place = await takeReader(tx, { brandId, reader: COUNTING_READER })
    if (place === null) return 'nothing'
    const batches = await loadBatches(tx, place, { batchesMax: BATCHES_MAX })
    const last = batches.at(-1)
    if (last === undefined) return (await followUp(tx, place)) ? 'more' : 'nothing'
    await countBatches(tx, brandId, batches)
    await advanceReader(tx, place, last)
    return isFull(batches) ? 'more' : 'all'
  })
}

function isFull(batches: readonly Batch[]): boolean {
  const entries = batches.reduce((sum, batch) => sum + batch.entries, 0)
  return batches.length === BATCHES_MAX || entries >= FULL_ENTRIES
}

/** Does the next merge or erasure that waits for counting. All stored events are counted here, so the counts can move too. */
async function followUp(tx: Db, place: EventReader): Promise<boolean> {
  const { brandId } = place
  const next = await nextFollowUp(tx, place)
  if (next === null) return sortNext(tx, brandId)
  switch (next.kind) {
    case 'merge':
      await moveAfterMerge(tx, { brandId, ...next }, ROWS_MAX)
      return true
    case 'erasure':
      await eraseTraces(tx, { brandId, ...next }, ROWS_MAX)
      return true
    default:
      return unreachable(next)
  }
}

/** Sorts values of an attribute whose lock got another type. When nothing is left to do, fences are raised. */
async function sortNext(tx: Db, brandId: number): Promise<boolean> {
  const retyping = await nextRetyping(tx, brandId)
  if (retyping !== null) {
    await sortRetyped(tx, retyping, VALUES_MAX)
    return true
  }
  await raiseFences(tx, brandId)
  await raiseRetypingFences(tx, brandId)
  return false
}
