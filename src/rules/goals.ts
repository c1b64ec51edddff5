import type { DocumentRows } from './documents.ts'
import { EVENT_NAME, EVENT_WHERE } from './segments.ts'

/** The moments from which the time of a goal counts: the push service accepted the message, or the person clicked it. */
export const GOAL_STARTS = ['delivery', 'click'] as const
export type GoalStart = (typeof GOAL_STARTS)[number]

export const GOAL_LIMITS = {
  withinDaysMax: 30,
  /** Goals of a brand that are counted at a time, of campaigns and of journeys each; beyond this the newest ones. */
  goalsMax: 200,
  /** An event that is told later than so many days after the end of the goal's time is not counted. */
  lateDays: 30,
  /** Goal events of one person that are counted after their first message. */
  eventsPerPersonMax: 1_000,
} as const

/** The time in which the goal of a journey counts for the last message of the journey before it. */
export const JOURNEY_GOAL = { from: 'delivery', within_days: 3 } as const satisfies {
  readonly from: GoalStart
  readonly within_days: number
}

/** The goal of a campaign as callers write it. */
export const GOAL_DOCUMENTS = {
  CampaignGoal: {
    kind: 'campaign',
    description: 'The event that a campaign is to bring about, and the time in which it counts.',
    shape: {
      type: 'object',
      keys: {
        event: { use: 'required', shape: EVENT_NAME, meaning: 'The name of the event.' },
        where: EVENT_WHERE,
        from: {
          use: 'required',
          shape: { type: 'word', words: GOAL_STARTS },
          meaning: 'Whether the time counts from the delivery of the message, or from the click on it.',
        },
        within_days: {
          use: 'required',
          shape: { type: 'integer', min: 1, max: GOAL_LIMITS.withinDaysMax },
          meaning: 'The days after that moment in which the event counts.',
        },
      },
    },
  },
} as const satisfies DocumentRows
