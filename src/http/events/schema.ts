import { ATTRIBUTE_TYPES, EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { CONTEXT_FIELDS, CONTEXT_PLATFORMS, EVENT_LIMITS, LTV_DEFAULT } from '../../rules/events.ts'
import type { JsonSchema } from '../route.ts'

const TEXT = { type: 'string' } as const
const INDEX = { type: 'integer', description: 'The position of the entry in nv; the first is 0.' } as const

function texts(names: readonly string[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(names.map((name) => [name, TEXT]))
}

/** `context`, from the same rows that it is read by. */
const CONTEXT_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Where the event happened. Other fields are ignored with a warning.',
  properties: {
    ...texts(CONTEXT_FIELDS['']),
    platform: { type: 'string', enum: CONTEXT_PLATFORMS },
    page: { type: 'object', properties: texts(CONTEXT_FIELDS.page) },
    utm: { type: 'object', properties: texts(CONTEXT_FIELDS.utm) },
  },
}

const TYPE_NAMES = Object.values(ATTRIBUTE_TYPES)
  .map(({ label, perEventMax }) => `${label} (at most ${perEventMax})`)
  .join(', ')

/** The names of a person, wherever one is named. */
export const NAME_SCHEMAS: Readonly<Record<'userID' | 'email' | 'mobile', JsonSchema>> = {
  userID: {
    type: 'string',
    minLength: 1,
    maxLength: EVENT_LIMITS.userIdCharsMax,
    description: 'The person. Required, unless the brand merges profiles and email or mobile is given.',
  },
  email: { type: 'string', description: 'Also identifies the person if the brand merges profiles.' },
  mobile: {
    type: 'string',
    description: 'E.164. Also identifies the person if the brand merges profiles.',
  },
}

/** The fields of an event. */
export const EVENT_FIELD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...NAME_SCHEMAS,
  event_name: {
    type: 'string',
    maxLength: EVENT_LIMITS.eventNameCharsMax,
    description: 'Letters, digits, space, underscore and hyphen; case-sensitive.',
  },
  ltv: {
    type: ['string', 'number'],
    default: LTV_DEFAULT,
    description: 'The value of the event. The values of a person’s events add up on the profile.',
  },
  attributes: {
    type: 'object',
    maxProperties: EVENT_ATTRIBUTES.countMax,
    description: `Your own data about the event: ${TYPE_NAMES}. The first value of an attribute locks its type.`,
  },
  context: CONTEXT_SCHEMA,
  event_time: {
    type: 'string',
    description:
      'yyyy-MM-dd HH:mm:ss in the zone of the brand, or ISO 8601 with an offset; the present time if absent.',
  },
  event_id: {
    type: 'string',
    maxLength: EVENT_LIMITS.eventIdCharsMax,
    description: `Your own id: the same one again within ${EVENT_LIMITS.eventIdDays} days counts as processed, is not stored twice, and is told in the warning duplicate. Ids of browsers are kept apart.`,
  },
}

export const EVENT_FIELDS_REQUIRED = ['event_name', 'attributes'] as const

/** One element of `nv`. */
const EVENT_ENTRY_SCHEMA: JsonSchema = {
  type: 'object',
  required: EVENT_FIELDS_REQUIRED,
  properties: EVENT_FIELD_SCHEMAS,
}

export const EVENT_BODY_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['nv'],
  properties: {
    nv: { type: 'array', minItems: 1, maxItems: EVENT_LIMITS.entriesMax, items: EVENT_ENTRY_SCHEMA },
  },
}

/** The fields that a reply has beside its three fields when an entry was refused. */
export const EVENT_REPLY_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'success, or partial if some entries were refused.' },
    unprocessed: {
      type: 'array',
      description: 'The entries that were refused, each with its first fault.',
      items: {
        type: 'object',
        required: ['index', 'field', 'code', 'message'],
        properties: { index: INDEX, field: { type: ['string', 'null'] }, code: TEXT, message: TEXT },
      },
    },
    warnings: {
      type: 'array',
      description: 'Unknown fields that were ignored, and values of another type than the locked one.',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          index: INDEX,
          field: TEXT,
          code: TEXT,
          message: TEXT,
          locked_type: {
            type: 'string',
            enum: Object.values(ATTRIBUTE_TYPES).map(({ label }) => label),
            description: 'With type_locked: the type that the attribute must have.',
          },
        },
      },
    },
    warnings_omitted: {
      type: 'integer',
      description: `How many warnings there were beyond ${EVENT_LIMITS.warningsMax}.`,
    },
  },
}

export const EVENT_BODY_EXAMPLE = {
  nv: [
    {
      userID: 'user-1',
      event_name: 'order placed',
      ltv: '49.90',
      attributes: { product_name: 'Lamp', total_amount: 49.9, is_gift: false, delivery_date: '2026-12-24' },
      context: { platform: 'website', page: { url: 'https://shop.example/lamps' } },
    },
  ],
}
