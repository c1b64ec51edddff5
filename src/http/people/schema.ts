import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { EVENT_FIELD_SCHEMAS, EVENT_FIELDS_REQUIRED, NAME_SCHEMAS } from '../events/schema.ts'
import type { JsonSchema } from '../route.ts'

const TEXTS = { type: 'array', items: { type: 'string' } } as const

const PERSON = {
  ...NAME_SCHEMAS,
  tags: {
    description: 'A list that replaces all tags, or an object with add and remove.',
    anyOf: [TEXTS, { type: 'object', properties: { set: TEXTS, add: TEXTS, remove: TEXTS } }],
  },
} as const

const ATTRIBUTES: JsonSchema = {
  type: 'object',
  maxProperties: PROFILE_ATTRIBUTES.countMax,
  description: `Your own data about the person: names of at most ${PROFILE_ATTRIBUTES.nameCharsMax} characters, strings of at most ${PROFILE_ATTRIBUTES.stringCharsMax}. The first value of an attribute locks its type.`,
}

export const PROFILE_BODY_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['nv'],
  properties: {
    nv: {
      type: 'array',
      minItems: 1,
      maxItems: PROFILE_LIMITS.entriesMax,
      items: { type: 'object', properties: { ...PERSON, user_attributes: ATTRIBUTES } },
    },
  },
}

export const PROFILE_BODY_EXAMPLE = {
  nv: [
    {
      userID: 'user-1',
      email: 'ann@shop.example',
      user_attributes: { first_name: 'Ann', birth_date: '1990-11-25', email_opt_in: '1' },
    },
  ],
}

const USER_EVENT_ENTRY: JsonSchema = {
  type: 'object',
  required: EVENT_FIELDS_REQUIRED,
  properties: { ...EVENT_FIELD_SCHEMAS, user_params: ATTRIBUTES, tags: PERSON.tags },
}

export const USER_EVENT_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['nv'],
  properties: {
    nv: {
      description: `One entry, or a list of at most ${PROFILE_LIMITS.entriesMax}.`,
      anyOf: [
        USER_EVENT_ENTRY,
        { type: 'array', minItems: 1, maxItems: PROFILE_LIMITS.entriesMax, items: USER_EVENT_ENTRY },
      ],
    },
  },
}

/** The people to erase. */
export const NAMES_BODY_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['nv'],
  properties: {
    nv: {
      type: 'array',
      minItems: 1,
      maxItems: PROFILE_LIMITS.entriesMax,
      items: { type: 'object', properties: NAME_SCHEMAS },
    },
  },
}

export const USER_EVENT_EXAMPLE = {
  nv: {
    userID: 'user-1',
    user_params: { first_name: 'Ann' },
    event_name: 'signup',
    attributes: { plan: 'free' },
  },
}
