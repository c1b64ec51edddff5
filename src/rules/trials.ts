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
