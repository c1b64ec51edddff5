import type { DocumentRows } from './documents.ts'

/** Bounds of sending to each person at the hour of the day at which they are most often active. */
export const BEST_HOUR_LIMITS = {
  withinHoursMin: 1,
  /** Every hour of the day comes once within a day, so more hours would change nothing. */
  withinHoursMax: 24,
  /** Events of so many days decide. */
  daysBack: 60,
  /** Quarter hours of activity that are kept for one person, and how many of them remain when there are more. */
  quartersMax: 400,
  quartersRemaining: 300,
  /** Devices that a dry run looks at; the rest of a larger audience is not counted. */
  dryRunDevicesMax: 50_000,
} as const

/** The time of a campaign that each person gets at their own hour, as callers write it. */
export const BEST_HOUR_DOCUMENTS = {
  CampaignBestHour: {
    kind: 'campaign',
    description:
      'Sends to each person at the hour of the day at which they were most often active in the last 60 days.',
    shape: {
      type: 'object',
      keys: {
        within_hours: {
          use: 'required',
          shape: {
            type: 'integer',
            min: BEST_HOUR_LIMITS.withinHoursMin,
            max: BEST_HOUR_LIMITS.withinHoursMax,
          },
          meaning: 'The hours after the launch within which everybody gets the message.',
        },
      },
    },
  },
} as const satisfies DocumentRows
