import { unreachable } from '../../domain/unreachable.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { Database, Db } from '../../store/db.ts'
import { countBatches } from '../../store/events/counting.ts'
import {
  advanceReader,
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

/** About 20 000 events: half a second of work, and as much to do over after a kill. */
const BATCHES_MAX = 20
const ROWS_MAX = 5_000
/** An attribute may be an object of 64 KiB. */
const VALUES_MAX = 1_000

/**
 * Adds up stored events per profile, per event and per attribute, a moment after they were stored; and lets events
 * follow when profiles were merged, or vanish when one was erased. All of it for one brand is done by one worker at a
 * time, who holds the reader's place.
 */
export async function runCounting({ database }: CountingDeps, context: LoopContext): Promise<void> {
  await runLoop(
    {
      name: 'counting',
      claim: async (count) => findBrands(database, count),
      work: async (brandId) => countBrand(database, brandId),
      settle: async () => undefined,
      lease: null,
      concurrency: 2,
      idle: { minMs: 100, maxMs: 500 },
    },
    context,
  )
}

async function findBrands(database: Database, limit: number): Promise<readonly number[]> {
  const behind = await findBehind(database, { reader: COUNTING_READER, limit })
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
  return database.asEngine(async (tx) => {
    const place = await takeReader(tx, { brandId, reader: COUNTING_READER })
    if (place === null) return false
    const batches = await loadBatches(tx, place, BATCHES_MAX)
    const last = batches.at(-1)
    if (last === undefined) return followUp(tx, place)
    await countBatches(tx, brandId, batches)
    await advanceReader(tx, place, last)
    return true
  })
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
