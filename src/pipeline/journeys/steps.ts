import type { PersonEvent } from '../../domain/journeys/fold.ts'
import { type Facts, isDue, move, type Wish } from '../../domain/journeys/journey.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import type { Step } from '../../domain/journeys/steps.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import { acceptJourneyPushes } from '../../intake/push/journey.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { stableId } from '../../runtime/secrets/stable-id.ts'
import type { Database, Db } from '../../store/db.ts'
import { loadEventsSince } from '../../store/events/person-events.ts'
import { lockFreePeople, saveJourneyChanges } from '../../store/journeys/changes.ts'
import { saveEnrolments } from '../../store/journeys/enrolment-saving.ts'
import {
  claimDueEnrolments,
  type JourneyRef,
  type LockedEnrolment,
  putOffEnrolments,
} from '../../store/journeys/enrolments.ts'
import { findInFilter, type JourneyPerson, loadJourneyPeople } from '../../store/journeys/people.ts'
import { type JourneyPlans, UNREADABLE_EVERY_MS } from '../../store/journeys/plans.ts'
import { closeArchived, shareJourney } from '../../store/journeys/work.ts'
import { loadMoment } from '../../store/push/planning.ts'
import { resolveFilter } from '../../store/segments/filters.ts'
import { findEnabled } from '../../store/webhooks/endpoints.ts'
import { enqueueWebhooks } from '../../store/webhooks/outbox.ts'

export type StepDeps = { readonly database: Database; readonly plans: JourneyPlans }

/** So many people a transaction: a quarter of a second of work, and as much to do over after a kill. */
const PEOPLE_MAX = 500
const CLOSED_MAX = 5_000

/** `isSkipping`: they move as they would have, but nothing of that is sent or called. */
type Given = { readonly now?: number; readonly isSkipping?: boolean }

/**
 * Lets those of a journey whose time has come take their steps, as far as they lead at once, and says how many there
 * were. What is wished for is written in the same transaction as where they stand then, so that a worker that dies at
 * any moment has done both or neither.
 */
export async function advanceJourney(
  { database, plans }: StepDeps,
  ref: JourneyRef,
  given: Given = {},
): Promise<number> {
  return database.asEngine(async (tx) => {
    const state = await shareJourney(tx, ref)
    const now = given.now ?? (await loadMoment(tx))
    if (state === 'archived') return closeArchived(tx, ref, { now, rowsMax: CLOSED_MAX })
    if (state !== 'active') return 0
    const claimed = await claimDueEnrolments(tx, { ...ref, now, limit: PEOPLE_MAX })
    if (claimed.length === 0) return 0
    const planOf = await plans.load(tx, ref.brandId, claimed)
    const walkers = claimed.flatMap((one) => {
      const journey = planOf(one)
      return journey === null ? [] : [{ ...one, journey }]
    })
    const stuck = claimed.filter((one) => planOf(one) === null && isDue(one.enrolment, now))
    const ids = stuck.map(({ id }) => id)
    await putOffEnrolments(tx, ref.brandId, { ids, until: now + UNREADABLE_EVERY_MS })
    const people = await loadJourneyPeople(
      tx,
      ref.brandId,
      walkers.map(({ enrolment }) => enrolment.profileId),
    )
    const isSkipping = given.isSkipping === true
    const changed = await takeSteps(tx, { ...ref, database, now, people, isSkipping }, walkers)
    await saveEnrolments(tx, { brandId: ref.brandId, changed, now })
    return claimed.length
  })
}

type Walk = JourneyRef & {
  readonly database: Database
  readonly now: number
  readonly people: ReadonlyMap<bigint, JourneyPerson>
  readonly isSkipping: boolean
}

type Walker = LockedEnrolment & { readonly journey: Journey }

/**
 * Takes one step for each person, round by round, until everyone waits or has left, and returns the people who moved. A
 * round runs for all of them together: the filter of a branch is asked once for all people who stand there, after the
 * changes of the round before.
 */
async function takeSteps(tx: Db, walk: Walk, claimed: readonly Walker[]): Promise<readonly Walker[]> {
  const standing = new Map(claimed.map((one) => [one.id, one]))
  let moving: readonly Walker[] = claimed
  // A way without a wait visits a step once at most.
  for (let round = 0; moving.length > 0 && round <= JOURNEY_LIMITS.stepsMax + 1; round += 1) {
    const seen = {
      filtered: await findFiltered(tx, walk, moving),
      recent: await loadRecent(tx, walk, moving),
      callable: await findCallable(tx, walk, moving),
      free: await holdChanging(tx, walk, moving),
    }
    const moved = moving.map((one) => moveOne(walk, one, seen))
    const unchanged = await grant(tx, walk, moved)
    const taken = moved.map(({ one }) => (unchanged.has(one.id) ? noteUnchanged(one) : one))
    for (const one of taken) standing.set(one.id, one)
    moving = taken.filter(({ enrolment }) => isDue(enrolment, walk.now))
  }
  return claimed.flatMap((before) => {
    const one = standing.get(before.id) ?? before
    return one.enrolment === before.enrolment ? [] : [one]
  })
}

type MovedOne = {
  readonly one: Walker
  readonly before: Walker
  readonly wishes: readonly Wish[]
}

type Seen = {
  readonly filtered: ReadonlySet<bigint>
  readonly recent: ReadonlyMap<bigint, readonly PersonEvent[]>
  readonly callable: ReadonlySet<string>
  /** The people whom no other transaction is changing. */
  readonly free: ReadonlySet<bigint>
}

