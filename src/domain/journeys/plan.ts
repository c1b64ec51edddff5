import type { JourneyReentry } from '../../rules/journeys.ts'
import type { EventMatch, Step } from './steps.ts'
import type { DateTrigger, QuietWindow } from './time.ts'

/** A journey that was read from its document and checked. */
export type Journey = {
  readonly trigger: Trigger
  readonly first: string
  readonly steps: ReadonlyMap<string, Step>
  readonly goal: EventMatch | null
  readonly exit: EventMatch | null
  readonly reentry: JourneyReentry
  readonly quietHours: readonly QuietWindow[]
}

export type Trigger =
  | { readonly kind: 'event'; readonly match: EventMatch }
  | { readonly kind: 'segment'; readonly change: 'entered' | 'left'; readonly segmentId: bigint }
  | DateTrigger

/** The names of the events that this journey wants to hear of. */
export function eventNamesOf({ trigger, steps, goal, exit }: Journey): readonly string[] {
  const awaited = [...steps.values()].flatMap((step) => (step.kind === 'wait_for' ? [step.match] : []))
  const matches = [...(trigger.kind === 'event' ? [trigger.match] : []), ...awaited, goal, exit]
  return [...new Set(matches.flatMap((match) => (match === null ? [] : [match.event])))]
}
