import { unreachable } from '../../domain/unreachable.ts'
import type { Binds } from '../bind.ts'

/** Something that events are divided by. `path` leads through `context`. */
export type EventPart =
  | { readonly kind: 'event' }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'context'; readonly path: readonly string[] }
  | { readonly kind: 'person'; readonly name: string }

/** The group of an event `e`: a list of its values. A value that is missing and one that is null are the same group. */
export function keySql(parts: readonly EventPart[], binds: Binds): string {
  return `jsonb_build_array(${parts.map((part) => partSql(part, binds)).join(', ')})`
}

/** The person `p` of an event `e`, for the statements that divide by people. */
export function personJoinSql(parts: readonly EventPart[]): string {
  if (!areAboutPeople(parts)) return ''
  return 'left join profiles as p on p.brand_id = e.brand_id and p.id = e.profile_id'
}

export function areAboutPeople(parts: readonly EventPart[]): boolean {
  return parts.some(({ kind }) => kind === 'person')
}

/**
 * The largest groups of a table with a `key`, with their places from 1 on, and the number of all groups. The size is an
 * aggregate.
 */
export function largestSql(from: string, size: string, most: string): string {
  return `select key, (row_number() over (order by size desc, key))::integer as place, groups from (
    select key, ${size} as size, (count(*) over ())::integer as groups
    from ${from} group by key order by size desc, key limit ${most}
  ) as counted`
}

function partSql(part: EventPart, binds: Binds): string {
  switch (part.kind) {
    case 'event':
      return 'e.event_name'
    case 'attribute':
      return `e.attributes -> ${binds.add(part.name)}::text`
    case 'context':
      return `e.context #> ${binds.add(part.path)}::text[]`
    case 'person':
      return `p.attributes -> ${binds.add(part.name)}::text`
    default:
      return unreachable(part)
  }
}
