import { systemSleep } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { listBrands } from '../../store/brand/brands.ts'
import type { CampaignRef } from '../../store/campaigns/campaigns.ts'
import { findOverdueDecisions, lockUndecided } from '../../store/campaigns/decisions.ts'
import { saveCampaignState } from '../../store/campaigns/states.ts'
import { countReachedPeople, saveReachedPeople } from '../../store/campaigns/work.ts'
import type { Database } from '../../store/db.ts'
import { findBehind } from '../../store/events/readers.ts'
import { JourneyPlans } from '../../store/journeys/plans.ts'
import { findScans } from '../../store/journeys/scans.ts'
import { findDueJourneys, JOURNEY_READER } from '../../store/journeys/work.ts'
import { loadMoment } from '../../store/push/planning.ts'
import { OPEN_STATES, skipDue } from '../../store/push/skip-due.ts'
import { hearEvents } from '../journeys/events.ts'
import { scanJourney } from '../journeys/scans.ts'
import { advanceJourney, type StepDeps } from '../journeys/steps.ts'

export type SkipDeps = { readonly database: Database; readonly log: Log }

export type Skipped = {
  /** Notifications that were cancelled, or whose zones up to now were. */
  readonly notifications: number
  /** Campaigns that end without a comparison of their variants, and without the rest of their audience. */
  readonly campaigns: number
  /** Enrolments that moved on. */
  readonly people: number
}

const AT_ONCE = 100
const PAGE = 500

/**
 * Lets everything that is due pass without sending it, while sending is held: journeys do all they would have done by
 * now but send and call, notifications whose time has come are cancelled, and so are campaigns whose variants were to be
 * compared by now, because the comparison sends the rest. Each step is a transaction of its own, so
 * one that is killed has done a part, and can be run again.
 */
export async function skipAllDue({ database, log }: SkipDeps): Promise<Skipped> {
  const now = await loadMoment(database)
  const people = await skipSteps({ database, plans: new JourneyPlans(log) }, now)
  const notifications = await cancelDue(database, now)
  const campaigns = await untilNone(
    async () => findOverdueDecisions(database, { now, limit: AT_ONCE }),
    async (ref) => cancelUndecided(database, ref, now),
  )
  return { notifications, campaigns, people }
}

/** People who are still to enter come first, so that they take their first steps now and not after the hold. */
async function skipSteps(deps: StepDeps, now: number): Promise<number> {
  const { database } = deps
  const page = { now, limit: AT_ONCE }
  await untilNone(
    async () => findBehind(database, { reader: JOURNEY_READER, limit: AT_ONCE }),
    async (brandId) => Number(await hearEvents(deps, brandId, { now })),
  )
  await untilNone(
    async () => findScans(database, page),
    async (ref) => Number(await scanJourney(deps, ref, { now })),
  )
  return untilNone(
    async () => findDueJourneys(database, page),
    async (ref) => advanceJourney(deps, ref, { now, isSkipping: true }),
  )
}

const STALLS_MAX = 100
const STALL_MS = 100

/** Repeats until nothing is left. A row that a worker has locked is tried again for a moment, and then reported as left. */
async function untilNone<Item>(
  find: () => Promise<readonly Item[]>,
  work: (item: Item) => Promise<number>,
): Promise<number> {
  let done = 0
  for (let stalls = 0; stalls < STALLS_MAX; ) {
    const before = done
    const items = await find()
    if (items.length === 0) return done
    for (const item of items) done += await work(item)
    if (done > before) continue
    stalls += 1
    await systemSleep(STALL_MS, NEVER)
  }
  throw new Error('rows are held by somebody else, and what is due in them cannot be skipped')
}

const NEVER = new AbortController().signal

async function cancelDue(database: Database, now: number): Promise<number> {
  let notifications = 0
  let brands = await listBrands(database, { afterId: 0, limit: AT_ONCE })
  while (brands.length > 0) {
    for (const { id } of brands) notifications += await cancelDueOf(database, id, now)
    brands = await listBrands(database, { afterId: brands.at(-1)?.id ?? 0, limit: AT_ONCE })
  }
  return notifications
}

async function cancelDueOf(database: Database, brandId: number, now: number): Promise<number> {
  let notifications = 0
  for (const state of OPEN_STATES) {
    let afterId = FIRST_ID
    for (;;) {
      const page = { brandId, state, afterId, now, limit: PAGE }
      const ids = await database.asEngine(async (tx) => skipDue(tx, page))
      notifications += ids.length
      afterId = ids.at(-1) ?? afterId
      if (ids.length < PAGE) break
    }
  }
  return notifications
}

async function cancelUndecided(database: Database, ref: CampaignRef, now: number): Promise<number> {
  return database.asEngine(async (tx) => {
    if ((await lockUndecided(tx, ref)) === null) return 0
    await saveCampaignState(tx, ref, { state: 'cancelled', now })
    await saveReachedPeople(tx, ref, await countReachedPeople(tx, ref))
    return 1
  })
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
