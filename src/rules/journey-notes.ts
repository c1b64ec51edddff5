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
