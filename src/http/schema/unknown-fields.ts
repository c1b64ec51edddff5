import { isJsonObject } from '../../domain/values/json.ts'
import { pathTo } from '../../domain/values/path.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { fieldsOf, membersOf } from './walk.ts'

export type KnownFields = { readonly value: unknown; readonly warnings: readonly Warning[] }

/**
 * A body without the fields its schema does not know, and a warning for each of them (decisions §2). A list with more
 * items than it may have keeps one too many: that is enough to refuse it, and the rest would cost a look at each item.
 */
export function dropUnknownFields(schema: unknown, body: unknown): KnownFields {
  const warnings: Warning[] = []
  const value = keepKnown(schema, body, {
    path: '',
    warn: (field) => warnings.push(warning('unknown_field', field)),
  })
  return { value, warnings: warnings.slice(0, WARNINGS_MAX) }
}

/** A body of rubbish is answered with a page of warnings, not with a megabyte of them. */
const WARNINGS_MAX = 50

type Place = { readonly path: string; readonly warn: (field: string) => void }

function keepKnown(schema: unknown, value: unknown, { path, warn }: Place): unknown {
  if (Array.isArray(value)) {
    const { items, maxItems } = membersOf(schema)
    if (items === undefined) return value
    const looked = typeof maxItems === 'number' ? value.slice(0, maxItems + 1) : value
    return looked.map((item: unknown, index) => keepKnown(items, item, { path: pathTo(path, index), warn }))
  }
  const fields = fieldsOf(schema)
  if (!isJsonObject(value) || fields === null) return value
  const entries = Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const place = { path: pathTo(path, name), warn }
    if (Object.hasOwn(fields, name)) return [[name, keepKnown(fields[name], part, place)] as const]
    warn(place.path)
    return []
  })
  return Object.fromEntries(entries)
}
