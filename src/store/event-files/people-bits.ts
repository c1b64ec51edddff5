import type { ColdRows } from './cold-rows.ts'
import type { SpanRun } from './read-events.ts'

/** The people of one set and one block of ids are one bit each. */
const BLOCK_SHIFT = 16
const BLOCK_IDS = 2 ** BLOCK_SHIFT
const BLOCK_MIB = BLOCK_IDS / 8 / 1_048_576

type PeopleIds = Pick<ColdRows, 'threadMib'> & { readonly view: Pick<ColdRows['view'], 'people'> }

/**
 * How many sets of people, such as those of a span, the memory of a thread has room for, with a bit for each person of the brand: a million
 * people on each day of a year are 44 MiB. Each thread has bits of its own, and two more sets hold the bits of all threads together. Ids of
 * people of other brands may be between those of the brand.
 */
export function peopleSetsMax({ view, threadMib }: PeopleIds): number {
  const { first, last } = view.people
  const blocks = (last >> BigInt(BLOCK_SHIFT)) - (first >> BigInt(BLOCK_SHIFT)) + 1n
  return Math.floor(threadMib / (Number(blocks) * BLOCK_MIB))
}

/** The number of the block of a person's id. */
export function blockSql(person: string): string {
  return `${person} >> ${BLOCK_SHIFT}`
}

/** The place of a person's bit in its block. */
export function bitSql(person: string): string {
  return `(${person} & ${BLOCK_IDS - 1})::integer`
}

/**
 * The bits of everybody in `rows`, a select with `profile_id`, for each value of the columns, in blocks. A list of who was there on each day of
 * a year takes more than a hundred times as much memory, and is slower to make.
 */
export function bitsSql(rows: string, columns: readonly string[]): string {
  return `select ${columns.join(', ')}, ${blockSql('profile_id')} as block,
    bitstring_agg(${bitSql('profile_id')}, 0, ${BLOCK_IDS - 1}) as people from (${rows}) group by all`
}

/** The people in each span, and in all spans of each period, in one statement. */
export function peopleOfSpansSql(events: string, spansBefore: number): string {
  const isBefore = `span <= ${spansBefore} as is_before`
  return `with bits as materialized (${bitsSql(events, ['span'])}),
    blocks as (select ${isBefore}, bit_count(bit_or(people)) as people from bits group by is_before, block)
    select null as place, null as key, span, ${isBefore}, sum(bit_count(people))::varchar, null, 0 as groups
      from bits group by span
    union all select null, null, null, is_before, sum(people)::varchar, null, 0 from blocks group by is_before`
}

/** The spans, from 1 on, in runs of so many at most. */
export function spanRuns(spans: number, runMax: number): readonly SpanRun[] {
  const runs = Math.ceil(spans / runMax)
  return Array.from({ length: runs }, (_, run) => ({
    first: run * runMax + 1,
    last: Math.min(spans, (run + 1) * runMax),
  }))
}
