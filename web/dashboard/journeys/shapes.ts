import type { DocumentRows, DocumentShape } from '../../../src/rules/documents.ts'
import { JOURNEY_DOCUMENTS } from '../../../src/rules/journey-documents.ts'
import { SEGMENT_DOCUMENTS } from '../../../src/rules/segments.ts'
import type { Json } from '../../client/json.ts'
import { type Fields, plainOf, withField } from './draft.ts'

const ROWS: DocumentRows = { ...JOURNEY_DOCUMENTS, ...SEGMENT_DOCUMENTS }

/** The shape behind a name. */
export function resolved(shape: DocumentShape): DocumentShape {
  if (shape.type !== 'named') return shape
  return ROWS[shape.name]?.shape ?? { type: 'scalar', charsMax: 0 }
}

/** The first value of a shape when its author asks for one. */
export function emptyOf(given: DocumentShape): Json {
  if (given.type === 'named' && given.name === 'Duration') return { hours: 1 }
  const shape = resolved(given)
  switch (shape.type) {
    case 'word':
      return shape.words[0] ?? ''
    case 'integer':
      return Math.max(shape.min, 1)
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'clock':
      return '09:00'
    case 'list':
      return Array.from({ length: shape.itemsMin }, () => emptyOf(shape.of))
    case 'object': {
      const required = Object.entries(shape.keys).filter(([, { use }]) => use === 'required')
      return Object.fromEntries(required.map(([name, key]) => [name, emptyOf(key.shape)]))
    }
    case 'forms':
      return emptyForm(shape, Object.keys(shape.forms)[0] ?? '')
    case 'text':
    case 'scalar':
    case 'value':
    case 'int64':
    case 'uuid':
    case 'date':
    case 'bound':
    case 'push':
    case 'named':
    default:
      return ''
  }
}

type FormsShape = Extract<DocumentShape, { type: 'forms' }>

export function emptyForm({ forms }: FormsShape, name: string): Fields {
  const form = forms[name]
  if (form === undefined) return {}
  const beside = Object.entries(form.beside ?? {}).filter(([, { use }]) => use === 'required')
  const value = emptyOf(form.shape)
  const made: Fields = {
    [name]: value,
    ...Object.fromEntries(beside.map(([key, row]) => [key, emptyOf(row.shape)])),
  }
  return form.compares === undefined ? made : compared(made, operatorsOf(shapeFor(form.compares, value)), '')
}

type Comparisons = NonNullable<FormsShape['forms'][string]['compares']>

/** The operators that may follow a key's own value. */
export function shapeFor(compares: Comparisons, value: Json | undefined): Comparisons[string] {
  return compares[plainOf(value)] ?? compares['*'] ?? {}
}

export function operatorsOf(
  operators: Comparisons[string],
): readonly (readonly [string, DocumentShape | null])[] {
  return Object.entries(operators)
}

/** The same comparison with another operator: a value of another shape begins anew. */
export function compared(
  fields: Fields,
  operators: readonly (readonly [string, DocumentShape | null])[],
  wanted: string,
): Fields {
  const [operator, shape] = operators.find(([name]) => name === wanted) ?? operators[0] ?? ['eq', null]
  const told = withField(fields, 'is', operator)
  return withField(told, 'value', shape === null ? undefined : emptyOf(shape))
}

/** The value that was typed into a field for a text, a number, or yes and no. */
export function scalarOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true'
  const isNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(text)
  return isNumber ? Number(text) : text
}

/** An id from the API and from a field, which holds digits, are the same number. */
export function idValue(text: string): Json {
  const number = Number(text)
  return text !== '' && Number.isSafeInteger(number) ? number : text
}
