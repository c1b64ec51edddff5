import type { JsonObject } from '../values/json.ts'
import {
  type Enrolment,
  enter,
  isMatch,
  isSince,
  type JourneyEvent,
  mayEnter,
  move,
  type StepNote,
} from './journey.ts'
import type { Journey } from './plan.ts'

/** A journey that people may enter now, in its newest version. */
export type OpenJourney = {
  readonly journeyId: bigint
  readonly version: number
  readonly journey: Journey
  /** Events before this moment do not start the journey. */
  readonly activeSince: number
}

/** A person inside a journey. `id` is null for one who has just entered and is not stored yet. */
export type Inside = {
  readonly id: bigint | null
  readonly journeyId: bigint
  readonly version: number
  readonly enrolment: Enrolment
  /** The attributes of the event that let them in. */
  readonly event: JsonObject | null
  /** The notes since the enrolment was loaded. */
  readonly notes: readonly StepNote[]
}

/** The journey is that of their version; null when it cannot be read. Then they stand still, and are inside all the same. */
export type Planned = Inside & { readonly journey: Journey | null }

export type PersonEvent = JourneyEvent & { readonly profileId: bigint }

type FoldQuery = {
  readonly open: readonly OpenJourney[]
  /** Everyone inside among the people of the events. */
  readonly inside: readonly Planned[]
  /** Each person who was ever inside, as the `knownKey` of journey and person. */
  readonly known: ReadonlySet<string>
  /** In the order they happened. */
  readonly events: readonly PersonEvent[]
  readonly now: number
}

export function knownKey({ journeyId, profileId }: { journeyId: bigint; profileId: bigint }): string {
  return `${journeyId}/${profileId}`
}

/**
 * The enrolments that a list of events changes: people who enter, and people inside who move on. Each event first moves
 * the people who were inside before it, and then lets people in; so the event that starts a journey is not also its goal.
 */
export function foldEvents({ open, inside, known, events, now }: FoldQuery): readonly Planned[] {
  const people = new Map<bigint, Insider[]>()
  for (const one of inside) ensure(people, one.enrolment.profileId).push({ ...one, isChanged: false })
  const everInside = new Set(known)
  for (const event of events) {
    const insiders = ensure(people, event.profileId)
    for (const [at, one] of insiders.entries()) insiders[at] = hearOne(one, event, now)
    for (const journey of open) {
      const entered = tryEnter(journey, event, { insiders, everInside, now })
      if (entered === null) continue
      insiders.push(entered)
      everInside.add(knownKey({ journeyId: journey.journeyId, profileId: event.profileId }))
    }
  }
  return [...people.values()].flat().filter(({ isChanged }) => isChanged)
}

type Insider = Planned & { readonly isChanged: boolean }

function ensure(people: Map<bigint, Insider[]>, profileId: bigint): Insider[] {
  const insiders = people.get(profileId) ?? []
  people.set(profileId, insiders)
  return insiders
}

function hearOne(one: Insider, event: JourneyEvent, now: number): Insider {
  if (one.journey === null) return one
  const { enrolment, notes } = move(one.journey, one.enrolment, event, now)
  if (enrolment === one.enrolment) return one
  return { ...one, enrolment, notes: [...one.notes, ...notes], isChanged: true }
}

type Entering = {
  readonly insiders: readonly Insider[]
  readonly everInside: ReadonlySet<string>
  readonly now: number
}

function tryEnter(
  { journeyId, version, journey, activeSince }: OpenJourney,
  event: PersonEvent,
  { insiders, everInside, now }: Entering,
): Insider | null {
  const { trigger } = journey
  if (trigger.kind !== 'event' || !isMatch(trigger.match, event, now)) return null
  if (!isSince(event.at, activeSince)) return null
  const { profileId, at } = event
  const inside = insiders.filter(
    (one) => one.journeyId === journeyId && one.enrolment.state === 'active',
  ).length
  const isKnown = everInside.has(knownKey({ journeyId, profileId }))
  if (!mayEnter(journey, { inside, isKnown })) return null
  const { enrolment, notes } = enter(journey, { profileId, at, startAt: now, now })
  return { id: null, journeyId, version, journey, enrolment, event: event.attributes, notes, isChanged: true }
}
