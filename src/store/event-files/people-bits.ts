import type { EventQuestion } from '../events/measuring.ts'
import type { ColdRows } from './cold-rows.ts'

/** The people of one span and one block of ids are one bit each. */
const BLOCK_SHIFT = 16
const BLOCK_IDS = 2 ** BLOCK_SHIFT

/** The number of ids in a block, and the SQL of the number of a person's block. */
export const PERSON_BLOCK = { ids: BLOCK_IDS, sql: `profile_id >> ${BLOCK_SHIFT}` } as const
/** The SQL of a person's place in the block. */
export const PERSON_BIT = `(profile_id & ${BLOCK_IDS - 1})::integer`

const BLOCK_MIB = BLOCK_IDS / 8 / 1_048_576

type PeopleIds = Pick<ColdRows, 'threadMib'> & { readonly view: Pick<ColdRows['view'], 'people'> }

/**
 * Whether the memory has room for a bit for each person of the brand in each of so many sets, such as spans: a million people on each day
 * of a year are 44 MiB. Each thread has bits of its own, and two more sets hold the bits of all threads together. Ids of people of other
 * brands may be between those of the brand.
 */
export function hasRoomForBits(sets: number, { view, threadMib }: PeopleIds): boolean {
  const { people } = view
  const blocks = (people.last >> BigInt(BLOCK_SHIFT)) - (people.first >> BigInt(BLOCK_SHIFT)) + 1n
  return sets * Number(blocks) * BLOCK_MIB <= threadMib
}

/**
 * The people in each span and in all of them. Their ids become bits: a list of who was there on each day of a year takes more than a
 * hundred times as much memory, and is slower to make. Events are the rows `span` and `profile_id`.
 */
export function peopleBitsSql({ spansBefore }: Pick<EventQuestion, 'spansBefore'>, events: string): string {
  const isBefore = `span <= ${spansBefore} as is_before`
  return `with bits as materialized (select span, ${PERSON_BLOCK.sql} as block,
      bitstring_agg(${PERSON_BIT}, 0, ${BLOCK_IDS - 1}) as people
      from (${events}) group by span, block),
    blocks as (select ${isBefore}, bit_count(bit_or(people)) as people from bits group by is_before, block)
    select null as place, null as key, span, ${isBefore}, sum(bit_count(people))::varchar, null, 0 as groups
      from bits group by span
    union all select null, null, null, is_before, sum(people)::varchar, null, 0 from blocks group by is_before`
}
