import { JOURNEY_NOTES, type JourneyNote } from '../../rules/journey-steps.ts'
import type { JourneyState } from '../../rules/journeys.ts'
import {
  type Explained,
  explainNotification,
  type NotificationFacts,
  type StoredFacts,
} from '../push/explanation.ts'
import { type Explanation, explanation } from '../push/explanation-text.ts'
import { unreachable } from '../unreachable.ts'
import { type Enrolment, isMatch, isSince, type JourneyEvent, type StepNote } from './journey.ts'
import type { Journey } from './plan.ts'

/** An event that might have let a person in. */
type TriggerEvent = JourneyEvent & { readonly isBeforeCreation: boolean }

/** The facts about a person who was never in a journey. */
type OutsiderFacts = {
  readonly state: JourneyState
  readonly activeSince: number | null
  /** The newest times that the person did what starts it. */
  readonly triggers: readonly TriggerEvent[]
  readonly now: number
}

/** Why somebody is not in a journey: each of their events is judged as the pipeline judges it. */
export function explainOutsider(journey: Journey, facts: OutsiderFacts): readonly Explanation[] {
  const { state, activeSince } = facts
  const resting = state === 'active' ? [] : [explanation('journey_not_active', { state })]
  return activeSince === null ? resting : [...resting, ...explainTrigger(journey, facts, activeSince)]
}

function explainTrigger(
  { trigger }: Journey,
  { state, triggers, now }: OutsiderFacts,
  since: number,
): readonly Explanation[] {
  switch (trigger.kind) {
    case 'segment':
      return [explanation('never_in_segment_change', { change: trigger.change, segment: trigger.segmentId })]
    case 'date':
      return [explanation('date_not_due', { attribute: trigger.attribute })]
    case 'event': {
      const { match } = trigger
      if (triggers.length === 0) return [explanation('trigger_never_came', { event: match.event })]
      return triggers.map((event) => {
        const words = { event: match.event, at: iso(event.at), since: iso(since) }
        if (event.isBeforeCreation) return explanation('trigger_before_creation', words)
        if (!isSince(event.at, since)) return explanation('trigger_before_activation', words)
        if (!isMatch(match, event, now)) return explanation('trigger_where', words)
        return explanation(state === 'active' ? 'trigger_fresh' : 'trigger_while_resting', words)
      })
    }
    default:
      return unreachable(trigger)
  }
}

/** The facts about a person who is or was in a journey: their last enrolment, and its notifications. */
type InsiderFacts = Omit<OutsiderFacts, 'activeSince'> & {
  readonly enrolment: Pick<Enrolment, 'state' | 'step' | 'wakeAt' | 'enteredAt'> & {
    readonly path: readonly PathNote[]
  }
  readonly sends: readonly JourneySend[]
}

type PathNote = StepNote & { readonly at: number }

/** A notification that was asked for at a moment of the path. */
type JourneySend = Omit<StoredSend, 'facts'> & { readonly facts: NotificationFacts }

/** The same, as it is stored. */
export type StoredSend = { readonly id: string; readonly askedAt: number; readonly facts: StoredFacts }

/** One sentence of the explanation: an entry of the path, or a conclusion from it. */
type PathReason = {
  readonly code: Explanation['code'] | JourneyNote
  readonly message: string
  readonly step?: string | null
  readonly at?: string
  readonly notification?: string
}

export type ExplainedPath = { readonly isReached: boolean; readonly reasons: readonly PathReason[] }

/**
 * Explains the path of a person inside a journey: each step, the outcome of each notification, the next step, and the
 * reason why the person did not enter again. The journey is null when it cannot be read.
 */
export function explainInsider(journey: Journey | null, facts: InsiderFacts): ExplainedPath {
  const { path } = facts.enrolment
  const sends = facts.sends.map((send) => ({ ...send, ...explainNotification(send.facts) }))
  const byMoment = Map.groupBy(sends, ({ askedAt }) => askedAt)
  const happened = path.flatMap((note, index) =>
    isLastSend(path, index) ? [toldNote(note), ...outcomesOf(byMoment.get(note.at))] : [toldNote(note)],
  )
  return {
    isReached: sends.some(({ isReached }) => isReached),
    reasons: [...happened, ...explainNext(facts), ...explainReentry(journey, facts)],
  }
}

/** Send steps that follow each other without a wait share a moment; the outcomes of all of them follow the last one. */
function isLastSend(path: readonly PathNote[], index: number): boolean {
  const isSend = ({ did }: PathNote): boolean => did === 'sent'
  const note = path[index]
  if (note === undefined || !isSend(note)) return false
  return !path.slice(index + 1).some((other) => isSend(other) && other.at === note.at)
}

function toldNote({ at, step, did }: PathNote): PathReason {
  return { code: did, message: JOURNEY_NOTES[did].sentence, step, at: iso(at) }
}

function outcomesOf(sends: readonly (JourneySend & Explained)[] = []): readonly PathReason[] {
  if (sends.length === 0) return [explanation('outcome_forgotten')]
  return sends.flatMap(({ id, reasons }) => reasons.map((reason) => ({ ...reason, notification: id })))
}

function explainNext({ state, enrolment: { step, wakeAt } }: InsiderFacts): readonly Explanation[] {
  if (step === null || wakeAt === null) return []
  if (state !== 'active') return [explanation('journey_rests', { state, step })]
  return [explanation('journey_goes_on', { step, at: iso(wakeAt) })]
}

/** Explains why the newest repeat of the trigger event did not let the person enter again. */
function explainReentry(
  journey: Journey | null,
  { state, enrolment, triggers, now }: InsiderFacts,
): readonly Explanation[] {
  if (journey?.trigger.kind !== 'event') return []
  const { match } = journey.trigger
  const again = triggers.find(
    (event) => event.at > enrolment.enteredAt && !event.isBeforeCreation && isMatch(match, event, now),
  )
  if (again === undefined) return []
  const words = { event: match.event, at: iso(again.at) }
  if (journey.reentry === 'never') return [explanation('entered_before', words)]
  const leftAt = enrolment.state === 'active' ? Number.POSITIVE_INFINITY : (enrolment.path.at(-1)?.at ?? 0)
  const isInside = journey.reentry === 'after_exit' && again.at < leftAt
  if (isInside) return [explanation('inside_already', words)]
  return state === 'active' ? [] : [explanation('trigger_while_resting', words)]
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
