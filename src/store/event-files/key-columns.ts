import { unreachable } from '../../domain/unreachable.ts'
import type { EventPart } from '../events/parts.ts'
import { attributeTag, digitsSql, type PlainColumn, partTag, plainColumns } from './file-values.ts'
import { personTag } from './people-csv.ts'

/**
 * A part of a group, in the columns that events are counted by. To make a tag of the value of each event would take most of the
 * time, so that is done once for each group of them.
 */
export type KeyColumns = {
  readonly name: string
  /** Rows have their tag in the column with `isTag`, and nothing in the others. */
  readonly raw: readonly { readonly name: string; readonly sql: string; readonly isTag: boolean }[]
  /** The tag (`partTag`), made of these columns. Two groups of events may have the same. */
  readonly tag: string
}

type KeyPlace = {
  readonly parts: readonly EventPart[]
  readonly columns: ReadonlySet<string>
  readonly name: string
}

/** Whether parts read columns that differ from file to file (`ColdChoice.columns`): those of attributes do. */
export function partColumns(parts: readonly EventPart[]): 'shared' | 'united' {
  return parts.some(({ kind }) => kind === 'attribute') ? 'united' : 'shared'
}

/** Null if only rows have the part. */
export function keyColumns(part: EventPart, { parts, columns, name }: KeyPlace): KeyColumns | null {
  const typed = part.kind === 'attribute' ? plainColumns(part.name, columns) : null
  if (part.kind === 'attribute' && typed !== null && typed.length > 0) {
    const raw = typed.map(({ kind, column }) => ({
      name: `${name}_${kind}`,
      sql: inColumn(column),
      isTag: false,
    }))
    const json = `case when attributes is not null then ${attributeTag(part.name, columns)} end`
    const tags = typed.map(({ kind }) => tagOf(kind, `${name}_${kind}`))
    return {
      name,
      raw: [{ name: `${name}_tag`, sql: json, isTag: true }, ...raw],
      tag: `coalesce(${[`${name}_tag`, ...tags, `'z'`].join(', ')})`,
    }
  }
  const sql = part.kind === 'person' ? personTag(parts, part) : partTag(part, columns)
  return sql === null ? null : { name, raw: [{ name: `${name}_tag`, sql, isTag: true }], tag: `${name}_tag` }
}

/** An event with all of its attributes in JSON has some of them in columns too. */
function inColumn(column: string): string {
  return `case when attributes is null then ${column} end`
}

function tagOf(kind: PlainColumn['kind'], column: string): string {
  switch (kind) {
    case 'string':
      return `'s' || ${column}`
    case 'number':
      return `'n' || ${digitsSql(`${column}::varchar`)}`
    case 'boolean':
      return `'b' || ${column}::varchar`
    default:
      return unreachable(kind)
  }
}
