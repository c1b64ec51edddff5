import { unreachable } from '../../domain/unreachable.ts'
import {
  CLOCK_PATTERN,
  type DocumentForm,
  type DocumentForms,
  type DocumentKey,
  type DocumentKeys,
  type DocumentOperators,
  type DocumentRows,
  type DocumentShape,
} from '../../rules/documents.ts'
import { INT64_MAX, INT64_MIN } from '../../rules/fields.ts'

/** The JSON schema of a part of a document. */
export type DocumentSchema = Readonly<Record<string, unknown>>

/** The schemas of named documents, for the components of the OpenAPI document. */
export function documentSchemas(rows: DocumentRows): Readonly<Record<string, DocumentSchema>> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, { description, shape }]) => [
      name,
      { description, ...documentSchema(shape) },
    ]),
  )
}

/** A reference to a named document. */
export function documentRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** The schema of a key of a document, with its meaning. */
export function keySchema({ use, shape, meaning }: DocumentKey): DocumentSchema {
  const schema = documentSchema(shape)
  const own = use === 'nullable' ? { anyOf: [schema, { type: 'null' }] } : schema
  return { ...own, description: meaning }
}

/** The JSON schema of a shape. There is one case for each shape. */
function documentSchema(shape: DocumentShape): DocumentSchema {
  switch (shape.type) {
    case 'text':
      return { type: 'string', minLength: shape.charsMin, maxLength: shape.charsMax }
    case 'word':
      return { type: 'string', enum: shape.words }
    case 'integer':
      return { type: 'integer', minimum: shape.min, maximum: shape.max }
    case 'number':
    case 'boolean':
      return { type: shape.type }
    case 'scalar':
    case 'value':
      return { type: ['string', 'number', 'boolean'], maxLength: shape.charsMax }
    case 'int64':
      return {
        oneOf: [
          { type: 'integer', format: 'int64', minimum: INT64_MIN, maximum: INT64_MAX },
          { type: 'string', pattern: '^-?[0-9]{1,19}$' },
        ],
      }
    case 'uuid':
      return { type: 'string', format: 'uuid' }
    case 'clock':
      return { type: 'string', pattern: CLOCK_PATTERN, examples: ['09:00', '22:30:00'] }
    case 'date':
      return { type: 'string', examples: ['2026-12-31', '2026-12-31 23:59:59', '2026-12-31T23:59:59Z'] }
    case 'bound':
      return boundSchema(shape.words, shape.max)
    case 'push':
      return documentRef(shape.schema)
    case 'list': {
      const { of, itemsMin, itemsMax } = shape
      const max = itemsMax === null ? {} : { maxItems: itemsMax }
      return { type: 'array', items: documentSchema(of), minItems: itemsMin, ...max }
    }
    case 'object':
      return objectSchema(shape.keys, shape.keysMin)
    case 'forms':
      return formsSchema(shape.forms)
    case 'named':
      return documentRef(shape.name)
    default:
      return unreachable(shape)
  }
}

function boundSchema(words: readonly string[], max: number): DocumentSchema {
  const properties = Object.fromEntries(
    words.map((word) => [word, { type: 'integer', minimum: 0, maximum: max }]),
  )
  return { type: 'object', properties, additionalProperties: false, minProperties: 1, maxProperties: 1 }
}

function objectSchema(keys: DocumentKeys, keysMin = 0): DocumentSchema {
  const entries = Object.entries(keys)
  return {
    type: 'object',
    required: entries.filter(([, { use }]) => use === 'required').map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, key]) => [name, keySchema(key)])),
    additionalProperties: false,
    ...(keysMin === 0 ? {} : { minProperties: keysMin }),
  }
}

function formsSchema(forms: DocumentForms): DocumentSchema {
  const schemas = Object.entries(forms).flatMap(([name, form]) => formSchemas(name, form))
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { oneOf: schemas }
}

/** A comparison has a schema for each set of operators that take the same kind of value. */
function formSchemas(name: string, form: DocumentForm): readonly DocumentSchema[] {
  const { meaning, shape, beside = {}, compares } = form
  const own = { use: 'required', shape, meaning } as const
  if (compares === undefined) return [objectSchema({ [name]: own, ...beside })]
  const groups = Map.groupBy(Object.keys(compares), (value) => compares[value])
  return [...groups].flatMap(([operators = {}, values]) => {
    const narrowed = values.includes('*') ? own : { ...own, shape: { type: 'word', words: values } as const }
    return operatorKeys(operators).map((keys) => objectSchema({ [name]: narrowed, ...beside, ...keys }))
  })
}

function operatorKeys(operators: DocumentOperators): readonly DocumentKeys[] {
  const groups = Map.groupBy(Object.keys(operators), (name) => operators[name] ?? null)
  return [...groups].map(([shape, words]): DocumentKeys => {
    const is = { use: 'required', shape: { type: 'word', words }, meaning: 'How it is compared.' } as const
    return shape === null
      ? { is }
      : { is, value: { use: 'required', shape, meaning: 'The value to compare with.' } }
  })
}
