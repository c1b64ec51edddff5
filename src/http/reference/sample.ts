import { isJsonObject } from '../../domain/values/json.ts'
import type { Route } from '../route.ts'
import { parseBody } from '../schema/schema.ts'
import { membersOf, partAt } from '../schema/walk.ts'
import { COMPONENTS } from './openapi-components.ts'
import { SAMPLE_FORMATS, SAMPLE_NULLS, SAMPLE_NUMBERS, SAMPLE_TEXTS } from './sample-values.ts'

/**
 * A success of an endpoint, made from the schema of its reply; null where the reply is no JSON. Fields that the caller
 * also sends have the values of the examples, those of the endpoint itself before those of its group.
 */
export function sampleReply(route: Route, group: readonly Route[]): object | null {
  const { reply, replyType } = route
  if (replyType !== undefined && !String(replyType).startsWith('application/x-ndjson')) return null
  const told = [route, ...group].map(({ example }) => example)
  const body = sampleOf(reply ?? { type: 'object', properties: {} }, { name: '', depth: 0, told })
  if (!isJsonObject(body)) return null
  return replyType === undefined ? { ...ENVELOPE, ...body } : body
}

const ENVELOPE = {
  message: 'success',
  processed: 1,
  status_code: '200',
  request_id: '0199a5c2-7d10-7c3e-9b1f-5f2d8a6e4c02',
}

type Place = {
  readonly name: string
  readonly depth: number
  /** The bodies of examples, in which a field of this name may stand. */
  readonly told: readonly unknown[]
}

function sampleOf(schema: unknown, place: Place): unknown {
  const { $ref, anyOf, oneOf, enum: words, const: only, type, items } = membersOf(schema)
  if (only !== undefined) return only
  const forms = formsOf(anyOf ?? oneOf)
  if (forms !== null) return sampleOfForms(forms, place)
  const told = toldValue(schema, place)
  if (told !== undefined) return told
  if (typeof $ref === 'string') return sampleOfDocument($ref, place)
  if (Array.isArray(words)) return usualOf(words)
  if (Array.isArray(type))
    return sampleOfForms(
      type.map((one: unknown) => ({ type: one })),
      place,
    )
  if (items !== undefined) return sampleOfItems(items, place)
  return type === 'object' ? sampleOfObject(schema, place) : sampleOfLeaf(schema, place)
}

function formsOf(forms: unknown): readonly unknown[] | null {
  return Array.isArray(forms) ? forms : null
}

function sampleOfForms(forms: readonly unknown[], place: Place): unknown {
  if (SAMPLE_NULLS.has(place.name) && forms.some(isNull)) return null
  const [first = { type: 'null' }, ...others] = forms.filter((form) => !isNull(form))
  const words = [first, ...others].map((form) => membersOf(form)['const'])
  return words.includes(undefined) ? sampleOf(first, place) : usualOf(words)
}

function isNull(form: unknown): boolean {
  return membersOf(form)['type'] === 'null'
}

/** Of several words, the one of an everyday reply. */
function usualOf(words: readonly unknown[]): unknown {
  return words.find((word) => SAMPLE_WORDS.has(String(word))) ?? words[0]
}

const SAMPLE_WORDS = new Set(['sent', 'accepted', 'active', 'subscribed', 'own', 'production'])

/** Documents hold each other, so their depth is bounded. */
function sampleOfDocument(reference: string, place: Place): unknown {
  if (place.depth > DEPTH_MAX) return {}
  return sampleOf(partAt({ components: COMPONENTS }, reference), { ...place, depth: place.depth + 1 })
}

const DEPTH_MAX = 6

function sampleOfItems(items: unknown, place: Place): readonly unknown[] {
  return place.depth > DEPTH_MAX ? [] : [sampleOf(items, { ...place, depth: place.depth + 1 })]
}

/** A field that may be absent is shown if an example has it. */
function sampleOfObject(schema: unknown, { depth, told }: Place): object {
  const { properties, required } = membersOf(schema)
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const fields = Object.entries(membersOf(properties))
    .map(([name, field]) => ({ name, field, place: { name, depth: depth + 1, told } }))
    .filter(({ name, field, place }) => names.includes(name) || toldValue(field, place) !== undefined)
  return Object.fromEntries(fields.map(({ name, field, place }) => [name, sampleOf(field, place)]))
}

function sampleOfLeaf(schema: unknown, { name }: Place): unknown {
  const { type, format, minimum, maximum } = membersOf(schema)
  switch (type) {
    case 'string':
      return SAMPLE_FORMATS[String(format)] ?? SAMPLE_TEXTS[name] ?? name
    case 'integer':
    case 'number':
      return within(SAMPLE_NUMBERS[name] ?? 1, Number(minimum ?? 0), Number(maximum ?? Infinity))
    case 'boolean':
      return SAMPLE_TRUE.has(name)
    case 'null':
      return null
    default:
      return SAMPLE_TEXTS[name] ?? {}
  }
}

const SAMPLE_TRUE = new Set([
  'enabled',
  'is_on',
  'is_readable',
  'is_valid',
  'is_reached',
  'ok',
  'ready',
  'current',
])

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

/** The value that an example has for a field of this name, if it is of the right kind. */
function toldValue(schema: unknown, { name, told }: Place): unknown {
  if (name === '') return undefined
  return told.map((body) => valueIn(body, name)).find((value) => value !== undefined && fits(schema, value))
}

/** Examples of events and people hold their fields in the first entry of `nv`. */
function valueIn(body: unknown, name: string): unknown {
  const { nv, ...fields } = membersOf(body)
  const entry = Array.isArray(nv) ? membersOf(nv[0]) : membersOf(nv)
  return fields[name] ?? entry[name]
}

/**
 * Instants and ids of examples are those of requests, so a sample has its own. Rows share their schemas, and a check
 * compiles one, so each answer is kept.
 */
function fits(schema: unknown, value: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || 'format' in schema) return false
  const known = FITTING.get(schema) ?? new Map<unknown, boolean>()
  FITTING.set(schema, known)
  const isFitting = known.get(value) ?? isOfSchema(schema, value)
  known.set(value, isFitting)
  return isFitting
}

/** By schema and value; both come from the route table, so there are no more than it has. */
const FITTING = new WeakMap<object, Map<unknown, boolean>>()

function isOfSchema(schema: object, value: unknown): boolean {
  const holder = {
    type: 'object',
    properties: { value: schema },
    required: ['value'],
    components: COMPONENTS,
  }
  return parseBody(holder, { value }).ok
}
