import { systemSleep } from '../../runtime/clock.ts'
import { BackoffList } from '../../runtime/loop/backoff-list.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import type { Database } from '../../store/db.ts'
import { findBehind } from '../../store/events/readers.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import { JourneyPlans } from '../../store/journeys/plans.ts'
import { findScans } from '../../store/journeys/scans.ts'
import { findDueJourneys, JOURNEY_READER } from '../../store/journeys/work.ts'
import { loadHold } from '../../store/push/sending-hold.ts'
import { hearEvents } from './events.ts'
import { scanJourney } from './scans.ts'
import { advanceJourney } from './steps.ts'

/** How long to wait while all who are due are locked by other transactions. */
const LOCKED_MS = 50

/**
 * Runs the journeys of all brands: hears of events, looks at segments and dates, and lets people take their steps.
 * There is nothing to lease: each piece of work is one transaction that holds what it works on, and what a worker
 * that dies was doing never happened. An item that fails waits, and no other waits for it.
 */
export async function runJourneys(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const { sleep } = context.time ?? { sleep: systemSleep }
  const deps = { database, plans: new JourneyPlans(context.log) }
  const common = { settle: async () => undefined, lease: null, concurrency: 2 } as const
  const brands = new BackoffList<number>({ nameOf: (brandId) => `brand ${brandId}` })
  const walks = new BackoffList<JourneyRef>({ nameOf })
  const scans = new BackoffList<JourneyRef>({ nameOf })
  await Promise.all([
    runLoop(
      {
        ...common,
        name: 'journey-events',
        claim: async (limit) =>
          findBehind(database, { reader: JOURNEY_READER, limit, except: brands.waiting() }),
        failed: brands,
        work: async (brandId) => notifyIf(database, await hearEvents(deps, brandId)),
        idle: { minMs: 50, maxMs: 300 },
        wakeOn: 'events',
      },
      context,
    ),
    runLoop(
      {
        ...common,
        name: 'journey-steps',
        // Steps send and call. Events and segments go on being looked at: who reached the goal need not be told.
        claim: async (limit) =>
          (await loadHold(database)) === null
            ? findDueJourneys(database, { now: null, limit, except: walks.waiting() })
            : [],
        failed: walks,
        work: async (ref, signal) => {
          if ((await advanceJourney(deps, ref)) > 0) return database.notify('send')
          // Another worker or a merge has locked everyone who is due. They stay due, and must not be asked for without end.
          await sleep(LOCKED_MS, signal)
        },
        idle: { minMs: 50, maxMs: 200 },
        wakeOn: 'journeys',
      },
      context,
    ),
    runLoop(
      {
        ...common,
        name: 'journey-scans',
        claim: async (limit) => findScans(database, { now: null, limit, except: scans.waiting() }),
        failed: scans,
        work: async (ref) => notifyIf(database, await scanJourney(deps, ref)),
        concurrency: 1,
        idle: { minMs: 500, maxMs: 2_000 },
        wakeOn: 'journeys',
      },
      context,
    ),
  ])
}

/** People may have entered, and their first step is due. */
function notifyIf(database: Database, isDone: boolean): void {
  if (isDone) database.notify('journeys')
}

function nameOf({ brandId, journeyId }: JourneyRef): string {
  return `journey ${journeyId} of brand ${brandId}`
}
