import { PROFILE_ATTRIBUTES } from './attributes.ts'
import type { DocumentForm } from './documents.ts'
import { JOURNEY_LIMITS, WEEKDAYS } from './journeys.ts'
import { EVENT_NAME, EVENT_WHERE } from './segments.ts'

const STEP_ID = { type: 'text', charsMin: 1, charsMax: JOURNEY_LIMITS.stepIdCharsMax } as const
const ID = {
  use: 'required',
  shape: STEP_ID,
  meaning: 'The name of the step; unique in the journey.',
} as const
const NEXT = {
  use: 'optional',
  shape: STEP_ID,
  meaning: 'The id of the step that comes next, or end; when absent, the step that follows in the list.',
} as const
const DURATION = { type: 'named', name: 'Duration' } as const
export const WEEKDAY_LIST = {
  use: 'optional',
  shape: {
    type: 'list',
    of: { type: 'word', words: WEEKDAYS },
    noun: 'weekdays',
    itemsMin: 1,
    itemsMax: WEEKDAYS.length,
  },
  meaning: 'Only these weekdays; every day when absent.',
} as const
export const EVENT_KEY = { use: 'required', shape: EVENT_NAME, meaning: 'The name of the event.' } as const
const TAG = { type: 'text', charsMin: 1, charsMax: JOURNEY_LIMITS.tagCharsMax } as const

/** A step with one way out has `next` beside it; any other names its ways inside. */
const ONE_WAY = { id: ID, next: NEXT } as const
const MORE_WAYS = { id: ID } as const

/** The forms of a step. A step has exactly one of these keys. `isWait`: a person may stay in the step. */
export const JOURNEY_STEPS = {
  send: {
    meaning: 'Notifies the person.',
    shape: { type: 'push', schema: 'JourneyMessage' },
    beside: ONE_WAY,
    isWait: false,
  },
  wait: { meaning: 'Waits for a length of time.', shape: DURATION, beside: ONE_WAY, isWait: true },
  wait_until: {
    meaning: 'Waits for a time of day in the person’s zone.',
    shape: {
      type: 'object',
      keys: {
        weekdays: WEEKDAY_LIST,
        at: { use: 'required', shape: { type: 'clock' }, meaning: 'The time of day.' },
      },
    },
    beside: ONE_WAY,
    isWait: true,
  },
  wait_for: {
    meaning: 'Waits for an event, and goes another way when none comes.',
    shape: {
      type: 'object',
      keys: {
        event: EVENT_KEY,
        where: EVENT_WHERE,
        within: { use: 'required', shape: DURATION, meaning: 'How long to wait at most.' },
        yes: { ...NEXT, meaning: 'As next, when the event came.' },
        no: { ...NEXT, meaning: 'As next, when the time is over.' },
      },
    },
    beside: MORE_WAYS,
    isWait: true,
  },
  branch: {
    meaning: 'Goes one of two ways by a segment filter.',
    shape: {
      type: 'object',
      keys: {
        filter: {
          use: 'required',
          shape: { type: 'named', name: 'SegmentFilter' },
          meaning: 'The filter that is asked about the person.',
        },
        yes: { ...NEXT, meaning: 'As next, when the filter holds.' },
        no: { ...NEXT, meaning: 'As next, when it does not hold.' },
      },
    },
    beside: MORE_WAYS,
    isWait: false,
  },
  split: {
    meaning: 'Goes one of several ways by chance, always the same for one person.',
    shape: {
      type: 'list',
      of: {
        type: 'object',
        keys: {
          percent: {
            use: 'required',
            shape: { type: 'integer', min: 1, max: 99 },
            meaning: 'How many of a hundred people go this way. All ways together make 100.',
          },
          next: NEXT,
        },
      },
      noun: 'ways',
      itemsMin: 2,
      itemsMax: JOURNEY_LIMITS.waysMax,
    },
    beside: MORE_WAYS,
    isWait: false,
  },
  set: {
    meaning: 'Sets an attribute or a tag of the person.',
    shape: {
      type: 'forms',
      forms: {
        attribute: {
          meaning: 'The name of an attribute of the person.',
          shape: { type: 'text', charsMin: 1, charsMax: PROFILE_ATTRIBUTES.nameCharsMax },
          beside: {
            value: {
              use: 'nullable',
              shape: { type: 'value', charsMax: PROFILE_ATTRIBUTES.stringCharsMax },
              meaning: 'Its new value; null, or nothing, takes the attribute away.',
            },
          },
        },
        add_tag: { meaning: 'A tag to give to the person.', shape: TAG },
        remove_tag: { meaning: 'A tag to take from the person.', shape: TAG },
      },
    },
    beside: ONE_WAY,
    isWait: false,
  },
  webhook: {
    meaning: 'Calls a webhook endpoint of the brand.',
    shape: {
      type: 'object',
      keys: {
        endpoint_id: {
          use: 'required',
          shape: { type: 'uuid', of: 'a webhook endpoint' },
          meaning: 'The id of the endpoint.',
        },
      },
    },
    beside: ONE_WAY,
    isWait: false,
  },
} as const satisfies Record<string, DocumentForm & { readonly isWait: boolean }>

export type JourneyStepKind = keyof typeof JOURNEY_STEPS

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

type EnrolmentEnd = 'completed' | 'goal' | 'exited'
export type EnrolmentState = 'active' | EnrolmentEnd
