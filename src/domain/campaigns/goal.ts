import type { GoalStart } from '../../rules/goals.ts'
import type { Platform } from '../../rules/platforms.ts'
import { isMatch, isSince, type JourneyEvent } from '../journeys/journey.ts'
import type { EventMatch } from '../journeys/steps.ts'

/** The event that a message is to bring about, and the time after the message in which it counts. */
export type Goal = {
  readonly match: EventMatch
  /** The moment from which the time counts: the message was accepted by the push service, or it was clicked. */
  readonly from: GoalStart
  readonly withinMs: number
}

/** The campaign or the journey that a goal belongs to. */
export type GoalSource = { readonly kind: 'campaign' | 'journey'; readonly id: bigint }

/** A message that a person got, or clicked, with the goal of its campaign or journey. */
export type GoalMessage = {
  readonly profileId: bigint
  readonly source: GoalSource
  readonly goal: Goal
  /** The step of the journey that sent it. */
  readonly step: string | null
  readonly notificationId: string
  readonly subscriptionId: bigint
  readonly platform: Platform
  readonly variant: number | null
  readonly at: number
}

/** An event of a person that may be a goal. `ltv` is a decimal, as text. */
export type GoalEvent = JourneyEvent & {
  readonly id: bigint
  readonly profileId: bigint
  readonly ltv: string
}

/** An event that counts for a message. */
export type Conversion = { readonly event: GoalEvent; readonly message: GoalMessage }

/**
 * Gives each event to the last message before it whose goal it is: an event counts once, whoever asks for it. Of two
 * messages of the same moment the one with the greater id is the last.
 */
export function attributeGoals(
  { messages, events }: { readonly messages: readonly GoalMessage[]; readonly events: readonly GoalEvent[] },
  now: number,
): readonly Conversion[] {
  const byPerson = Map.groupBy(messages, ({ profileId }) => profileId)
  return events.flatMap((event) => {
    const own = (byPerson.get(event.profileId) ?? []).filter(
      ({ goal, at }) => isWithin(event.at, at, goal.withinMs) && isMatch(goal.match, event, now),
    )
    const [first, ...others] = own
    if (first === undefined) return []
    return [{ event, message: others.reduce((last, next) => (isLater(next, last) ? next : last), first) }]
  })
}

/** One person of a campaign: sent to, or held out. */
export type CampaignPerson = {
  readonly campaignId: bigint
  readonly profileId: bigint
  /** When the campaign was planned to reach them, or would have. */
  readonly plannedAt: number
}

/** The goal events of one person after the planned send, whoever brought them about. */
export type GoalPerson = {
  readonly campaignId: bigint
  readonly profileId: bigint
  readonly events: readonly GoalEvent[]
}

/** The people of campaigns who did what the campaign wants within its time. People without such an event are left out. */
export function countGoalPeople(
  {
    people,
    events,
    goals,
  }: {
    readonly people: readonly CampaignPerson[]
    readonly events: readonly GoalEvent[]
    readonly goals: ReadonlyMap<bigint, Goal>
  },
  now: number,
): readonly GoalPerson[] {
  const byPerson = Map.groupBy(events, ({ profileId }) => profileId)
  return people.flatMap(({ campaignId, profileId, plannedAt }) => {
    const goal = goals.get(campaignId)
    if (goal === undefined) return []
    const did = (byPerson.get(profileId) ?? []).filter(
      (event) => isWithin(event.at, plannedAt, goal.withinMs) && isMatch(goal.match, event, now),
    )
    return did.length === 0 ? [] : [{ campaignId, profileId, events: did }]
  })
}

function isWithin(at: number, since: number, withinMs: number): boolean {
  return isSince(at, since) && at < since + withinMs
}

function isLater(a: GoalMessage, b: GoalMessage): boolean {
  if (a.at !== b.at) return a.at > b.at
  if (a.notificationId !== b.notificationId) return a.notificationId > b.notificationId
  return a.subscriptionId > b.subscriptionId
}
