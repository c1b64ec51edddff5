import type { JourneyReentry } from '../../rules/journeys.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Content } from '../push/message.ts'
import type { AttributeCondition, WrittenFilter } from '../segments/segment.ts'

/** A journey as it is followed: what its document says, once it was found good. */
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

/** So many days from a date that is an attribute of the person, at a time of day in their zone. */
export type DateTrigger = {
  readonly kind: 'date'
  readonly attribute: string
  readonly offsetDays: number
  readonly at: string
  readonly isYearly: boolean
}

/** An event of this name whose attributes all compare as asked. */
export type EventMatch = { readonly event: string; readonly where: readonly AttributeCondition[] }

/** The id of a step, or null for the end. */
export type Way = string | null

export type Step =
  | SendStep
  | { readonly kind: 'wait'; readonly id: string; readonly ms: number; readonly next: Way }
  | {
      readonly kind: 'wait_until'
      readonly id: string
      /** Monday is 1; none means any day. */
      readonly weekdays: readonly number[]
      readonly at: string
      readonly next: Way
    }
  | WaitForStep
  | {
      readonly kind: 'branch'
      readonly id: string
      readonly filter: WrittenFilter
      readonly yes: Way
      readonly no: Way
    }
  | { readonly kind: 'split'; readonly id: string; readonly ways: readonly SplitWay[] }
  | { readonly kind: 'webhook'; readonly id: string; readonly endpointId: string; readonly next: Way }
  | { readonly kind: 'set'; readonly id: string; readonly change: PersonChange; readonly next: Way }

export type SendStep = {
  readonly kind: 'send'
  readonly id: string
  /** It goes to those of them on which the person has a live device. */
  readonly platforms: readonly Platform[]
  readonly message: SendMessage
  readonly next: Way
}

export type SendMessage = { readonly content: Content; readonly callerNotificationId: bigint | null }

export type WaitForStep = {
  readonly kind: 'wait_for'
  readonly id: string
  readonly match: EventMatch
  readonly timeoutMs: number
  readonly yes: Way
  readonly no: Way
}

export type SplitWay = { readonly percent: number; readonly way: Way }

/** A value of null takes the attribute away. */
export type PersonChange =
  | { readonly kind: 'attribute'; readonly attribute: string; readonly value: AttributeValue }
  | { readonly kind: 'tag'; readonly tag: string; readonly isAdded: boolean }

export type AttributeValue = string | number | bigint | boolean | null

/** Begins at `from` on each of the days and ends at the next `to`, which may lie past midnight. */
export type QuietWindow = {
  readonly weekdays: readonly number[]
  readonly from: string
  readonly to: string
}

/** Where a step can lead. */
export function waysOf(step: Step): readonly Way[] {
  if ('next' in step) return [step.next]
  return step.kind === 'split' ? step.ways.map(({ way }) => way) : [step.yes, step.no]
}

/** The names of the events that this journey wants to hear of. */
export function eventNamesOf({ trigger, steps, goal, exit }: Journey): readonly string[] {
  const awaited = [...steps.values()].flatMap((step) => (step.kind === 'wait_for' ? [step.match] : []))
  const matches = [...(trigger.kind === 'event' ? [trigger.match] : []), ...awaited, goal, exit]
  return [...new Set(matches.flatMap((match) => (match === null ? [] : [match.event])))]
}
