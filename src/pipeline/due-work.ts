import { Alarms, planAlarms } from '../runtime/loop/alarms.ts'
import type { LoopContext } from '../runtime/loop/loop.ts'
import { watch } from '../runtime/loop/watch.ts'
import type { Database } from '../store/db.ts'
import { loadDueWork } from '../store/due-work.ts'

/**
 * Looks about once a second what is due, in one statement for all loops, and wakes the loops whose work it is at the
 * right moment. Loops are woken sooner by notifications; a notification that is lost costs no more than a look.
 */
export async function runDueWork(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const alarms = new Alarms(context.wakes ?? new Map())
  await watch(
    { name: 'due-work', everyMs: LOOK_MS },
    async () => alarms.set(planAlarms(await loadDueWork(database.queue), { lookMs: AHEAD_MS })),
    context,
  )
}

/**
 * With its jitter, less than a second: a push that is accepted for a second later is seen before it is due. A failed
 * look is followed by another one after a growing pause, as in every loop.
 */
const LOOK_MS = 800
/** More than the longest wait between two looks. */
const AHEAD_MS = 1_200

/** The longest wait of a loop that is woken. Its own looks are for work that the look at everything has overlooked. */
export const WOKEN_IDLE_MAX_MS = 30_000
