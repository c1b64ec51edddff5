/** A JSON Schema as the TypeScript type of what it allows; what a type cannot say (lengths, patterns) is left out. */
export function typeOf(schema: Schema): string {
  const type = knownType(schema)
  return type === 'unknown' ? 'Json' : type
}

/** The same, or `unknown` where the schema says nothing that a type could. */
function knownType(schema: Schema): string {
  const parts = [ownType(schema), ...alternatives(schema), ...(schema.allOf ?? []).map(knownType)]
  const told = parts.filter((part) => part !== 'unknown')
  return told.length === 0 ? 'unknown' : [...new Set(told)].map(inParentheses(told.length > 1)).join(' & ')
}

/** A description as the comment above a field. */
export function commentOf(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`
}

/** As much of JSON Schema as our own documents use. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** Integers of 64 bits are numbers while that is exact. */
const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function ownType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const kinds = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (kinds.length === 0 && schema.properties !== undefined) return objectType(schema)
  return kinds.length === 0 ? 'unknown' : kinds.map((kind) => kindType(kind, schema)).join(' | ')
}

function kindType(kind: string, schema: Schema): string {
  if (kind === 'integer' && schema.format === 'int64') return 'number | bigint'
  if (kind === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`
  if (kind === 'object') return objectType(schema)
  const plain = PLAIN[kind]
  if (plain === undefined) throw new Error(`a schema has the unknown type ${kind}`)
  return plain
}

function objectType({
  properties = {},
  required = [],
  additionalProperties,
  patternProperties,
}: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${commentOf(schema.description)}readonly ${JSON.stringify(name)}${mark}: ${typeOf(schema)}`
  })
  if (fields.length > 0) return `{\n${fields.join('\n')}\n}`
  const [values = additionalProperties] = Object.values(patternProperties ?? {})
  return `Readonly<Record<string, ${typeof values === 'object' ? typeOf(values) : 'Json'}>>`
}

/** Alternatives that differ in their limits only say nothing a type could. */
function alternatives({ anyOf = [], oneOf = [] }: Schema): readonly string[] {
  return [anyOf, oneOf].map((choices) => {
    const types = choices.map(knownType)
    return types.includes('unknown')
      ? 'unknown'
      : [...new Set(types)].map(inParentheses(true)).join(' | ') || 'unknown'
  })
}

function inParentheses(isNeeded: boolean): (type: string) => string {
  return (type) => (isNeeded ? `(${type})` : type)
}