function moveOne(walk: Walk, one: Walker, { filtered, recent, callable, free }: Seen): MovedOne {
  const step = stepOf(one)
  const person = walk.people.get(one.enrolment.profileId)
  const facts: Facts = {
    isThere: person !== undefined,
    isDouble: one.isDouble,
    // A name that only another machine knows must not hold everybody up.
    zone: timeZoneOf(person?.zone ?? '') ?? 'UTC',
    livePlatforms: person?.livePlatforms ?? [],
    isInFilter: filtered.has(one.id),
    isLocked: step?.kind === 'set' && !free.has(one.enrolment.profileId),
    isCallable: step?.kind === 'webhook' && callable.has(step.endpointId),
    recent: recent.get(one.enrolment.profileId) ?? [],
    splitKey: String(walk.journeyId),
    isSkipping: walk.isSkipping,
  }
  const moved = move(one.journey, one.enrolment, { kind: 'woke', facts }, walk.now)
  const next = { ...one, enrolment: moved.enrolment, notes: [...one.notes, ...moved.notes] }
  return { one: next, before: one, wishes: moved.wishes }
}

/** The enrolments at a branch whose filter holds for the person. */
async function findFiltered(
  tx: Db,
  { brandId, now }: Walk,
  moving: readonly Walker[],
): Promise<ReadonlySet<bigint>> {
  const groups = Map.groupBy(moving, stepOf)
  const found = new Set<bigint>()
  for (const [step, group] of groups) {
    if (step?.kind !== 'branch') continue
    const filter = await resolveFilter(tx, brandId, step.filter)
    const profileIds = group.map(({ enrolment }) => enrolment.profileId)
    const members = await findInFilter(tx, { brandId, filter, profileIds, now })
    for (const { id, enrolment } of group) if (members.has(enrolment.profileId)) found.add(id)
  }
  return found
}

/** The events of people who are about to wait for one, since they came to the step: it may have come already. */
async function loadRecent(
  tx: Db,
  { brandId }: Walk,
  moving: readonly Walker[],
): Promise<ReadonlyMap<bigint, readonly PersonEvent[]>> {
  const waiting = moving.flatMap((one) => {
    const step = stepOf(one)
    return step?.kind === 'wait_for' && !one.enrolment.isWaiting ? [{ one, name: step.match.event }] : []
  })
  const people = waiting.map(({ one: { enrolment } }) => ({
    profileId: enrolment.profileId,
    since: Math.floor(enrolment.stepAt / 1_000) * 1_000,
  }))
  const names = [...new Set(waiting.map(({ name }) => name))]
  const events = await loadEventsSince(tx, { brandId, people, names })
  return Map.groupBy(events, ({ profileId }) => profileId)
}

/** Of the people whom this round changes, those whom no other transaction is changing. */
async function holdChanging(
  tx: Db,
  { brandId }: Walk,
  moving: readonly Walker[],
): Promise<ReadonlySet<bigint>> {
  const changing = moving.filter((one) => stepOf(one)?.kind === 'set')
  return lockFreePeople(tx, brandId, [...new Set(changing.map(({ enrolment }) => enrolment.profileId))])
}

/** Which of the endpoints that are about to be called can be. */
async function findCallable(
  tx: Db,
  { brandId }: Walk,
  moving: readonly Walker[],
): Promise<ReadonlySet<string>> {
  const ids = moving.flatMap((one) => {
    const step = stepOf(one)
    return step?.kind === 'webhook' ? [step.endpointId] : []
  })
  return findEnabled(tx, brandId, [...new Set(ids)])
}

function stepOf({ enrolment, journey }: Walker): Step | undefined {
  return enrolment.step === null ? undefined : journey.steps.get(enrolment.step)
}

/** The newest note that says so is the one of this round: nobody takes two steps in one. */
function noteUnchanged(one: Walker): Walker {
  const at = one.notes.findLastIndex(({ did }) => did === 'set')
  return {
    ...one,
    notes: one.notes.map((note, index) => (index === at ? { ...note, did: 'not_set' } : note)),
  }
}

/** Carries out the wishes of the steps. Returns the enrolments of the people whose profile could not be changed. */
async function grant(tx: Db, walk: Walk, moved: readonly MovedOne[]): Promise<ReadonlySet<bigint>> {
  const { database, brandId, now, people, journeyId } = walk
  const wished = moved.flatMap(({ before, wishes }) => wishes.map((wish) => ({ before, wish })))
  const pushes = wished.flatMap(({ before, wish }) => {
    if (wish.kind !== 'send') return []
    const { enrolment, event } = before
    const { platform, step } = wish
    const id = stableId(enrolment.wakeAt ?? now, `${brandId}/${before.id}/${enrolment.visits}/${platform}`)
    const journey = { id, journeyId, step: step.id, event }
    return [{ journey, profileId: enrolment.profileId, platform, message: step.message }]
  })
  const changes = wished.flatMap(({ before, wish }) =>
    wish.kind === 'change'
      ? [{ id: before.id, profileId: before.enrolment.profileId, change: wish.change }]
      : [],
  )
  const calls = wished.flatMap(({ before, wish }) => {
    if (wish.kind !== 'call') return []
    const { profileId } = before.enrolment
    const userId = people.get(profileId)?.userId ?? null
    const data = { journey_id: journeyId, step: wish.stepId, user_id: userId, event: before.event }
    return [{ type: 'journey.called', at: now, profileId, data, endpointId: wish.endpointId } as const]
  })
  await acceptJourneyPushes(database, tx, { brandId, pushes, now })
  const unmade = await saveJourneyChanges(tx, { brandId, changes, now })
  await enqueueWebhooks(tx, brandId, calls)
  return new Set(changes.filter((change) => unmade.has(change)).map(({ id }) => id))
}
