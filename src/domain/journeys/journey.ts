import { type EnrolmentState, JOURNEY_NOTES, type JourneyNote } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import type { Platform } from '../../rules/platforms.ts'
import { compareAttribute } from '../segments/comparison.ts'
import { unreachable } from '../unreachable.ts'
import type { JsonObject } from '../values/json.ts'
import { awaitsAgain, splitWay } from './graph.ts'
import type { Journey } from './plan.ts'
import type { EventMatch, PersonChange, SendStep, Step, WaitForStep, Way } from './steps.ts'
import { nextMoment, quietUntil } from './time.ts'

/**
 * One person inside a journey. At a step they either are about to take it (`isWaiting` false) or wait in it; either
 * way nothing happens before `wakeAt`. Whoever is not `active` has no step and never moves again.
 */
export type Enrolment = {
  readonly profileId: bigint
  readonly state: EnrolmentState
  readonly step: string | null
  readonly isWaiting: boolean
  /** From when on events are awaited there: since they came; of the first step, since the trigger happened. */
  readonly stepAt: number
  readonly wakeAt: number | null
  readonly visits: number
  /** When the trigger happened, by its own time. */
  readonly enteredAt: number
}

export type Happening =
  | JourneyEvent
  /** `wakeAt` has come, or that of somebody they are one with. The facts are as of now. */
  | { readonly kind: 'woke'; readonly facts: Facts }

export type JourneyEvent = {
  readonly kind: 'event'
  readonly name: string
  readonly at: number
  readonly attributes: JsonObject
}

/** The facts about a person that a step may need. */
export type Facts = {
  readonly isThere: boolean
  /** Somebody they were merged with was inside before them. */
  readonly isDouble: boolean
  readonly zone: string
  readonly livePlatforms: readonly Platform[]
  /** Whether the filter holds, at a branch. */
  readonly isInFilter: boolean
  /** Whether another transaction has locked the person's profile, at a change. */
  readonly isLocked: boolean
  /** Whether the endpoint is there and enabled, at a webhook. */
  readonly isCallable: boolean
  /** The events of the person since they came to the step, where it waits for an event. */
  readonly recent: readonly JourneyEvent[]
  /** Part of the key of a split, so that the splits of two journeys do not send the same people one way. */
  readonly splitKey: string
  /** The step became due during a hold, and the operator ended the hold with the order to skip such steps. */
  readonly isSkipping: boolean
}

/** A side effect of a step. It is saved in the same transaction as the enrolment. */
export type Wish =
  | { readonly kind: 'send'; readonly step: SendStep; readonly platform: Platform }
  | { readonly kind: 'change'; readonly change: PersonChange }
  | { readonly kind: 'call'; readonly stepId: string; readonly endpointId: string }

/** One entry of a person's path through a journey; `step` is null for an entry about the whole journey. */
export type StepNote = { readonly step: string | null; readonly did: JourneyNote }

type Moved = {
  readonly enrolment: Enrolment
  readonly wishes: readonly Wish[]
  readonly notes: readonly StepNote[]
}

export type Entry = {
  readonly profileId: bigint
  /** When the trigger happened. */
  readonly at: number
  /** When the first step is taken. */
  readonly startAt: number
  readonly now: number
}

/** A person who enters: about to take the first step, at once or at a moment that is known already. */
export function enter(journey: Journey, { profileId, at, startAt, now }: Entry): Moved {
  const enrolment: Enrolment = {
    profileId,
    state: 'active',
    step: journey.first,
    isWaiting: false,
    stepAt: Math.min(at, startAt),
    wakeAt: Math.max(startAt, now),
    visits: 1,
    enteredAt: at,
  }
  return { enrolment, wishes: [], notes: [{ step: null, did: 'entered' }] }
}

/** Whether a trigger lets a person in, given how often they are inside now and whether they ever were. */
export function mayEnter(
  { reentry }: Journey,
  { inside, isKnown }: { readonly inside: number; readonly isKnown: boolean },
): boolean {
  switch (reentry) {
    case 'never':
      return !isKnown
    case 'after_exit':
      return inside === 0
    case 'always':
      return inside < JOURNEY_LIMITS.insideMax
    default:
      return unreachable(reentry)
  }
}

