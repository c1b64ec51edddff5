import type { Schema } from './schema-type.ts'

/** The objects that some schemas speak of more than once, by name, and how a schema refers to them. */
export type Shared = {
  readonly types: ReadonlyMap<string, Schema>
  /** The schema with a reference wherever one of the types stands. */
  readonly refer: (schema: Schema) => Schema
}

/** Whoever reads a type twice wonders whether it is the same: what repeats is named after the field it stands in. */
export function shareTypes(schemas: readonly Schema[]): Shared {
  const byText = Map.groupBy(schemas.flatMap(fieldsIn), ({ schema }) => textOf(schema))
  const names = new Map<string, string>()
  const types = new Map<string, Schema>()
  for (const [text, [first, second]] of byText) {
    if (first === undefined || second === undefined || types.has(first.name)) continue
    names.set(text, first.name)
    types.set(first.name, first.schema)
  }
  const refer = (schema: Schema): Schema => mapFields(schema, (field) => referTo(names, field))
  return { types: new Map([...types].map(([name, schema]) => [name, refer(schema)])), refer }
}

type Field = { readonly name: string; readonly schema: Schema }

/** Fewer fields are read faster than their name is looked up. */
const FIELDS_MIN = 3

function referTo(names: ReadonlyMap<string, string>, schema: Schema): Schema {
  const name = names.get(textOf(schema))
  if (name === undefined) return mapFields(schema, (field) => referTo(names, field))
  return {
    $ref: `#/${name}`,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  }
}

/** Every object that stands in a field, or in the list of one. */
function fieldsIn(schema: Schema): readonly Field[] {
  const below = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(fieldsIn)
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const item = field.items ?? field
    return [...(isLarge(item) ? [{ name: typeName(key, field), schema: item }] : []), ...fieldsIn(item)]
  })
  return [...own, ...below]
}

function isLarge({ type, properties = {} }: Schema): boolean {
  return type === 'object' && Object.keys(properties).length >= FIELDS_MIN
}

function typeName(key: string, { items }: Schema): string {
  const words = (items === undefined ? key : key.replace(/s$/, '')).split('_')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** What a field is for may differ from place to place; what it holds is what counts. */
function textOf(schema: Schema): string {
  return JSON.stringify({ ...schema, description: undefined })
}

function mapFields(schema: Schema, change: (field: Schema) => Schema): Schema {
  const { properties, items, anyOf, oneOf, allOf } = schema
  const within = (choice: Schema): Schema => mapFields(choice, change)
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, change(field)])),
    }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(within) }),
    ...(oneOf && { oneOf: oneOf.map(within) }),
    ...(allOf && { allOf: allOf.map(within) }),
  }
}
