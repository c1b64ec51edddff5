import type { EnrolmentState } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import type { Platform } from '../../rules/platforms.ts'
import {
  type Enrolment,
  enter,
  type Facts,
  isMatch,
  isSince,
  type JourneyEvent,
  mayEnter,
  move,
  type StepNote,
  type Wish,
} from './journey.ts'
import type { Journey } from './plan.ts'

/** The facts about a person as they are now. A rehearsal takes them to hold until its end. */
export type RehearsalFacts = {
  readonly profileId: bigint
  readonly zone: string
  readonly livePlatforms: readonly Platform[]
  /** The steps with a filter that holds for the person. */
  readonly filtered: ReadonlySet<string>
  /** The webhook endpoints that can be called. */
  readonly callable: ReadonlySet<string>
  readonly splitKey: string
}

export type Rehearsal = {
  readonly journey: Journey
  readonly facts: RehearsalFacts
  /** Events that are taken to happen, in the order of their times. */
  readonly events: readonly JourneyEvent[]
  readonly now: number
}

/** Something that would happen, and when. */
export type RehearsedNote = StepNote & {
  readonly at: number
  /** False for a branch that is judged by what is true now, although the person may be changed by then. */
  readonly isCertain: boolean
  readonly wishes: readonly Wish[]
}

export type Rehearsed = {
  readonly notes: readonly RehearsedNote[]
  readonly state: EnrolmentState
  /** Whether the way was longer than a rehearsal follows. */
  readonly isCut: boolean
}

export type EntryReason = 'would_enter' | 'was_inside' | 'is_inside' | 'no_match'

/** Whether the trigger would let the person in, and why not. `event` is the one that triggers, if an event does. */
export function rehearseEntry(
  journey: Journey,
  {
    inside,
    isKnown,
    event,
  }: { readonly inside: number; readonly isKnown: boolean; readonly event: JourneyEvent },
): EntryReason {
  const { trigger } = journey
  if (trigger.kind === 'event' && !isMatch(trigger.match, event, event.at)) return 'no_match'
  if (mayEnter(journey, { inside, isKnown })) return 'would_enter'
  return inside > 0 ? 'is_inside' : 'was_inside'
}

/** The way of a person who enters now. */
export function rehearse(rehearsal: Rehearsal): Rehearsed {
  const { journey, facts, now } = rehearsal
  const { enrolment, notes } = enter(journey, { profileId: facts.profileId, at: now, startAt: now, now })
  const entered = notes.map((note) => ({ ...note, at: now, isCertain: true, wishes: [] }))
  return follow(rehearsal, enrolment, entered)
}

/** The further way of a person who is inside. */
export function rehearseFurther(rehearsal: Rehearsal, enrolment: Enrolment): Rehearsed {
  return follow(rehearsal, enrolment, [])
}

/**
 * Moves an enrolment as the engine does, by the same functions, from one moment at which something happens to the next:
 * a wait that ends, or an event that is taken to happen. An event comes first where both are due.
 */
function follow(
  { journey, facts, events, now: begunAt }: Rehearsal,
  begun: Enrolment,
  before: readonly RehearsedNote[],
): Rehearsed {
  const notes = [...before]
  let [enrolment, now, heard, isChanged] = [begun, begunAt, 0, false]
  while (enrolment.state === 'active' && notes.length < JOURNEY_LIMITS.dryRunNotesMax) {
    const event = events[heard]
    const wakeAt = Math.max(enrolment.wakeAt ?? now, now)
    const isEventNext = event !== undefined && event.at <= wakeAt
    now = Math.max(now, isEventNext ? event.at : wakeAt)
    const passed = events.filter(({ at }) => at <= now && isSince(at, enrolment.stepAt))
    const happening = isEventNext
      ? event
      : ({ kind: 'woke', facts: factsOf(facts, journey, enrolment, passed) } as const)
    if (isEventNext) heard += 1
    const moved = move(journey, enrolment, happening, now)
    const isLater = now > begunAt || isChanged
    for (const note of moved.notes) {
      const isBranch = note.did === 'branch_yes' || note.did === 'branch_no'
      notes.push({ ...note, at: now, isCertain: !(isBranch && isLater), wishes: moved.wishes })
    }
    isChanged ||= moved.wishes.some(({ kind }) => kind === 'change')
    enrolment = moved.enrolment
  }
  return { notes, state: enrolment.state, isCut: enrolment.state === 'active' }
}

function factsOf(
  { zone, livePlatforms, filtered, callable, splitKey }: RehearsalFacts,
  { steps }: Journey,
  enrolment: Enrolment,
  recent: readonly JourneyEvent[],
): Facts {
  const step = enrolment.step === null ? undefined : steps.get(enrolment.step)
  return {
    isThere: true,
    isDouble: false,
    zone,
    livePlatforms,
    isInFilter: step !== undefined && filtered.has(step.id),
    isLocked: false,
    isCallable: step?.kind === 'webhook' && callable.has(step.endpointId),
    recent,
    splitKey,
    isSkipping: false,
  }
}
