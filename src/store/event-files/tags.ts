import { parseJson } from '../../domain/values/json.ts'
import { NUMBER } from './file-values.ts'

/** The value of a tag (`partTag`). */
export function untagged(tag: string): unknown {
  const text = tag.slice(1)
  if (tag.startsWith('s')) return text
  if (tag.startsWith('z')) return null
  return tag.startsWith('b') ? text === 'true' : parseJson(text)
}

/** The order of JSON in PostgreSQL: null, texts by their bytes, numbers by size, booleans. */
export function orderSql(tag: string): string {
  return `case left(${tag}, 1) when 'z' then 0 when 's' then 1 when 'n' then 2 else 3 end,
    case when left(${tag}, 1) = 'n' then substr(${tag}, 2)::${NUMBER} end, ${tag}`
}

/** The tag of a row. An object or a list fails the statement, as one in a file does. */
export function plainTagSql(tag: string): string {
  return `case when ${tag} = 'j' then error('no plain value ' || ${tag})::varchar else ${tag} end`
}
