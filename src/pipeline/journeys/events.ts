import {
  foldEvents,
  knownKey,
  type OpenJourney,
  type PersonEvent,
  type Planned,
} from '../../domain/journeys/fold.ts'
import { isSince } from '../../domain/journeys/journey.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import type { Db } from '../../store/db.ts'
import { loadBatchEvents, loadEventsSince } from '../../store/events/person-events.ts'
import { advanceReader, loadBatches, takeReader } from '../../store/events/readers.ts'
import { saveEnrolments } from '../../store/journeys/enrolment-saving.ts'
import { loadKnown, lockInside } from '../../store/journeys/enrolments.ts'
import { JOURNEY_READER, type ListeningJourney, loadListening } from '../../store/journeys/work.ts'
import { loadMoment } from '../../store/push/planning.ts'
import type { StepDeps } from './steps.ts'

/** About 5000 events: enough that reading costs nothing, few enough that their attributes fit in memory. */
const BATCHES_MAX = 5

/**
 * Lets the journeys of one brand hear of the events that were stored since they last listened. The place of the reader
 * moves in the same transaction, so each event is heard once; one worker at a time does this for a brand.
 */
export async function hearEvents(
  { database, plans }: StepDeps,
  brandId: number,
  given: { readonly now?: number } = {},
): Promise<boolean> {
  return database.asEngine(async (tx) => {
    const place = await takeReader(tx, { brandId, reader: JOURNEY_READER })
    if (place === null) return false
    const batches = await loadBatches(tx, place, { batchesMax: BATCHES_MAX })
    const last = batches.at(-1)
    if (last === undefined) return false
    const listening = await loadListening(tx, brandId)
    const names = [...new Set(listening.flatMap(({ listens }) => listens))]
    const batchIds = batches.map(({ id }) => id)
    const events = await loadBatchEvents(tx, { brandId, batchIds, names })
    if (events.length > 0) {
      const now = given.now ?? (await loadMoment(tx))
      const open = await openJourneys({ database, plans }, tx, { brandId, listening })
      await fold(tx, { brandId, events, open, now, plans })
    }
    await advanceReader(tx, place, last)
    return true
  })
}

/** The journeys that people may enter, with their documents. */
async function openJourneys(
  { plans }: StepDeps,
  tx: Db,
  { brandId, listening }: { readonly brandId: number; readonly listening: readonly ListeningJourney[] },
): Promise<readonly OpenJourney[]> {
  const active = listening.filter(({ state }) => state === 'active')
  const planOf = await plans.load(tx, brandId, active)
  return active.flatMap(({ journeyId, version, activeSince }) => {
    const journey = planOf({ journeyId, version })
    return journey === null ? [] : [{ journeyId, version, journey, activeSince }]
  })
}

type Fold = {
  readonly brandId: number
  readonly events: readonly PersonEvent[]
  readonly open: readonly OpenJourney[]
  readonly now: number
  readonly plans: StepDeps['plans']
}

async function fold(tx: Db, { brandId, events, open, now, plans }: Fold): Promise<void> {
  const profileIds = [...new Set(events.map(({ profileId }) => profileId))]
  const enrolled = await lockInside(tx, brandId, profileIds)
  const journeyIds = open.map(({ journeyId }) => journeyId)
  const known = await loadKnown(tx, brandId, { journeyIds, profileIds })
  const planOf = await plans.load(tx, brandId, enrolled)
  const inside = enrolled.map((one) => ({ ...one, journey: planOf(one) }))
  const changed = foldEvents({ open, inside, known: new Set(known.map(knownKey)), events, now })
  const caughtUp = await hearEarlier(tx, { brandId, changed, now })
  await saveEnrolments(tx, { brandId, changed: caughtUp, now })
}

type Earlier = {
  readonly brandId: number
  readonly changed: readonly Planned[]
  readonly now: number
}

/** A goal that was told before its trigger was, and happened after it, ends the journey as it begins. */
async function hearEarlier(tx: Db, { brandId, changed, now }: Earlier): Promise<readonly Planned[]> {
  const entered = changed.filter(({ id, enrolment }) => id === null && enrolment.state === 'active')
  const enders = entered.flatMap(({ journey }) => endingNames(journey))
  const people = entered
    .filter(({ journey }) => endingNames(journey).length > 0)
    .map(({ enrolment }) => ({
      profileId: enrolment.profileId,
      since: Math.floor(enrolment.enteredAt / 1_000) * 1_000,
    }))
  const events = await loadEventsSince(tx, { brandId, people, names: [...new Set(enders)] })
  if (events.length === 0) return changed
  const byPerson = Map.groupBy(events, ({ profileId }) => profileId)
  const heard = entered.map((one) => {
    const { profileId, enteredAt } = one.enrolment
    const own = (byPerson.get(profileId) ?? []).filter(({ at }) => isSince(at, enteredAt))
    const [after] = foldEvents({ open: [], inside: [one], known: new Set(), events: own, now })
    return after ?? one
  })
  const isEntered = new Set(entered)
  return [...changed.filter((one) => !isEntered.has(one)), ...heard]
}

/** The events that end a journey. The one that starts it is not among them: it has been heard. */
function endingNames(journey: Journey | null): readonly string[] {
  if (journey === null) return []
  const { goal, exit, trigger } = journey
  const start = trigger.kind === 'event' ? trigger.match.event : null
  return [goal, exit].flatMap((match) => (match === null || match.event === start ? [] : [match.event]))
}
