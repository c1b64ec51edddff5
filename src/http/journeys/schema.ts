import { JOURNEY_DOCUMENTS, JOURNEY_KEYS } from '../../rules/journey-documents.ts'
import { JOURNEY_ANYWHERE, JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { bodySchema } from '../fields/schema.ts'
import { journeySendRules, TEXT_CHOICES } from '../push/field-rules.ts'
import { type DocumentSchema, documentSchemas, keySchema } from '../schema/document.ts'
import { Type } from '../schema/schema.ts'

export const JOURNEY_NAME = Type.String({
  minLength: 1,
  maxLength: JOURNEY_LIMITS.nameCharsMax,
  description: 'The name of the journey, for people.',
})

const FIELDS = Object.fromEntries(Object.entries(JOURNEY_KEYS).map(([name, key]) => [name, keySchema(key)]))
const NEEDED = Object.entries(JOURNEY_KEYS).flatMap(([name, { use }]) => (use === 'required' ? [name] : []))

/** The fields of a journey's document, as a reply shows them. */
export const DOCUMENT_FIELDS = Object.fromEntries(
  Object.entries(FIELDS).map(([name, schema]) => [
    name,
    NEEDED.includes(name) ? Type.Unsafe(schema) : Type.Optional(Type.Unsafe(schema)),
  ]),
)

/** The published schemas of the bodies that make, check and change a journey. */
export const JOURNEY_SCHEMAS = {
  create: bodyOf(['name', ...NEEDED]),
  check: bodyOf(NEEDED),
  change: bodyOf([]),
}

function bodyOf(required: readonly string[]): DocumentSchema {
  return { type: 'object', required, properties: { name: JOURNEY_NAME, ...FIELDS } }
}

const FIELDS_ON = new Map(
  PLATFORM_NAMES.map((platform) => [platform, bodySchema(journeySendRules(platform)).properties] as const),
)

/** A send has the fields of a push; which limits they have follows from `to`. */
const MESSAGE = {
  description: 'The fields of a push, and the platform it goes to.',
  type: 'object',
  required: ['to'],
  properties: {
    to: {
      type: 'string',
      enum: [JOURNEY_ANYWHERE, ...PLATFORM_NAMES],
      description:
        'The platform to send to; anywhere is every platform on which the person has a live device.',
    },
    ...FIELDS_ON.get('ios'),
    ...FIELDS_ON.get('android'),
    ...FIELDS_ON.get('web'),
  },
  additionalProperties: false,
  anyOf: TEXT_CHOICES,
  allOf: [...FIELDS_ON].map(([platform, properties]) => ({
    anyOf: [{ not: { properties: { to: { enum: [JOURNEY_ANYWHERE, platform] } } } }, { properties }],
  })),
}

/** The named documents of journeys, for the components of the OpenAPI document. */
export const JOURNEY_DOCUMENT_SCHEMAS = { ...documentSchemas(JOURNEY_DOCUMENTS), JourneyMessage: MESSAGE }
