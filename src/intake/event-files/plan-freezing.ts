import { fileEventMs, weekEventMs } from '../../domain/events/freeze-rests.ts'
import { type EventWeek, receivedAt, weekOf } from '../../domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { withOwner } from '../../store/db.ts'
import { findDroppable } from '../../store/event-files/dropping.ts'
import {
  findFreezable,
  findUnwatched,
  isLockTimeout,
  raiseFileFences,
  watchWeek,
} from '../../store/event-files/frozen-weeks.ts'
import { findRewritable } from '../../store/event-files/manifest.ts'
import { estimateEvents, loadWeeks } from '../../store/events/weeks.ts'
import type { FreezeDeps } from './freeze.ts'
import { type FreezeTask, isUrgent } from './freeze-task.ts'

/**
 * The weeks and files to write now. Weeks that have ended are watched first, so that a change after the copy of a row is
 * noted. A week is frozen once all transactions from before the watch have ended: in the same round at the earliest.
 */
export async function planFreezing(deps: FreezeDeps): Promise<readonly FreezeTask[]> {
  const { database, clock } = deps
  const now = clock.now()
  const weeks = await loadWeeks(database)
  const ended = weeks.filter(({ endsAt }) => endsAt <= now - EVENT_FILE_LIMITS.closedAfterMs)
  for (const week of ended) await watchEnded(deps, week)
  await raiseFileFences(database)
  const freezable = await findFreezable(database, { now, limit: EVENT_FILE_LIMITS.roundWeeksMax })
  const changed = await findRewritable(database, {
    goneBefore: now - EVENT_FILE_LIMITS.goneForMs,
    changedBefore: now - EVENT_FILE_LIMITS.changedForMs,
    share: EVENT_FILE_LIMITS.changedShare,
    now,
    limit: EVENT_FILE_LIMITS.roundFilesMax,
  })
  const rewrites = changed.map(({ path, goneAt, events, ...range }) => ({
    range,
    eventMsMax: fileEventMs(events),
    replaces: path,
    drops: false,
    goneAt,
  }))
  const eventMsMax = weekEventMs(await estimateEvents(database, freezable.map(tableOf)))
  const firsts = freezable.map((range) => ({ range, eventMsMax, replaces: null, drops: false, goneAt: null }))
  const drops = (await findDrops(deps, now)).filter(
    ({ replaces }) => !changed.some(({ path }) => path === replaces),
  )
  const { urgent = [], other = [] } = Object.groupBy(rewrites, (task) =>
    isUrgent(task, now) ? 'urgent' : 'other',
  )
  return [...urgent, ...inTurn([other, firsts, drops])]
}

/**
 * The table of the week of a range. The table has the events of all brands, also of brands whose week is frozen, so the pace of a week stays
 * the same until its last brand is frozen.
 */
function tableOf({ firstId }: { readonly firstId: bigint }): string {
  return weekOf(receivedAt(firstId)).table
}

/** Takes a task of each kind in turn, so that no kind keeps another waiting when a round is not long enough for all tasks. */
function inTurn(kinds: readonly (readonly FreezeTask[])[]): readonly FreezeTask[] {
  const longest = Math.max(...kinds.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => kinds.flatMap((tasks) => tasks.slice(at, at + 1))).flat()
}

/** The files whose rows are to be dropped. Each is written once more, and compared with its rows value by value. */
async function findDrops({ database, rowsDays }: FreezeDeps, now: number): Promise<readonly FreezeTask[]> {
  if (rowsDays === null) return []
  const files = await findDroppable(database, {
    receivedBefore: now - rowsDays * DAY_MS,
    now,
    limit: EVENT_FILE_LIMITS.roundFilesMax,
  })
  return files.map(({ path, events, ...range }) => ({
    range,
    eventMsMax: fileEventMs(events),
    replaces: path,
    drops: true,
    goneAt: null,
  }))
}

const DAY_MS = 86_400_000

/** A week whose lock is not free is watched in a later round; it keeps no other week and no file from its turn. */
async function watchEnded({ databaseUrl, database, log }: FreezeDeps, week: EventWeek): Promise<void> {
  const brandIds = await findUnwatched(database, week)
  if (brandIds.length === 0) return
  try {
    await withOwner(databaseUrl, async (owner) => watchWeek(owner, { week, brandIds }))
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause
    log.debug('a week of events is being written to; it is frozen later', { week: week.table })
  }
}
