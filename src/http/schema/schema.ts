import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Warning } from '../../domain/warning.ts'
import { faultsOf, type SchemaError } from './faults.ts'
import { textFaults } from './text-faults.ts'
import { dropUnknownFields } from './unknown-fields.ts'

export { type Static, Type }

/** JSON Schema 2020-12, which is what OpenAPI 3.1 speaks and TypeBox builds. */
export type Schema = TSchema

/** A body that fits its schema, and a warning for each unknown field that was dropped. */
export type ParsedBody<Value> = { readonly value: Value; readonly warnings: readonly Warning[] }

/**
 * A body of one of our own endpoints, held to the schema that `/openapi.json` shows. Unknown fields are taken out
 * first, so that a handler never sees them and cannot be changed by them.
 */
export function parseBody<Shape extends Schema>(
  schema: Shape,
  body: unknown,
): Result<ParsedBody<Static<Shape>>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return reject(fault('not_an_object'))
  const { value, warnings } = dropUnknownFields(schema, body)
  if (!fits(schema, value)) {
    const [first, ...others] = faultsOf(schema, body, errorsOf(schema, value))
    return reject(first ?? fault('field_invalid', null, { detail: 'it does not fit its schema' }), ...others)
  }
  const [flaw, ...flaws] = textFaults(value)
  return flaw === undefined ? accept({ value, warnings }) : reject(flaw, ...flaws)
}

/** The query of an address, held to a schema like a body. Of two equal names the last wins. */
export function parseQuery<Shape extends Schema>(
  schema: Shape,
  query: URLSearchParams,
): Result<ParsedBody<Static<Shape>>> {
  const words = Object.fromEntries([...query].map(([name, text]) => [name, valueOf(schema, name, text)]))
  return parseBody(schema, words)
}

const FAULTS_MAX = 50
Settings.Set({ maxErrors: FAULTS_MAX })

function fits<Shape extends Schema>(schema: Shape, value: unknown): value is Static<Shape> {
  return validatorOf(schema).Check(value)
}

type AnyValidator = {
  readonly Check: (value: unknown) => boolean
  readonly Errors: (value: unknown) => readonly [boolean, readonly SchemaError[]]
}

function errorsOf(schema: Schema, value: unknown): readonly SchemaError[] {
  const [, errors] = validatorOf(schema).Errors(value)
  return errors
}

/** Compiled once per schema; rows are constants, so there are only so many. */
const validators = new WeakMap<Schema, AnyValidator>()

function validatorOf(schema: Schema): AnyValidator {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator
}

/** A query string has only texts. A text that the schema wants as a number or a boolean is converted, if it can be. */
function valueOf(schema: Schema, name: string, text: string): unknown {
  const type = typeOf(schema, name)
  if ((type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const NUMBER = /^-?\d+(\.\d+)?$/

function typeOf(schema: Schema, name: string): unknown {
  if (!('properties' in schema) || typeof schema.properties !== 'object') return undefined
  const field: unknown = Object.entries(schema.properties ?? {}).find(([known]) => known === name)?.[1]
  return typeof field === 'object' && field !== null && 'type' in field ? field.type : undefined
}
