import { type Fault, fault } from '../../domain/fault.ts'
import { pathTo } from '../../domain/values/path.ts'
import { countChars } from '../../domain/values/text.ts'
import { fieldAt, membersOf, partAt } from './walk.ts'

/** One mismatch, as a JSON Schema validator reports it. */
export type SchemaError = {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

/** A validator's errors as our faults, with the field written as the caller wrote it and our own codes. */
export function faultsOf(schema: unknown, body: unknown, errors: readonly SchemaError[]): readonly Fault[] {
  return errors
    .filter((error) => !isInsideChoice(error, errors))
    .flatMap((error) => translate(error, partAt(schema, error.schemaPath), partAt(body, error.instancePath)))
}

/** The errors of each branch of an `anyOf` only repeat, less clearly, that none of them fits. */
function isInsideChoice(error: SchemaError, errors: readonly SchemaError[]): boolean {
  return errors.some(
    ({ keyword, schemaPath }) => keyword === 'anyOf' && error.schemaPath.startsWith(`${schemaPath}/anyOf/`),
  )
}

function translate(error: SchemaError, schema: unknown, value: unknown): readonly Fault[] {
  const field = fieldAt(error.instancePath)
  const rule = membersOf(schema)
  const params = membersOf(error.params)
  switch (error.keyword) {
    case 'required':
      return namesIn(params['requiredProperties']).map((name) => fault('field_missing', pathTo(field, name)))
    case 'type':
      return [
        fault('field_type', field, { expected: EXPECTED.get(String(params['type'])) ?? 'of another type' }),
      ]
    case 'maxLength': {
      const actual = typeof value === 'string' ? countChars(value) : 0
      return [fault('field_too_long', field, { max: Number(params['limit']), unit: 'characters', actual })]
    }
    case 'maxItems': {
      const actual = Array.isArray(value) ? value.length : 0
      return [fault('field_too_long', field, { max: Number(params['limit']), unit: 'items', actual })]
    }
    case 'minLength':
      if (value === '') return [fault('field_empty', field)]
      return [
        fault('field_invalid', field, { detail: `it has fewer than ${String(params['limit'])} characters` }),
      ]
    case 'minItems':
      return [fault('field_invalid', field, { detail: `it has fewer than ${String(params['limit'])} items` })]
    case 'minimum':
    case 'maximum':
      return [
        fault('field_out_of_range', field, {
          min: boundOf(rule['minimum'], Number.MIN_SAFE_INTEGER),
          max: boundOf(rule['maximum'], Number.MAX_SAFE_INTEGER),
          unit: '',
        }),
      ]
    default:
      return [fault('field_invalid', field, { detail: detailOf(rule) })]
  }
}

const EXPECTED = new Map([
  ['string', 'a string'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
])

function detailOf(rule: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(rule['enum'])) return `it must be one of ${rule['enum'].join(', ')}`
  if (rule['const'] !== undefined) return `it must be ${JSON.stringify(rule['const'])}`
  if (rule['format'] === 'date-time') return 'it must be an ISO 8601 instant'
  if (typeof rule['description'] === 'string') return `it must be ${lowerFirst(rule['description'])}`
  return 'it has another form than the one documented'
}

/** A description is a sentence of its own; here it ends one. */
function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')
}

/** Where the schema sets no bound, JSON does. */
function boundOf(bound: unknown, utmost: number): number {
  return typeof bound === 'number' ? bound : utmost
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
