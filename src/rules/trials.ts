import type { DocumentRows } from './documents.ts'

/** Bounds of the ways in which a campaign divides its people. */
export const TRIAL_LIMITS = {
  variantsMin: 2,
  variantsMax: 8,
  weightMax: 1_000,
  nameCharsMax: 50,
  holdoutPercentMax: 50,
  /** The brand's own group that gets no campaigns. */
  controlPercentMax: 20,
  testPercentMin: 1,
  testPercentMax: 90,
  afterHoursMin: 1,
  afterHoursMax: 168,
  confidenceMin: 0.8,
  confidenceMax: 0.999,
  /** The confidence of intervals, and of a test that names none. */
  confidenceDefault: 0.95,
} as const

/** The groups of people who get no message, beside the places of the variants, which count from 0. */
export const TRIAL_GROUPS = { holdout: -1, control: -2 } as const

/** The figures by which a test of variants can be decided. */
export const WINNER_FIGURES = ['click', 'goal'] as const
export type WinnerFigure = (typeof WINNER_FIGURES)[number]

const CONTENT = { type: 'push', schema: 'CampaignContent' } as const
const NAME = { type: 'text', charsMin: 1, charsMax: TRIAL_LIMITS.nameCharsMax } as const

/** The variants of a campaign and the choice between them, as callers write them. */
export const TRIAL_DOCUMENTS = {
  CampaignVariant: {
    kind: 'campaign',
    description: 'One of the contents that a campaign compares.',
    shape: {
      type: 'object',
      keys: {
        name: {
          use: 'required',
          shape: NAME,
          meaning: 'The name of the variant, which no other variant has.',
        },
        weight: {
          use: 'required',
          shape: { type: 'integer', min: 0, max: TRIAL_LIMITS.weightMax },
          meaning: 'The share of the people who get it, against the weights of the others.',
        },
        content: {
          use: 'optional',
          shape: CONTENT,
          meaning: 'Fields that take the place of those in the content of the campaign.',
        },
        android: { use: 'optional', shape: CONTENT, meaning: 'The same on Android.' },
        ios: { use: 'optional', shape: CONTENT, meaning: 'The same on iOS.' },
        web: { use: 'optional', shape: CONTENT, meaning: 'The same in browsers.' },
        languages: {
          use: 'optional',
          shape: { type: 'push', schema: 'CampaignLanguages' },
          meaning: 'Fields in other languages, over those in the languages of the campaign.',
        },
      },
    },
  },
  CampaignWinner: {
    kind: 'campaign',
    description: 'How the variants are tried on a part of the audience before the rest gets the better one.',
    shape: {
      type: 'object',
      keys: {
        by: {
          use: 'required',
          shape: { type: 'word', words: WINNER_FIGURES },
          meaning: 'The figure that is compared: people who clicked, or people who reached the goal.',
        },
        test_percent: {
          use: 'required',
          shape: { type: 'integer', min: TRIAL_LIMITS.testPercentMin, max: TRIAL_LIMITS.testPercentMax },
          meaning: 'The percentage of the audience that the variants are tried on.',
        },
        after_hours: {
          use: 'required',
          shape: { type: 'integer', min: TRIAL_LIMITS.afterHoursMin, max: TRIAL_LIMITS.afterHoursMax },
          meaning: 'The hours after the begin of sending at which the figures are compared, once.',
        },
        confidence: {
          use: 'optional',
          shape: { type: 'number' },
          meaning: 'How sure the difference must be, 0.8 to 0.999; 0.95 when absent.',
        },
        otherwise: {
          use: 'required',
          shape: NAME,
          meaning: 'The name of the variant that the rest gets if no difference is found.',
        },
      },
    },
  },
} as const satisfies DocumentRows