/** The enrolment after a happening, with its side effects. One waking takes one step; call it again while `isDue`. */
export function move(journey: Journey, enrolment: Enrolment, happening: Happening, now: number): Moved {
  if (enrolment.state !== 'active' || enrolment.step === null) return stay(enrolment)
  if (happening.kind === 'event') return hear(journey, enrolment, happening, now)
  return wake(journey, enrolment, happening.facts, now)
}

/** Whether there is more to do at once. */
export function isDue({ state, wakeAt }: Enrolment, now: number): boolean {
  return state === 'active' && wakeAt !== null && wakeAt <= now
}

/** Whether an event is the one that is asked for. */
export function isMatch(
  { event, where }: EventMatch,
  { name, attributes }: JourneyEvent,
  now: number,
): boolean {
  return name === event && where.every((condition) => compareAttribute(condition, attributes, now))
}

/** Times of events are told to the second, so an event of the same second is not before. */
export function isSince(at: number, since: number): boolean {
  return at >= Math.floor(since / 1_000) * 1_000
}

/** The goal comes first: who reaches it in the moment they leave has reached it. */
function hear(journey: Journey, enrolment: Enrolment, event: JourneyEvent, now: number): Moved {
  const { goal, exit, steps } = journey
  if (isSince(event.at, enrolment.enteredAt)) {
    if (goal !== null && isMatch(goal, event, now)) return end(enrolment, 'goal', now)
    if (exit !== null && isMatch(exit, event, now)) return end(enrolment, 'exit_event', now)
  }
  const step = stepOf(steps, enrolment)
  const isAwaited =
    step.kind === 'wait_for' &&
    enrolment.isWaiting &&
    isSince(event.at, enrolment.stepAt) &&
    isMatch(step.match, event, now)
  return isAwaited ? goAfter(event, enrolment, { steps, step, now }) : stay(enrolment)
}

function wake(journey: Journey, enrolment: Enrolment, facts: Facts, now: number): Moved {
  if (facts.isDouble && journey.reentry !== 'always') return end(enrolment, 'merged', now)
  if (!isDue(enrolment, now)) return stay(enrolment)
  if (!facts.isThere) return end(enrolment, 'person_gone', now)
  if (enrolment.visits > JOURNEY_LIMITS.visitsMax) return end(enrolment, 'too_long', now)
  const step = stepOf(journey.steps, enrolment)
  if (enrolment.isWaiting) return endWait(enrolment, step, now)
  return take(journey, enrolment, { step, facts, now })
}

/** When to try again to change a person whom somebody else is changing: calls are soon over. */
const LOCKED_MS = 250

type Taking = { readonly step: Step; readonly facts: Facts; readonly now: number }

function take(journey: Journey, enrolment: Enrolment, { step, facts, now }: Taking): Moved {
  switch (step.kind) {
    case 'send':
      return takeSend(journey, enrolment, { step, facts, now })
    case 'wait':
      return wait(enrolment, step.id, now + step.ms)
    case 'wait_until':
      return wait(enrolment, step.id, nextMoment(step, facts.zone, now))
    case 'wait_for':
      return takeWaitFor(journey, enrolment, { step, facts, now })
    case 'branch': {
      const did = facts.isInFilter ? 'branch_yes' : 'branch_no'
      return go(enrolment, facts.isInFilter ? step.yes : step.no, { step: step.id, did }, now)
    }
    case 'split': {
      const key = `${facts.splitKey}/${step.id}/${enrolment.profileId}`
      return go(enrolment, splitWay(step.ways, key), { step: step.id, did: 'split' }, now)
    }
    case 'set': {
      if (facts.isLocked) return { ...stay(enrolment), enrolment: { ...enrolment, wakeAt: now + LOCKED_MS } }
      const moved = go(enrolment, step.next, { step: step.id, did: 'set' }, now)
      return { ...moved, wishes: [{ kind: 'change', change: step.change }] }
    }
    case 'webhook': {
      const { id: stepId, endpointId } = step
      if (facts.isSkipping) return go(enrolment, step.next, { step: stepId, did: 'skipped' }, now)
      const did = facts.isCallable ? 'called' : 'not_called'
      const moved = go(enrolment, step.next, { step: stepId, did }, now)
      return facts.isCallable ? { ...moved, wishes: [{ kind: 'call', stepId, endpointId }] } : moved
    }
    default:
      return unreachable(step)
  }
}

