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
