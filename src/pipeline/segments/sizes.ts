import { TooManyDropped } from '../../intake/event-files/too-many-dropped.ts'
import { OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { Database } from '../../store/db.ts'
import { resolveFilter } from '../../store/segments/filters.ts'
import { countMembers, totalOf } from '../../store/segments/members.ts'
import { type SegmentKey, saveSizeReason } from '../../store/segments/segments.ts'
import { claimSizes, noteSize, noteUncounted } from '../../store/segments/sizes.ts'

type SegmentSizeDeps = { readonly database: Database; readonly clock: Clock }

/** Longer than the time limit of the statement that counts a segment, so that no two workers count the same one. */
const LEASE_MS = 10 * 60_000

/** Counts every segment once a day, one after the other, so that its history can be shown. */
export async function runSegmentSizes(deps: SegmentSizeDeps, context: LoopContext): Promise<void> {
  await runLoop(
    {
      name: 'segment-sizes',
      claim: async (count) => claimSizes(deps.database, { now: deps.clock.now(), count, leaseMs: LEASE_MS }),
      work: async (key) => sizeSegment(deps, key),
      settle: async () => undefined,
      lease: null,
      concurrency: 1,
      idle: { minMs: 30_000, maxMs: 120_000 },
    },
    context,
  )
}

/** Counts one segment. */
export async function sizeSegment(
  { database, clock }: SegmentSizeDeps,
  { brandId, id }: SegmentKey,
): Promise<void> {
  const now = clock.now()
  try {
    const filter = await resolveFilter(database, brandId, { kind: 'segment', id })
    const size = totalOf(await countMembers(database, { brandId, filter, now }))
    await noteSize(database, { brandId, id, size, now })
  } catch (cause) {
    // A count that needs too many old events would need them again in ten minutes. The segment says why, and tomorrow is the next try.
    if (!(cause instanceof TooManyDropped)) throw cause
    await database.asEngine(async (tx) => {
      await noteUncounted(tx, { brandId, id, now })
      await saveSizeReason(tx, { brandId, id }, OLD_EVENTS_REASON)
    })
  }
}
