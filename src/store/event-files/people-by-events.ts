import type { ColdRows } from './cold-rows.ts'
import type { FileSteps } from './file-steps.ts'
import type { KeyColumns } from './key-columns.ts'
import { bitsSql, peopleSetsMax } from './people-bits.ts'
import {
  type LargestGroup,
  largestOf,
  largestSql,
  type PeopleCount,
  sameSql,
  sizeOrder,
} from './people-count.ts'
import type { EventReader, FileQuestion, ReadEvents } from './read-events.ts'

/**
 * People of groups that differ from event to event: somebody may be in several. Groups are read first, and named by numbers, because the
 * same value has other raw columns in an event whose attributes are in JSON than in one with typed columns.
 */
export function countByEvents(question: FileQuestion, cold: ColdRows, read: EventReader): PeopleCount {
  const setsMax = peopleSetsMax(cold)
  return {
    periods: periodSteps(question, read(), setsMax),
    spansMax: Math.floor(setsMax / (question.groupsMax + 1)),
    spansSql: (spans, largest) => placesSql(read({ spans }), largest, 'span'),
  }
}

/** If there are so many groups that their bits have no room, their sizes are counted from a list of the people of each. */
function* periodSteps(
  { spansBefore, groupsMax }: FileQuestion,
  read: ReadEvents,
  setsMax: number,
): FileSteps {
  const periods = spansBefore === 0 ? 1 : 2
  const namesMax = Math.floor(setsMax / periods) - (groupsMax + 1)
  const sizing = { spansBefore, groupsMax }
  const few = yield { sql: fewGroupsSql(read, { ...sizing, namesMax }), work: { from: 0, to: 0.4 } }
  const names = few.find(([place]) => Number(place) === NAMES_PLACE)
  if (Number(names?.[PEOPLE_CELL] ?? 0) <= namesMax) return few.filter((row) => row !== names)
  const found = yield { sql: manyGroupsSql(read, sizing), work: { from: 0.4, to: 0.45 } }
  const period = `span <= ${spansBefore}`
  const largest = found.flatMap(largestOf)
  const tags = new Map(largest.map((group) => [group.place, group.tags]))
  const rows = yield { sql: placesSql(read, largest, period), work: { from: 0.45, to: 0.5 } }
  const groups = found[0]?.[2] ?? 0
  return rows.map(([place = null, isBefore = null, people = null]) => [
    place,
    tags.get(Number(place)) ?? null,
    null,
    isBefore,
    people,
    null,
    groups,
  ])
}

/** The row that tells how many names groups have stands at this place of groups. */
const NAMES_PLACE = -1
const PEOPLE_CELL = 4

type Sizing = Pick<FileQuestion, 'spansBefore' | 'groupsMax'>

/** Finds the largest groups, and counts their people, by bits of each group. Reads no event if groups have more names than `namesMax`. */
function fewGroupsSql(
  read: ReadEvents,
  { spansBefore, groupsMax, namesMax }: Sizing & { readonly namesMax: number },
): string {
  const { events, keyed } = read
  const keys = keysOf(keyed)
  const order = sizeOrder(keys)
  return `with ${namedSql(read)},
    few as materialized (select * from named where (select max(g) from named) <= ${namesMax}),
    bits as materialized (${bitsSql(
      `select span <= ${spansBefore} as is_before, g, profile_id from (${events}) as e join few on ${sameSql('e', 'few', rawOf(keyed))}`,
      ['is_before', 'g'],
    )}),
    sizes as (select g, sum(bit_count(people)) as size from bits where not is_before group by g),
    counted as (${countedSql(keys, groupsMax)}),
    largest as materialized (select g, [${keys.join(', ')}] as key, groups, row_number() over (order by ${order}) as place from counted),
    placed as materialized (select is_before, block, coalesce(place, 0) as place, bit_or(people) as people
      from bits left join largest using (g) group by all),
    cells as (select place, is_before, sum(bit_count(people)) as users from placed group by all
      union all select null, is_before, sum(bit_count(people))
        from (select is_before, block, bit_or(people) as people from placed group by all) group by is_before)
    select cells.place, largest.key, null as span, is_before, users::varchar, null, coalesce((select max(groups) from largest), 0)
      from cells left join largest on largest.place = cells.place
    union all select ${NAMES_PLACE}, null, null, null, coalesce((select max(g) from named), 0)::varchar, null, 0`
}

/** Finds the largest groups, and how many there are. The list of the people of each group goes to the disk if it is long. */
function manyGroupsSql(read: ReadEvents, { spansBefore, groupsMax }: Sizing): string {
  const { events, keyed } = read
  const keys = keysOf(keyed)
  return `with ${namedSql(read)},
    sizes as (select g, count(*) as size from (
      select distinct g, profile_id from (${events}) as e join named on ${sameSql('e', 'named', rawOf(keyed))}
      where span > ${spansBefore}) group by g),
    counted as (${countedSql(keys, groupsMax)})
    select row_number() over (order by ${sizeOrder(keys)}) as place, [${keys.join(', ')}] as key, groups from counted`
}

/** The people of the largest groups, of the other ones, and of all groups, for each value of `per`. */
function placesSql(
  { events, groups, keyed }: ReadEvents,
  largest: readonly LargestGroup[],
  per: string,
): string {
  const [keys, raw] = [keysOf(keyed), rawOf(keyed)]
  const places = raw.map((column) => `named.${column}`).join(', ')
  return `with named as (${tagsOfSql(keyed, groups)}),
    placed as materialized (select ${places}, coalesce(place, 0) as place
      from named left join (${largestSql(largest, keys)}) as largest using (${keys.join(', ')})),
    bits as materialized (${bitsSql(
      `select ${per} as per, place, profile_id from (${events}) as e join placed on ${sameSql('e', 'placed', raw)}`,
      ['per', 'place'],
    )})
    select place, per, sum(bit_count(people))::varchar from bits group by all
    union all select null, per, sum(bit_count(people))::varchar
      from (select per, block, bit_or(people) as people from bits group by all) group by per`
}

/** Each group, by all the raw columns that it has, with its tags and its number `g`. */
function namedSql({ groups, keyed }: ReadEvents): string {
  const keys = keysOf(keyed).join(', ')
  return `named as materialized (select *, dense_rank() over (order by ${keys})::integer as g from (${tagsOfSql(keyed, groups)}))`
}

function tagsOfSql(keyed: readonly KeyColumns[], groups: string): string {
  const raw = rawOf(keyed).join(', ')
  const tags = keyed.map(({ tag, name }) => `${tag} as ${name}`).join(', ')
  return `select ${raw}, ${tags} from (select distinct ${raw} from (${groups}))`
}

function countedSql(keys: readonly string[], groupsMax: number): string {
  const list = keys.join(', ')
  return `select g, ${list}, size, count(*) over () as groups
    from sizes join (select distinct g, ${list} from named) using (g) order by ${sizeOrder(keys)} limit ${groupsMax}`
}

function keysOf(keyed: readonly KeyColumns[]): readonly string[] {
  return keyed.map(({ name }) => name)
}

function rawOf(keyed: readonly KeyColumns[]): readonly string[] {
  return keyed.flatMap(({ raw }) => raw.map(({ name }) => name))
}
