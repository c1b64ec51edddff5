/** The groups of people who get no message, beside the places of the variants, which count from 0. */
export const TRIAL_GROUPS = { holdout: -1, control: -2 } as const
