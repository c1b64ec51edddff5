import { attributeGoals, countGoalPeople } from '../../domain/campaigns/goal.ts'
import { splitByWeight } from '../../domain/values/split-by-weight.ts'
import { GOAL_LIMITS } from '../../rules/goals.ts'
import { BackoffList } from '../../runtime/loop/backoff-list.ts'
import { GatherList } from '../../runtime/loop/gather-list.ts'
import type { LoopContext } from '../../runtime/loop/loop.ts'
import { runLoop } from '../../runtime/loop/run.ts'
import { clearConversions, saveConversions, saveGoalPeople } from '../../store/campaigns/conversions.ts'
import { findGoalRecounts, takeGoalRecounts } from '../../store/campaigns/goal-recounts.ts'
import {
  findGoalSweeps,
  type GoalSweep,
  loadSweptPeople,
  saveGoalSweep,
} from '../../store/campaigns/goal-sweeps.ts'
import {
  findGoalDoers,
  GOAL_READER,
  loadCampaignPeople,
  loadGoalMessages,
  loadGoals,
  type PeopleQuery,
  type SourcedGoal,
} from '../../store/campaigns/goals.ts'
import type { Database, Db } from '../../store/db.ts'
import { loadEventsSince } from '../../store/events/person-events.ts'
import { advanceReader, type Batch, findBehind, loadBatches, takeReader } from '../../store/events/readers.ts'
import { loadMoment } from '../../store/push/planning.ts'

/** A batch may be one event. Most events are of no goal, so a turn reads more of them than other readers do. */
const TURN = { batchesMax: 400, entriesMax: 60_000 } as const
/** Events of five seconds are read together: a turn has a fixed cost, and a person with several of them is counted once. */
const GATHER_MS = 5_000
/** Brands that one look finds. Brands that are found wait, so a look must find more of them than the loop works on. */
const BRANDS_MAX = 1_000
const PEOPLE_MAX = 1_000
const SWEPT_MAX = 5_000

/**
 * Counts goals: reads the committed events in order, and finds the message that each goal event counts for. What is
 * counted follows from what is stored, so a person may be counted again at any time, with the same result. Everybody
 * who counts the goals of a brand locks the place of their reader first, because a person with several goal events
 * counts as one (`count_conversions` in the schema).
 */
export async function runGoals(
  { database }: { readonly database: Database },
  context: LoopContext,
): Promise<void> {
  const common = { settle: async () => undefined, lease: null, idle: { minMs: 100, maxMs: 1_000 } } as const
  const brands = new BackoffList<number>({ nameOf: (brandId) => `brand ${brandId}` })
  const gathering = new GatherList<number>({ waitMs: GATHER_MS })
  await Promise.all([
    runLoop(
      {
        ...common,
        name: 'goal-events',
        claim: async (limit) => {
          const except = [...brands.waiting(), ...gathering.leftOut()]
          return gathering.take(
            await findBehind(database, { reader: GOAL_READER, limit: BRANDS_MAX, except }),
            limit,
          )
        },
        failed: brands,
        work: async (brandId) =>
          gathering.run(brandId, async () => (await takeTurn(database, brandId)) === 'more'),
        concurrency: 2,
        wakeOn: 'events',
      },
      context,
    ),
    runLoop(
      {
        ...common,
        name: 'goal-sweeps',
        claim: async (limit) => findGoalSweeps(database, limit),
        work: async (sweep) => sweepGoal(database, sweep),
        concurrency: 1,
        wakeOn: 'campaigns',
      },
      context,
    ),
    runLoop(
      {
        ...common,
        name: 'goal-recounts',
        claim: async (limit) => findGoalRecounts(database, limit),
        work: async (brandId) => recountMerged(database, brandId),
        concurrency: 1,
        wakeOn: 'campaigns',
      },
      context,
    ),
  ])
}

/** Counts the goals of one brand in the events that were stored since it last did; whether there were any. */
export async function hearGoals(database: Database, brandId: number): Promise<boolean> {
  return (await takeTurn(database, brandId)) !== 'nothing'
}

/** `more`: the turn took as much as it may, and others wait. */
type Turn = 'nothing' | 'all' | 'more'

