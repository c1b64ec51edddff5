import type { ColdRows } from './cold-rows.ts'
import { bitsSql, peopleSetsMax } from './people-bits.ts'
import { sizeOrder } from './people-count.ts'
import type { FileQuestion, ReadEvents } from './read-events.ts'

/** Whether the bits of each span, for the shown groups and for the rest, and of each group in each period have room together. */
export function hasRoomForFound(
  { edges, groupsMax }: Pick<FileQuestion, 'edges' | 'groupsMax'>,
  cold: ColdRows,
): boolean {
  return 2 * (edges.length - 1) + 2 * (groupsMax + 1) <= peopleSetsMax(cold)
}

/**
 * Counts the people of groups whom a filter found, in one statement. There are fewer of their events, so each person is kept once for each span
 * and group, and the files and the CSV of people are read once. People of one group in one span are counted as rows. People of several groups
 * or spans together are counted by bits, because one person may be in several.
 */
export function peopleOfFoundSql({ spansBefore, groupsMax }: FileQuestion, read: ReadEvents): string {
  const { events, keyed } = read
  const columns = keyed.map(({ name }) => name)
  const keys = columns.join(', ')
  const tags = keyed.map(({ tag, name }) => `${tag} as ${name}`).join(', ')
  const same = columns.map((name) => `happened.${name} is not distinct from named.${name}`).join(' and ')
  const order = sizeOrder(columns)
  const isBefore = `span <= ${spansBefore} as is_before`
  return `with happened as materialized (select distinct span, profile_id, ${tags} from (${events})),
    named as materialized (select *, dense_rank() over (order by ${keys})::integer as g from (select distinct ${keys} from happened)),
    picked as materialized (select span, g, profile_id from happened join named on ${same}),
    sizes as (select g, count(*) as size from (select distinct g, profile_id from picked where span > ${spansBefore}) group by g),
    counted as (select g, ${keys}, size, count(*) over () as groups
      from sizes join (select distinct g, ${keys} from named) using (g) order by ${order} limit ${groupsMax}),
    largest as materialized (select g, [${keys}] as key, groups, row_number() over (order by ${order})::integer as place from counted),
    placed as (select span, ${isBefore}, profile_id, coalesce(place, 0) as place from picked left join largest using (g)),
    in_spans as materialized (${bitsSql('select span, place = 0 as is_rest, profile_id from placed', ['span', 'is_rest'])}),
    in_groups as materialized (${bitsSql('select is_before, place, profile_id from placed', ['is_before', 'place'])}),
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