function takeSend(
  { quietHours }: Journey,
  enrolment: Enrolment,
  { step, facts, now }: Taking & { readonly step: SendStep },
): Moved {
  if (facts.isSkipping) return go(enrolment, step.next, { step: step.id, did: 'skipped' }, now)
  const quietEnd = quietUntil(quietHours, facts.zone, now)
  if (quietEnd !== null) {
    const notes = [{ step: step.id, did: 'quiet_hours' }] as const
    return { enrolment: { ...enrolment, wakeAt: quietEnd }, wishes: [], notes }
  }
  const platforms = step.platforms.filter((platform) => facts.livePlatforms.includes(platform))
  const did = platforms.length === 0 ? 'no_live_subscription' : 'sent'
  const moved = go(enrolment, step.next, { step: step.id, did }, now)
  return { ...moved, wishes: platforms.map((platform) => ({ kind: 'send', step, platform })) }
}

/** An event between the arrival at the step and this moment counts as the awaited one. The trigger itself does not. */
function takeWaitFor(
  { trigger, steps }: Journey,
  enrolment: Enrolment,
  { step, facts, now }: Taking & { readonly step: WaitForStep },
): Moved {
  const { stepAt, enteredAt } = enrolment
  const isTriggered = trigger.kind === 'event' && trigger.match.event === step.match.event
  const awaited = facts.recent.find(
    (event) =>
      isSince(event.at, stepAt) && isMatch(step.match, event, now) && !(isTriggered && event.at <= enteredAt),
  )
  if (awaited !== undefined) return goAfter(awaited, enrolment, { steps, step, now })
  return wait(enrolment, step.id, now + step.timeoutMs)
}

type Awaited = { readonly steps: Journey['steps']; readonly step: WaitForStep; readonly now: number }

/** An event satisfies one `wait_for` only. Where the way leads to a wait for the same event, only a later second counts. */
function goAfter({ at }: JourneyEvent, enrolment: Enrolment, { steps, step, now }: Awaited): Moved {
  const stepAt = awaitsAgain(step, steps) ? (Math.floor(at / 1_000) + 1) * 1_000 : now
  return go({ ...enrolment, stepAt }, step.yes, { step: step.id, did: 'event_came' }, now)
}

function endWait(enrolment: Enrolment, step: Step, now: number): Moved {
  if (step.kind === 'wait_for') return go(enrolment, step.no, { step: step.id, did: 'timed_out' }, now)
  if (step.kind === 'wait' || step.kind === 'wait_until') {
    return go(enrolment, step.next, { step: step.id, did: 'waited' }, now)
  }
  throw new Error(`nobody waits in a step of kind ${step.kind}`)
}

function stay(enrolment: Enrolment): Moved {
  return { enrolment, wishes: [], notes: [] }
}

function wait(enrolment: Enrolment, step: string, until: number): Moved {
  const waiting = { ...enrolment, isWaiting: true, wakeAt: until }
  return { enrolment: waiting, wishes: [], notes: [{ step, did: 'waiting' }] }
}

function go(enrolment: Enrolment, way: Way, note: StepNote, now: number): Moved {
  if (way === null) {
    const ended = end(enrolment, 'completed', now)
    return { ...ended, notes: [note, ...ended.notes] }
  }
  const visits = enrolment.visits + 1
  const stepAt = Math.max(now, enrolment.stepAt)
  const next = { ...enrolment, step: way, isWaiting: false, stepAt, wakeAt: now, visits }
  return { enrolment: next, wishes: [], notes: [note] }
}

function end(enrolment: Enrolment, did: Ending, now: number): Moved {
  const ended = {
    ...enrolment,
    state: JOURNEY_NOTES[did].ends,
    step: null,
    isWaiting: false,
    stepAt: now,
    wakeAt: null,
  }
  return { enrolment: ended, wishes: [], notes: [{ step: null, did }] }
}

type Ending = {
  readonly [Name in JourneyNote]: (typeof JOURNEY_NOTES)[Name]['ends'] extends null ? never : Name
}[JourneyNote]

function stepOf(steps: ReadonlyMap<string, Step>, { step }: Enrolment): Step {
  const found = step === null ? undefined : steps.get(step)
  if (found === undefined) throw new Error(`an enrolment stands at ${step}, and there is no such step`)
  return found
}
