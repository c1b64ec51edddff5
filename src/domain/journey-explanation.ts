import type { JourneyState } from '../rules/journey-notes.ts'
import { type Explanation, explanation } from './explanation.ts'
import { isMatch, isSince, type JourneyEvent } from './journey.ts'
import type { Journey } from './journey-plan.ts'
import { unreachable } from './unreachable.ts'

/** What the store knows of a person who was never in a journey. */
export type OutsiderFacts = {
  readonly state: JourneyState
  readonly activeSince: number | null
  /** The newest times that the person did what starts it. */
  readonly triggers: readonly (JourneyEvent & { readonly isBeforeCreation: boolean })[]
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
  { triggers, now }: OutsiderFacts,
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
        return explanation(isMatch(match, event, now) ? 'trigger_fresh' : 'trigger_where', words)
      })
    }
    default:
      return unreachable(trigger)
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
