import { unreachable } from '../../domain/unreachable.ts'
import type { Shape } from '../../rules/fields.ts'
import { LANGUAGE_TAG_PATTERN } from '../../rules/languages.ts'
import { TEMPLATE_LIMITS } from '../../rules/templates.ts'
import { documentRef } from '../schema/document.ts'
import type { FieldRule, FieldRules } from './fields.ts'

/** A JSON Schema, as far as the OpenAPI document needs one. Integers may be bigints: `encodeJson` writes their digits. */
export type FieldsSchema = Readonly<Record<string, unknown>>

/** The schema of a body, made from the rules it is read by. Spellings beside the first are named in the description. */
export function bodySchema({ rows }: FieldRules): FieldsSchema & {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, FieldsSchema>>
} {
  const shown = rows.filter(({ use }) => use === 'required' || use === 'optional')
  return {
    type: 'object',
    required: shown.filter(({ use }) => use === 'required').map(({ name }) => name),
    properties: Object.fromEntries(shown.map((rule) => [rule.name, fieldSchema(rule)])),
  }
}

function fieldSchema({ shape, description, aliases = [], entries }: FieldRule): FieldsSchema {
  const spellings =
    aliases.length === 0 ? '' : ` Also spelled ${aliases.map((name) => `\`${name}\``).join(', ')}.`
  const values =
    entries === undefined ? {} : { propertyNames: LANGUAGE_TAG, additionalProperties: bodySchema(entries) }
  return { ...shapeSchema(shape), ...values, description: description + spellings }
}

/** The only field whose keys are the caller's own has language tags for keys. */
const LANGUAGE_TAG = { pattern: LANGUAGE_TAG_PATTERN, examples: ['fr', 'pt-BR'] } as const

function shapeSchema(shape: Shape): FieldsSchema {
  switch (shape.type) {
    case 'text':
      return { type: 'string', minLength: 1, maxLength: shape.charsMax }
    case 'template':
      return templateSchema(shape.charsMax)
    case 'link':
      return { type: 'string', format: 'uri', maxLength: shape.charsMax }
    case 'https_url':
      return { type: 'string', format: 'uri', pattern: '^https://', maxLength: shape.charsMax }
    case 'integer':
      return {
        oneOf: [
          { type: 'integer', format: 'int64', minimum: shape.min, maximum: shape.max },
          { type: 'string', pattern: '^-?[0-9]{1,20}$' },
        ],
      }
    case 'number':
      return { type: 'number', minimum: shape.min, maximum: shape.max }
    case 'boolean':
      return shape.trueRefusal === undefined ? { type: 'boolean' } : { type: 'boolean', enum: [false] }
    case 'choice':
      return { type: 'string', enum: shape.oneOf }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'clock':
      return { type: 'string', pattern: '^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$' }
    case 'zone':
      return { type: ['string', 'number'] }
    case 'language':
      return { type: 'string', examples: ['en', 'pt-BR'] }
    case 'list':
      return {
        type: 'array',
        maxItems: shape.itemsMax,
        items: { type: 'string', minLength: 1, maxLength: shape.charsMax },
      }
    case 'strings':
      return { type: 'object', maxProperties: shape.keysMax, additionalProperties: { type: 'string' } }
    case 'object':
      return shape.document === undefined ? { type: 'object' } : documentRef(shape.document)
    case 'objects':
      return { type: 'array', maxItems: shape.itemsMax, items: documentRef(shape.document) }
    default:
      return unreachable(shape)
  }
}

/** The limit is for the rendered text, so a text that holds Liquid may be longer. */
function templateSchema(charsMax: number | null): FieldsSchema {
  if (charsMax === null) return { type: 'string', minLength: 1 }
  const liquid = { pattern: '[{][{%]', maxLength: TEMPLATE_LIMITS.charsMax }
  return { type: 'string', minLength: 1, anyOf: [{ maxLength: charsMax }, liquid] }
}
