import { duckText } from './duck-sql.ts'
import type { FileRows, FileSteps } from './file-steps.ts'
import type { Reading } from './read-events.ts'
import { orderSql } from './tags.ts'

/** A way to count the people of a question by bits (`people-bits.ts`). */
export type PeopleCount = {
  /** Counts people in each period. The rows are those of the answer without its spans; they name the groups that the answer shows. */
  readonly periods: FileSteps
  /** How many spans can be counted at a time, with so many groups; 0 if the periods have no room. */
  readonly spansMax: (groups: number) => number
  /** The statement that counts people in each of these spans. Its rows are a group, or null for all of them, a span and a number of people. */
  readonly spansSql: (run: Reading, largest: readonly LargestGroup[]) => string
}

/** The share of a question's work that its periods take. */
export const PERIODS_WORK = 0.5

/** A group that the answer shows: its place, from 1 on, and the tags of its values (`partTag`). Place 0 is all other groups. */
export type LargestGroup = { readonly place: number; readonly tags: readonly string[] }

/** The group of a row of an answer that begins with its place and its tags; none if the row is about several groups. */
export function largestOf([place, tags]: FileRows[number]): readonly LargestGroup[] {
  return Array.isArray(tags) ? [{ place: Number(place), tags: tags.map(String) }] : []
}

/** A select of the largest groups: the tags in the columns that are named, and `place`. */
export function shownGroupsSql(largest: readonly LargestGroup[], keys: readonly string[]): string {
  const none = `(${[...keys.map(() => 'null::varchar'), '0'].join(', ')})`
  const rows = largest.map(({ place, tags }) => `(${[...tags.map(duckText), place].join(', ')})`)
  return `select * from (values ${[none, ...rows].join(', ')}) as largest (${[...keys, 'place'].join(', ')}) where place > 0`
}

/** The order of groups: by their size, and then by their tags. */
export function sizeOrder(keys: readonly string[]): string {
  return `size desc, ${keys.map(orderSql).join(', ')}`
}
