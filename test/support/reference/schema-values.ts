import * as fc from 'fast-check'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { partAt } from '../../../src/http/schema/walk.ts'
import { RESERVED_DATA_KEYS, RESERVED_DATA_PREFIXES } from '../../../src/rules/push.ts'

const REFERENCES_MAX = 3
const TEXT = fc.stringMatching(/^[a-z]{1,12}$/)

/** Random values that fit a JSON schema. `root` holds what the references of the schema lead to. */
export function valuesOf(schema: unknown, root: unknown, references = REFERENCES_MAX): fc.Arbitrary<unknown> {
  const { $ref, oneOf, anyOf, enum: words, const: only, type, properties } = objectIn(schema)
  if (typeof $ref === 'string') return valuesOf(partAt(root, $ref), root, references - 1)
  if (Array.isArray(words)) return fc.constantFrom<unknown[]>(...words)
  if (only !== undefined) return fc.constant(only)
  if (type === 'object') return objectsOf(objectIn(schema), root, references)
  const choices: readonly unknown[] | undefined = [oneOf, anyOf].find(Array.isArray)
  if (choices !== undefined && type === undefined && properties === undefined) {
    // A document that contains itself ends somewhere.
    const ending = choices.filter((choice) => !JSON.stringify(choice, digits).includes('SegmentFilter'))
    const left = references > 0 ? choices : ending
    return fc.oneof(...left.map((choice) => valuesOf(choice, root, references)))
  }
  if (Array.isArray(type)) {
    return fc.oneof(
      ...type.map((one: unknown) => valuesOf({ ...objectIn(schema), type: one }, root, references)),
    )
  }
  return type === 'array' ? listsOf(objectIn(schema), root, references) : scalarsOf(objectIn(schema))
}

function digits(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function scalarsOf({ type, examples, pattern, format, minimum, maximum }: JsonObject): fc.Arbitrary<unknown> {
  if (Array.isArray(examples)) return fc.constantFrom<unknown[]>(...examples)
  if (type === 'integer') {
    return fc.integer({
      min: Math.max(Number(minimum ?? -1_000), -1_000),
      max: Math.min(Number(maximum ?? 1_000), 1_000),
    })
  }
  if (type === 'number') {
    const [least, most] = [Math.max(Number(minimum ?? -25), -25), Math.min(Number(maximum ?? 25), 25)]
    return fc.integer({ min: least * 2, max: most * 2 }).map((number) => number / 2)
  }
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (format === 'uuid') return fc.uuid()
  if (format === 'uri') return fc.constant('https://example.com/x')
  return pattern === undefined ? TEXT : fc.constant('7')
}

function listsOf({ items, minItems }: JsonObject, root: unknown, references: number): fc.Arbitrary<unknown> {
  const minLength = Number(minItems ?? 0)
  return fc.array(valuesOf(items, root, references), { minLength, maxLength: minLength + 2 })
}

/** A name that a caller may choose, of data too, where push services keep some for themselves. */
const FREE_NAME = TEXT.filter(
  (name) =>
    !RESERVED_DATA_PREFIXES.some((prefix) => name.startsWith(prefix)) &&
    !RESERVED_DATA_KEYS.some((key) => key === name),
)

function objectsOf(schema: JsonObject, root: unknown, references: number): fc.Arbitrary<unknown> {
  const { properties, required, minProperties, maxProperties, additionalProperties, propertyNames } = schema
  const { examples } = objectIn(propertyNames)
  const names = Array.isArray(examples) ? fc.constantFrom(...examples.map(String)) : FREE_NAME
  if (properties === undefined)
    return fc.dictionary(names, valuesOf(additionalProperties, root, references), {
      maxKeys: 2,
      noNullPrototype: true,
    })
  const needed: readonly string[] = Array.isArray(required) ? required : []
  const model = Object.fromEntries(
    Object.entries(objectIn(properties)).map(([name, part]) => [name, valuesOf(part, root, references)]),
  )
  const record = fc.record(model, { requiredKeys: [...needed], noNullPrototype: true })
  const [first] = Object.keys(model)
  if (minProperties === undefined || first === undefined) return record
  const max = Number(maxProperties ?? Number.POSITIVE_INFINITY)
  return fc.tuple(record, valuesOf(objectIn(properties)[first], root, references)).map(([value, least]) => {
    const entries = Object.entries(value).slice(0, max)
    return Object.fromEntries(entries.length === 0 ? [[first, least]] : entries)
  })
}

/** The same value with one part of it changed: replaced, taken away, or put beside the others. */
export function mutantsOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    TEXT,
    fc.integer(),
    fc.boolean(),
    fc.constantFrom<unknown>(null, [], {}, -1, 1.5, '', '24:00'),
  )
  return fc.tuple(value, fc.infiniteStream(fc.nat(1_000)), other).map(([whole, picks, part]) => {
    const pick = (count: number): number => Number(picks.next().value) % count
    return mutate(whole, part, pick)
  })
}

function mutate(whole: unknown, part: unknown, pick: (count: number) => number): unknown {
  if (Array.isArray(whole) && whole.length > 0 && pick(4) > 0) {
    const at = pick(whole.length)
    return whole.map((item: unknown, index) => (index === at ? mutate(item, part, pick) : item))
  }
  const entries = isJsonObject(whole) ? Object.entries(whole) : []
  if (entries.length === 0) return part
  const at = pick(entries.length + 1)
  if (at === entries.length) return { ...objectIn(whole), stray: part }
  if (pick(4) === 0) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(
    entries.map(([name, member], index) => [name, index === at ? mutate(member, part, pick) : member]),
  )
}
