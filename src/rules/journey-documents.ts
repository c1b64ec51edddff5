import type { DocumentForms, DocumentKey, DocumentKeys, DocumentRows } from './documents.ts'
import { EVENT_KEY, JOURNEY_STEPS, WEEKDAY_LIST } from './journey-steps.ts'
import { DURATION_UNITS, JOURNEY_LIMITS, JOURNEY_REENTRY } from './journeys.ts'
import { EVENT_NAME, EVENT_WHERE, SEGMENT_LIMITS } from './segments.ts'

const CLOCK = { type: 'clock' } as const
const EVENT_MATCH = { type: 'named', name: 'EventMatch' } as const

/** The forms of a trigger. */
const TRIGGERS = {
  event: {
    meaning: 'A person who does the event of this name enters.',
    shape: EVENT_NAME,
    beside: { where: EVENT_WHERE },
  },
  segment_entered: {
    meaning: 'A person who comes to belong to the segment with this id enters.',
    shape: { type: 'int64', of: 'a segment' },
  },
  segment_left: {
    meaning: 'A person who no longer belongs to the segment with this id enters.',
    shape: { type: 'int64', of: 'a segment' },
  },
  date: {
    meaning: 'A person enters on a day that follows from the date in the attribute of this name.',
    shape: { type: 'text', charsMin: 1, charsMax: SEGMENT_LIMITS.attributeCharsMax },
    beside: {
      offset_days: {
        use: 'nullable',
        shape: { type: 'integer', min: -JOURNEY_LIMITS.offsetDaysMax, max: JOURNEY_LIMITS.offsetDaysMax },
        meaning: 'How many days after the date; a negative number is before it. 0 when absent.',
      },
      at: { use: 'required', shape: CLOCK, meaning: 'The time of day, in the person’s zone.' },
      yearly: {
        use: 'nullable',
        shape: { type: 'boolean' },
        meaning: 'True repeats the date every year, as for a birthday.',
      },
    },
  },
} as const satisfies DocumentForms

const UNIT = {
  use: 'optional',
  shape: { type: 'integer', min: 0, max: JOURNEY_LIMITS.waitMsMax / DURATION_UNITS.seconds },
  meaning: 'How many of them.',
} as const

export const JOURNEY_DOCUMENTS = {
  JourneyTrigger: {
    kind: 'journey',
    description: 'The event, segment or date that lets people into a journey.',
    shape: { type: 'forms', forms: TRIGGERS },
  },
  JourneyStep: {
    kind: 'journey',
    description: 'One step of a journey.',
    shape: { type: 'forms', forms: JOURNEY_STEPS },
  },
  EventMatch: {
    kind: 'journey',
    description: 'An event by its name, and what its attributes must be like.',
    shape: { type: 'object', keys: { event: EVENT_KEY, where: EVENT_WHERE } },
  },
  Duration: {
    kind: 'journey',
    description: 'A length of time between a second and 365 days: the sum of its units.',
    shape: {
      type: 'object',
      keys: { seconds: UNIT, minutes: UNIT, hours: UNIT, days: UNIT, weeks: UNIT } satisfies Record<
        keyof typeof DURATION_UNITS,
        DocumentKey
      >,
      keysMin: 1,
    },
  },
  QuietWindow: {
    kind: 'journey',
    description: 'Hours in which sends wait, in the person’s zone.',
    shape: {
      type: 'object',
      keys: {
        days: WEEKDAY_LIST,
        from: { use: 'required', shape: CLOCK, meaning: 'When it begins, on each of the days.' },
        to: {
          use: 'required',
          shape: CLOCK,
          meaning: 'When it ends; past midnight when it is not after from.',
        },
      },
    },
  },
} as const satisfies DocumentRows

/** The keys of a journey's document, which has its name beside it. */
export const JOURNEY_KEYS = {
  trigger: {
    use: 'required',
    shape: { type: 'named', name: 'JourneyTrigger' },
    meaning: 'The event, segment or date that lets people in.',
  },
  steps: {
    use: 'required',
    shape: {
      type: 'list',
      of: { type: 'named', name: 'JourneyStep' },
      noun: 'steps',
      itemsMin: 1,
      itemsMax: JOURNEY_LIMITS.stepsMax,
    },
    meaning: 'The steps, from the first on.',
  },
  goal: { use: 'nullable', shape: EVENT_MATCH, meaning: 'The event that ends the journey with success.' },
  exit: { use: 'nullable', shape: EVENT_MATCH, meaning: 'The event that ends the journey without success.' },
  reentry: {
    use: 'nullable',
    shape: { type: 'word', words: JOURNEY_REENTRY },
    meaning: 'Whether a person may enter again; never when absent.',
  },
  quiet_hours: {
    use: 'nullable',
    shape: {
      type: 'list',
      of: { type: 'named', name: 'QuietWindow' },
      noun: 'windows',
      itemsMin: 0,
      itemsMax: JOURNEY_LIMITS.quietWindowsMax,
    },
    meaning: 'When sends wait, in the person’s zone.',
  },
} as const satisfies DocumentKeys
