import { isJsonObject } from '../../domain/values/json.ts'
import { pathTo } from '../../domain/values/path.ts'
import { INT64_MAX } from '../../rules/fields.ts'
import { fieldsOf, type Members, membersOf } from '../schema/walk.ts'

/** One line of a table of fields. */
export type FieldLine = {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string
}

/** The fields of a schema as lines, those of nested objects right after the one that holds them. */
export function fieldLines(schema: unknown, path = ''): readonly FieldLine[] {
  const { required } = membersOf(schema)
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(membersOf(membersOf(schema)['properties'])).flatMap(([key, field]) => {
    const name = pathTo(path, key)
    const isRequired = names.includes(key)
    return [
      { name, type: typeWords(field), isRequired, about: aboutWords(membersOf(field)) },
      ...inner(field, name),
    ]
  })
}

function inner(field: unknown, name: string): readonly FieldLine[] {
  const { items, anyOf } = membersOf(field)
  if (items !== undefined) return inner(items, `${name}[]`)
  // Where there are several forms, the first is the usual one.
  if (Array.isArray(anyOf)) return inner(anyOf[0], name)
  return fieldsOf(field) === null ? [] : fieldLines(field, name)
}

/** The fields of a document; where it has several forms, those of each of them. */
export function documentLines(schema: unknown, path = ''): readonly FieldLine[] {
  const { oneOf, items } = membersOf(schema)
  if (items !== undefined) return documentLines(items, `${path}[]`)
  const forms: readonly unknown[] = Array.isArray(oneOf) ? oneOf : [schema]
  const lines = forms.flatMap((form) => {
    const properties = Object.entries(membersOf(membersOf(form)['properties']))
    const required = membersOf(form)['required']
    const names: readonly unknown[] = Array.isArray(required) ? required : []
    return properties.flatMap(([key, field]) => {
      const name = pathTo(path, key)
      const line = {
        name,
        type: typeWords(field),
        isRequired: names.includes(key),
        about: aboutWords(membersOf(field)),
      }
      return [line, ...documentLines(field, name)]
    })
  })
  // A comparison has a form for each kind of operator; each line stands once.
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()]
}

/** `string`, `list of object`, `string or null`. */
function typeWords(schema: unknown): string {
  const { type, items, anyOf, oneOf, const: only, enum: words, format, $ref } = membersOf(schema)
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '')
  const choices = [anyOf, oneOf].find(Array.isArray)
  if (items !== undefined) return `list of ${typeWords(items)}`
  if (format === 'int64') return 'int64'
  if (typeof type === 'string') return format === 'date-time' ? 'date-time' : type
  if (Array.isArray(type)) return type.join(' or ')
  if (choices !== undefined) return [...new Set(choices.map(typeWords))].join(' or ')
  if (Array.isArray(words) || only !== undefined) return 'string'
  return 'any'
}

function aboutWords(field: Members): string {
  const { description } = field
  const words = [typeof description === 'string' ? description : '', ...limitWords(field)]
  return words.filter((word) => word !== '').join(' ')
}

function limitWords(field: Members): readonly string[] {
  const { anyOf, oneOf } = field
  const choices: readonly unknown[] = [anyOf, oneOf].find(Array.isArray) ?? []
  // Where there are several forms, the first is the usual one.
  const {
    enum: words,
    maxLength,
    maxItems,
    default: usual,
    items,
    ...rest
  } = { ...membersOf(choices[0]), ...field }
  return [
    ...choiceWords(words),
    ...(isJsonObject(items) ? choiceWords(membersOf(items)['enum']) : []),
    rangeWords(rest),
    maxLength === undefined ? '' : `At most ${say(maxLength)} characters.`,
    maxItems === undefined ? '' : `At most ${say(maxItems)} items.`,
    usual === undefined ? '' : `Default ${say(usual)}.`,
  ]
}

/** The range of int64 is not printed, because the type already says it. */
function rangeWords({ minimum, maximum }: Members): string {
  if (minimum === undefined || maximum === undefined || maximum === INT64_MAX) return ''
  return `${say(minimum)} to ${say(maximum)}.`
}

function choiceWords(words: unknown): readonly string[] {
  return Array.isArray(words) ? [`One of ${words.map((word) => `\`${say(word)}\``).join(', ')}.`] : []
}

/** A limit may be a bigint, which JSON cannot say. */
function say(value: unknown): string {
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
