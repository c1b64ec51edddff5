import { Alarms, planAlarms } from '../runtime/loop/alarms.ts'
import type { LoopContext } from '../runtime/loop/loop.ts'
import { watch } from '../runtime/loop/watch.ts'
import type { Database } from '../store/db.ts'
import { type DueWorkLook, loadDueWork, passTime } from '../store/due-work.ts'

/**
 * Looks about once a second what is due, in one statement for all loops, and wakes the loops whose work it is at the
 * right moment. Loops are woken sooner by notifications; a notification that is lost costs no more than a look. While the
 * database does not change, a look asks only whether it did.
 */
export async function runDueWork(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const alarms = new Alarms(context.wakes ?? new Map())
  let last: LastLook | null = null
  const look = async (): Promise<void> => {
    last = await lookAgain(database, last)
    alarms.set(planAlarms(last.due.kinds, { lookMs: AHEAD_MS }))
  }
  await watch({ name: 'due-work', everyMs: LOOK_MS }, look, context)
}

/** `lookedAt` is when all work was looked at last. */
type LastLook = { readonly due: DueWorkLook; readonly lookedAt: number }

async function lookAgain({ queue }: Database, last: LastLook | null): Promise<LastLook> {
  const now = performance.now()
  if (last !== null && now - last.lookedAt < WHOLE_EVERY_MS) {
    const due = await passTime(queue, last.due)
    if (due !== null) return { due, lookedAt: last.lookedAt }
  }
  return { due: await loadDueWork(queue), lookedAt: now }
}

/**
 * With its jitter, less than a second: a push that is accepted for a second later is seen before it is due. A failed
 * look is followed by another one after a growing pause, as in every loop.
 */
const LOOK_MS = 800
/** More than the longest wait between two looks. */
const AHEAD_MS = 1_200
/** All work is looked at again after this time, even if the database did not change. */
const WHOLE_EVERY_MS = 10_000

/** The longest wait of a loop that is woken. Its own looks are for work that the look at everything has overlooked. */
export const WOKEN_IDLE_MAX_MS = 60_000
