import type { ColdRows } from './cold-rows.ts'
import type { KeyColumns } from './key-columns.ts'
import { hasRoomForBits, PERSON_BIT, PERSON_BLOCK } from './people-bits.ts'
import type { FileQuestion, ReadEvents } from './read-events.ts'
import { orderSql } from './tags.ts'

/**
 * Whether the memory has room for a bit for each person in these sets: each span, once for the shown groups and once for the rest; and
 * each shown group and the rest, once for each of the two periods.
 */
export function hasRoomForGroups(
  { edges, groupsMax }: Pick<FileQuestion, 'edges' | 'groupsMax'>,
  cold: Pick<ColdRows, 'threadMib' | 'view'>,
): boolean {
  return hasRoomForBits(2 * (edges.length - 1) + 2 * (groupsMax + 1), cold)
}

/**
 * Counts people in the largest groups, in the rest, and in all of them, for each span and for all spans. Groups are numbered, and each
 * person is kept once for each span and group, so the people of one group in one span are counted as rows. The people of several groups
 * or spans together are counted by bits, because one person may be in several.
 */
export function peopleGroupsSql(question: FileQuestion, read: ReadEvents): string {
  const { spansBefore, groupsMax, people } = question
  const { keyed } = read
  const keys = keyed.map(({ name }) => name).join(', ')
  const order = `size desc, ${keyed.map(({ name }) => orderSql(name)).join(', ')}`
  const isBefore = `span <= ${spansBefore} as is_before`
  const bits = `bitstring_agg(${PERSON_BIT}, 0, ${PERSON_BLOCK.ids - 1}) as people`
  return `with ${people === null ? pickedOfAllSql(read) : pickedOfFoundSql(read)},
    sizes as (select g, count(*) as size from (select distinct g, profile_id from picked where span > ${spansBefore}) group by g),
    counted as (select g, ${keys}, size, count(*) over () as groups
      from sizes join (select distinct g, ${keys} from named) using (g) order by ${order} limit ${groupsMax}),
    largest as materialized (select g, [${keys}] as key, groups, row_number() over (order by ${order}) as place from counted),
    placed as (select span, profile_id, coalesce(place, 0) as place from picked left join largest using (g)),
    in_spans as materialized (select span, place = 0 as is_rest, ${PERSON_BLOCK.sql} as block, ${bits}
      from placed group by span, is_rest, block),
    in_groups as materialized (select ${isBefore}, place, ${PERSON_BLOCK.sql} as block, ${bits} from placed group by is_before, place, block),
    cells as (
      select null as place, null as span, is_before, sum(bit_count(people)) as users
        from (select ${isBefore}, block, bit_or(people) as people from in_spans group by is_before, block) group by is_before
      union all select null, span, ${isBefore}, sum(bit_count(people))
        from (select span, block, bit_or(people) as people from in_spans group by span, block) group by span
      union all select place, null, is_before, sum(bit_count(people)) from in_groups group by is_before, place
      union all select 0, span, ${isBefore}, sum(bit_count(people)) from in_spans where is_rest group by span
      union all select place, span, ${isBefore}, count(*) from placed where place > 0 group by place, span)
    select cells.place, largest.key, span, is_before, users::varchar, null, coalesce((select max(groups) from largest), 0)
    from cells left join largest on largest.place = cells.place`
}

/**
 * Everybody's events, of which there may be very many: their groups are read and numbered first, so that each person is kept with a number
 * in place of texts. The same value has other raw columns in an event whose attributes are in JSON than in an event with typed columns; its
 * group has the same number in both.
 */
function pickedOfAllSql({ events, groups, keyed }: ReadEvents): string {
  const raw = keyed.flatMap((key) => key.raw.map(({ name }) => name))
  const same = raw.map((name) => `e.${name} is not distinct from named.${name}`).join(' and ')
  return `named as materialized (select *, ${numberSql(keyed)}
      from (select ${raw.join(', ')}, ${tagsSql(keyed)} from (select distinct ${raw.join(', ')} from (${groups})))),
    picked as materialized (select distinct span, g, profile_id from (
      select e.span, named.g, e.profile_id from (${events}) as e join named on ${same}))`
}

/** The events of people whom a filter found: there are fewer of them, so that they are read once, and their groups are numbered afterwards. */
function pickedOfFoundSql({ events, keyed }: ReadEvents): string {
  const keys = keyed.map(({ name }) => name)
  const same = keys.map((name) => `happened.${name} is not distinct from named.${name}`).join(' and ')
  return `happened as materialized (select distinct span, profile_id, ${tagsSql(keyed)} from (${events})),
    named as materialized (select *, ${numberSql(keyed)} from (select distinct ${keys.join(', ')} from happened)),
    picked as materialized (select span, g, profile_id from happened join named on ${same})`
}

function tagsSql(keyed: readonly KeyColumns[]): string {
  return keyed.map(({ tag, name }) => `${tag} as ${name}`).join(', ')
}

function numberSql(keyed: readonly KeyColumns[]): string {
  return `dense_rank() over (order by ${keyed.map(({ name }) => name).join(', ')})::integer as g`
}
