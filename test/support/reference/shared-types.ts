import type { Schema } from './schema-type.ts'

/** The objects that some schemas speak of more than once, by name, and how a schema refers to them. */
export type Shared = {
  readonly types: ReadonlyMap<string, Schema>
  /** The schema with a reference wherever one of the types stands. */
  readonly refer: (schema: Schema) => Schema
}

/** Whoever reads a type twice wonders whether it is the same: what repeats is named after the field it stands in. */
export function shareTypes(schemas: readonly Schema[], taken: Shared): Shared {
  const repeated = [...groupByText(schemas.map(taken.refer).flatMap(fieldsIn))]
    .filter(([, fields]) => fields.length > 1)
    .filter(([, [first]]) => first !== undefined && !taken.types.has(first.name))
  return nameTypes(repeated)
}

/** The same for what stands in several lists of schemas. */
export function shareAcross(lists: readonly (readonly Schema[])[]): Shared {
  const fields = lists.flatMap((schemas, list) =>
    schemas.flatMap(fieldsIn).map((field) => ({ ...field, list })),
  )
  const repeated = [...groupByText(fields)].filter(
    ([, same]) => new Set(same.map(({ list }) => list)).size > 1,
  )
  return nameTypes(repeated)
}

function groupByText<Some extends Field>(fields: readonly Some[]): ReadonlyMap<string, readonly Some[]> {
  return Map.groupBy(fields, ({ schema }) => textOf(schema))
}

/** Of two that would have the same name, the first has it, and the other stands where it stood. */
function nameTypes(repeated: readonly (readonly [string, readonly Field[]])[]): Shared {
  const names = new Map<string, string>()
  const types = new Map<string, Schema>()
  for (const [text, [first]] of repeated) {
    if (first === undefined || types.has(first.name)) continue
    names.set(text, first.name)
    types.set(first.name, first.schema)
  }
  const within = (schema: Schema): Schema => mapFields(schema, (field) => referTo(names, field))
  return { types: new Map([...types].map(([name, schema]) => [name, within(schema)])), refer: within }
}

type Field = { readonly name: string; readonly schema: Schema }

/** Fewer fields or values are read faster than their name is looked up. */
const FIELDS_MIN = 3
const VALUES_MIN = 4

function referTo(names: ReadonlyMap<string, string>, schema: Schema): Schema {
  const name = names.get(textOf(schema))
  if (name === undefined) return mapFields(schema, (field) => referTo(names, field))
  return {
    $ref: `#/${name}`,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  }
}

/** Everything worth a name that stands in a field, in the list of one, or is a choice there. */
function fieldsIn(schema: Schema): readonly Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    partsOf(field, key).flatMap((part) => [
      ...(isLarge(part.schema) ? [part] : []),
      ...fieldsIn(part.schema),
    ]),
  )
  return [...own, ...choicesOf(schema).flatMap(fieldsIn)]
}

/** What a field holds: itself, the items of a list, or each of its choices. */
function partsOf(schema: Schema, key: string): readonly Field[] {
  if (schema.items !== undefined) return partsOf(schema.items, key.replace(/s$/, ''))
  const choices = choicesOf(schema)
  return choices.length === 0
    ? [{ name: typeName(key), schema }]
    : choices.flatMap((choice) => partsOf(choice, key))
}

function choicesOf({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] {
  return [...anyOf, ...oneOf, ...allOf]
}

function isLarge({ type, properties = {}, enum: values = [] }: Schema): boolean {
  const isObject = type === 'object' && Object.keys(properties).length >= FIELDS_MIN
  return isObject || values.length >= VALUES_MIN
}

function typeName(key: string): string {
  return key
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** What a field is for may differ from place to place; what it holds is what counts. */
function textOf(schema: Schema): string {
  return JSON.stringify({ ...schema, description: undefined })
}

function mapFields(schema: Schema, change: (field: Schema) => Schema): Schema {
  const { properties, items, anyOf, oneOf, allOf } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, change(field)])),
    }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
    ...(allOf && { allOf: allOf.map(change) }),
  }
}
