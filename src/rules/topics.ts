import { OPTIONAL, type PushFieldRow } from './push-field-row.ts'

/** Bounds of topics and opt-outs; the tables check the same lengths. */
export const TOPIC_LIMITS = {
  nameCharsMax: 50,
  titleCharsMax: 100,
  descriptionCharsMax: 500,
  /** Topics of a brand, archived ones included: a person reads them as one list. */
  topicsMax: 100,
} as const

/** A name is a slug: lower-case letters and digits, with single dashes or underscores between them. */
export const TOPIC_NAME = '^[a-z0-9]+([-_][a-z0-9]+)*$'

/** The topic that every brand has. Nobody can opt out of it, and quiet hours and the frequency cap let it pass. */
export const TRANSACTIONAL = 'transactional'

export const TRANSACTIONAL_TOPIC = {
  title: 'What you asked for',
  description:
    'Messages that you asked for, such as an order, a code or a receipt. They cannot be switched off.',
} as const

/** The opt-out of everything but transactional messages. No topic can have this name. */
export const EVERYTHING = '*'

/** The reasons of a delivery that was cancelled, or is sent later, for the sake of the person. */
export const OPT_OUT_REASON = 'opted_out'
export const QUIET_REASON = 'quiet_hours'

/** The fate of a message that falls into the quiet hours, by the name of that choice in calls. */
export const QUIET_CHOICE = 'then'
export const QUIET_CHOICES = ['later', 'drop'] as const

/** A link to the page of a person's preferences is valid for so many days. */
export const PREFERENCE_LINK_DAYS = 30
/** Room for the names of all topics in the form of that page. */
export const PREFERENCE_FORM_BYTES_MAX = 16 * 1024

/** The fields of a push that are about the person's preferences. They are a part of `PUSH_FIELDS`. */
export const TOPIC_FIELDS = [
  {
    name: 'topic',
    shape: { type: 'text', charsMax: TOPIC_LIMITS.nameCharsMax },
    modes: OPTIONAL,
    allowedInJourney: true,
    description:
      'The topic of the message: people who opted out of it get nothing. transactional reaches everybody, at any hour.',
  },
] as const satisfies readonly PushFieldRow[]
