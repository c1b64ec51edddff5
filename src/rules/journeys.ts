/** The format of a stored journey. A later format gets the next number, and the old ones are still read. */
export const JOURNEY_FORMAT = 1

/** Bounds of a journey. Every one of them is checked when it is saved, so that nobody checks again later. */
export const JOURNEY_LIMITS = {
  nameCharsMax: 200,
  stepsMax: 50,
  stepIdCharsMax: 50,
  waysMax: 10,
  quietWindowsMax: 21,
  /** Conditions in the filters of all branches together, and segments that they refer to. */
  filterNodesMax: 500,
  referencesMax: 20,
  waitMsMin: 1_000,
  waitMsMax: 365 * 86_400_000,
  offsetDaysMax: 365,
  tagCharsMax: 100,
  /** How many steps one enrolment may take before it is ended: a loop of reminders is not for ever. */
  visitsMax: 500,
  /** How often one person may be inside the same journey at once, where re-entry is `always`. */
  insideMax: 10,
  /** How many notes of a person's path are kept: the newest. */
  pathNotesMax: 50,
  /** How many enrolments of one person in one journey are kept: the newest. */
  enrolmentsMax: 50,
  /** How many notes a dry run follows, and how many events it may be told. */
  dryRunNotesMax: 200,
  dryRunEventsMax: 20,
  /** Days that are counted by step in one reply. */
  stepDaysMax: 92,
  /** People whom a search in a journey looks at. */
  searchedMax: 10_000,
  versionsMax: 1_000,
  journeysMax: 500,
} as const

/** Where a way may lead beside a step. */
export const JOURNEY_END = 'end'

/** How often a person may enter. */
export const JOURNEY_REENTRY = ['never', 'after_exit', 'always'] as const
export type JourneyReentry = (typeof JOURNEY_REENTRY)[number]

/** In the order of ISO 8601, where Monday is 1. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

/** Units of a length of time, in milliseconds. */
export const DURATION_UNITS = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
} as const

/** Where a send may go: one platform, or every one on which the person has a live device. */
export const JOURNEY_ANYWHERE = 'anywhere'

/** The states of a journey, and which may follow which. Nothing leads out of `archived`. */
export const JOURNEY_STATES = {
  draft: { next: ['active', 'archived'] },
  active: { next: ['paused', 'archived'] },
  paused: { next: ['active', 'archived'] },
  archived: { next: [] },
} as const satisfies Record<string, { readonly next: readonly string[] }>

export type JourneyState = keyof typeof JOURNEY_STATES

/** The days of which the list of journeys counts messages. */
export const JOURNEY_RECENT_DAYS = 30