async function takeTurn(database: Database, brandId: number): Promise<Turn> {
  return database.asEngine(async (tx) => {
    const place = await takeReader(tx, { brandId, reader: GOAL_READER })
    if (place === null) return 'nothing'
    const batches = await loadBatches(tx, place, TURN)
    const last = batches.at(-1)
    if (last === undefined) return 'nothing'
    const goals = await loadGoals(tx, brandId)
    const batchIds = batches.map(({ id }) => id)
    const profileIds = await findGoalDoers(tx, { brandId, batchIds, names: namesIn(goals), goals })
    await countPeople(tx, { brandId, goals, profileIds })
    await advanceReader(tx, place, last)
    return isFull(batches) ? 'more' : 'all'
  })
}

function isFull(batches: readonly Batch[]): boolean {
  const entries = batches.reduce((sum, batch) => sum + batch.entries, 0)
  return batches.length === TURN.batchesMax || entries >= TURN.entriesMax
}

/** One page of a sweep: the people who did the goal while the campaign was sent are counted again. */
export async function sweepGoal(database: Database, sweep: GoalSweep): Promise<void> {
  await database.asEngine(async (tx) => {
    const { brandId } = sweep
    await takeReader(tx, { brandId, reader: GOAL_READER })
    const { profileIds, lastId } = await loadSweptPeople(tx, sweep, SWEPT_MAX)
    await countPeople(tx, { brandId, goals: await loadGoals(tx, brandId), profileIds })
    await saveGoalSweep(tx, sweep, lastId)
  })
}

/** Counts people of a brand again whose events moved because of a merge, or of the end of one. */
export async function recountMerged(database: Database, brandId: number): Promise<void> {
  await database.asEngine(async (tx) => {
    await takeReader(tx, { brandId, reader: GOAL_READER })
    const profileIds = await takeGoalRecounts(tx, brandId, PEOPLE_MAX)
    const counted = { brandId, goals: await loadGoals(tx, brandId), profileIds }
    await clearConversions(tx, counted)
    await countPeople(tx, counted)
  })
}

async function countPeople(tx: Db, { profileIds, ...rest }: PeopleQuery): Promise<void> {
  const people = [...new Set(profileIds)]
  for (const part of splitByWeight(people, () => 1, PEOPLE_MAX)) {
    await countPart(tx, { ...rest, profileIds: part })
  }
}

async function countPart(tx: Db, { brandId, goals, profileIds }: PeopleQuery): Promise<void> {
  const now = await loadMoment(tx)
  const messages = await loadGoalMessages(tx, { brandId, profileIds, goals })
  const people = await loadCampaignPeople(tx, { brandId, profileIds, goals })
  const since = firstMoments([
    ...messages,
    ...people.map(({ profileId, plannedAt }) => ({ profileId, at: plannedAt })),
  ])
  const events = await loadEventsSince(tx, {
    brandId,
    people: since,
    names: namesIn(goals),
    perPersonMax: GOAL_LIMITS.eventsPerPersonMax,
    isBare: goals.every(({ goal }) => goal.match.where.length === 0),
  })
  const goalOf = new Map(
    goals.flatMap(({ source, goal }) => (source.kind === 'campaign' ? [[source.id, goal] as const] : [])),
  )
  await saveConversions(tx, brandId, attributeGoals({ messages, events }, now))
  await saveGoalPeople(tx, {
    brandId,
    people,
    reached: countGoalPeople({ people, events, goals: goalOf }, now),
  })
}

function namesIn(goals: readonly SourcedGoal[]): readonly string[] {
  return [...new Set(goals.map(({ goal }) => goal.match.event))]
}

/** Since when events of each person may count: from their first message, or their first planned one, on. */
function firstMoments(
  moments: readonly { readonly profileId: bigint; readonly at: number }[],
): readonly { readonly profileId: bigint; readonly since: number }[] {
  const since = new Map<bigint, number>()
  for (const { profileId, at } of moments) since.set(profileId, Math.min(since.get(profileId) ?? at, at))
  return [...since].map(([profileId, at]) => ({ profileId, since: Math.floor(at / 1_000) * 1_000 }))
}
