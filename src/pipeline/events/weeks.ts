import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { withOwner } from '../../store/db.ts'
import { maintainWeeks } from '../../store/events/weeks.ts'

export type EventWeekDeps = {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly log: Log
  readonly config: { readonly eventRetentionDays: number }
}

const EVERY_MS = 3_600_000

/** Keeps tables for the weeks to come and drops those past their retention: at start, and every hour. */
export async function runEventWeeks(deps: EventWeekDeps, context: LoopContext): Promise<void> {
  const { clock, log, config } = deps
  let ranAt = Number.NEGATIVE_INFINITY
  await runLoop(
    {
      name: 'event-weeks',
      claim: async () => (Math.abs(clock.now() - ranAt) >= EVERY_MS ? ['round'] : []),
      work: async () =>
        withOwner(deps.databaseUrl, async (owner) =>
          maintainWeeks(owner, { now: clock.now(), retentionDays: config.eventRetentionDays }),
        ),
      settle: async (_, { made, dropped }) => {
        ranAt = clock.now()
        if (made.length > 0) log.debug('tables for coming events were made', { made })
        if (dropped.length > 0) log.info('tables of events past their retention were dropped', { dropped })
      },
      lease: null,
      concurrency: 1,
      idle: { minMs: 60_000, maxMs: EVERY_MS },
    },
    context,
  )
}
