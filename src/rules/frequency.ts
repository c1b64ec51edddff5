/** How many notifications a person may get on one day of the brand's zone, over journeys and broadcasts together. */
export const FREQUENCY_LIMITS = {
  perDayMax: 100,
  /** Days that are over are forgotten after so many more. */
  keepDays: 2,
} as const

/** What a delivery says that was left out for it. */
export const FREQUENCY_REASON = 'frequency_cap'
