/** What a stored journey is written in. A later form gets the next number, and the old ones are still read. */
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
  /** A refusal names this many bad places and stops looking. */
  faultsMax: 20,
  /** How many steps one enrolment may take before it is ended: a loop of reminders is not for ever. */
  visitsMax: 500,
  /** How often one person may be inside the same journey at once, where re-entry is `always`. */
  insideMax: 10,
  /** What is kept of a person's path: the newest notes. */
  pathNotesMax: 50,
  /** What is kept of the times that one person was in one journey: the newest. */
  enrolmentsMax: 50,
  versionsMax: 1_000,
  journeysMax: 500,
} as const

/** What a step may do. A step has exactly one of these keys, beside `id` and, where `isPlain`, `next`. */
export const JOURNEY_STEPS = {
  send: { meaning: 'notifies the person', isPlain: true },
  wait: { meaning: 'waits for a length of time', isPlain: true },
  wait_until: { meaning: 'waits for a time of day in the person’s zone', isPlain: true },
  wait_for: { meaning: 'waits for an event, and goes another way when none comes', isPlain: false },
  branch: { meaning: 'goes one of two ways by a segment filter', isPlain: false },
  split: { meaning: 'goes one of several ways by chance, always the same for one person', isPlain: false },
  set: { meaning: 'sets an attribute or a tag of the person', isPlain: true },
  webhook: { meaning: 'calls a webhook endpoint of the brand', isPlain: true },
} as const satisfies Record<string, { readonly meaning: string; readonly isPlain: boolean }>

export type JourneyStepKind = keyof typeof JOURNEY_STEPS

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

/**
 * Everything that can happen to a person in a journey: a stable code for programs, and the sentence for whoever asks
 * why. Counts per step are kept by the same codes. What ends an enrolment names the state it ends in.
 */
export const JOURNEY_NOTES = {
  entered: { ends: null, sentence: 'The trigger came and the person entered.' },
  sent: { ends: null, sentence: 'A notification was handed to the push lane.' },
  no_live_subscription: {
    ends: null,
    sentence: 'Nothing was sent: the person had no live subscription where the step sends to.',
  },
  quiet_hours: { ends: null, sentence: 'The send waits for the quiet hours to end.' },
  waiting: { ends: null, sentence: 'The person waits here.' },
  waited: { ends: null, sentence: 'The wait is over.' },
  event_came: { ends: null, sentence: 'The awaited event came.' },
  timed_out: { ends: null, sentence: 'The awaited event did not come in time.' },
  branch_yes: { ends: null, sentence: 'The filter held, so the person took the way of yes.' },
  branch_no: { ends: null, sentence: 'The filter did not hold, so the person took the way of no.' },
  split: { ends: null, sentence: 'The person was given one of the ways, by chance and for good.' },
  set: { ends: null, sentence: 'The attribute or the tag was set.' },
  not_set: {
    ends: null,
    sentence:
      'Nothing was set: the attribute is locked to another type, or the profile has no room for more.',
  },
  called: { ends: null, sentence: 'The webhook call was handed to the outbox.' },
  not_called: { ends: null, sentence: 'Nothing was called: the webhook endpoint is gone or disabled.' },
  skipped: {
    ends: null,
    sentence: 'Nothing was sent or called: its time passed while sending was held, and was skipped.',
  },
  completed: { ends: 'completed', sentence: 'The person reached the end.' },
  goal: { ends: 'goal', sentence: 'The goal event came, so the person left with success.' },
  exit_event: { ends: 'exited', sentence: 'The exit event came, so the person left.' },
  merged: {
    ends: 'exited',
    sentence: 'The person was merged with another who was already inside, and goes on as that one.',
  },
  archived: { ends: 'exited', sentence: 'The journey was archived while the person was inside.' },
  person_gone: { ends: 'exited', sentence: 'The profile is not there any more.' },
  too_long: { ends: 'exited', sentence: 'The person took as many steps as a journey allows.' },
} as const satisfies Record<string, { readonly ends: EnrolmentEnd | null; readonly sentence: string }>

export type JourneyNote = keyof typeof JOURNEY_NOTES

export type EnrolmentEnd = 'completed' | 'goal' | 'exited'
export type EnrolmentState = 'active' | EnrolmentEnd

/** The states of a journey, and which may follow which. Nothing leads out of `archived`. */
export const JOURNEY_STATES = {
  draft: { next: ['active', 'archived'] },
  active: { next: ['paused', 'archived'] },
  paused: { next: ['active', 'archived'] },
  archived: { next: [] },
} as const satisfies Record<string, { readonly next: readonly string[] }>

export type JourneyState = keyof typeof JOURNEY_STATES
