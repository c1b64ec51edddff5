import type { ColdRows } from './cold-rows.ts'
import type { FileSteps } from './file-steps.ts'
import type { KeyColumns } from './key-columns.ts'
import { bitsSql, peopleSetsMax } from './people-bits.ts'
import {
  type LargestGroup,
  largestOf,
  PERIODS_WORK,
  type PeopleCount,
  shownGroupsSql,
  sizeOrder,
} from './people-count.ts'
import type { ColdReader, FileQuestion, ReadEvents } from './read-events.ts'

/**
 * People of groups that differ from event to event: somebody may be in several. Groups are read first, and named by numbers, because the
 * same value has other raw columns in an event whose attributes are in JSON than in one with typed columns.
 */
export function countByEvents(question: FileQuestion, cold: ColdRows, read: ColdReader): PeopleCount {
  const setsMax = peopleSetsMax(cold)
  return {
    periods: periodSteps(question, read(), setsMax),
    spansMax: (groups) => {
      const perSpan = groups + 1
      return setsMax < periodsOf(question) * perSpan ? 0 : Math.floor(setsMax / perSpan)
    },
    spansSql: (run, largest) => placesSql(read(run), largest, 'span'),
  }
}

function periodsOf({ spansBefore }: Pick<FileQuestion, 'spansBefore'>): number {
  return spansBefore === 0 ? 1 : 2
}

/** If there are so many groups that their bits have no room, their sizes are counted from a list of the people of each. */
function* periodSteps(
  { spansBefore, groupsMax }: FileQuestion,
  read: ReadEvents,
  setsMax: number,
): FileSteps {
  const numberMax = Math.floor(setsMax / periodsOf({ spansBefore })) - (groupsMax + 1)
  const sizing = { spansBefore, groupsMax }
  const few = yield { sql: fewGroupsSql(read, { ...sizing, numberMax }), work: { from: 0, to: FEW_WORK } }
  const number = few.find(([place]) => Number(place) === NUMBER_PLACE)
  if (Number(number?.[PEOPLE_CELL] ?? 0) <= numberMax) return few.filter((row) => row !== number)
  const found = yield { sql: manyGroupsSql(read, sizing), work: { from: FEW_WORK, to: MANY_WORK } }
  const period = `span <= ${spansBefore}`
  const largest = found.flatMap(largestOf)
  const tags = new Map(largest.map((group) => [group.place, group.tags]))
  const rows = yield { sql: placesSql(read, largest, period), work: { from: MANY_WORK, to: PERIODS_WORK } }
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

/** If there are few groups, the first statement is the last one, too. */
const FEW_WORK = 0.4 * PERIODS_WORK
const MANY_WORK = 0.7 * PERIODS_WORK
/** The row that tells how many groups there are has this in place of a group's place. */
const NUMBER_PLACE = -1
const PEOPLE_CELL = 4

type Sizing = Pick<FileQuestion, 'spansBefore' | 'groupsMax'>

/** Finds the largest groups, and counts their people, by bits of each group. Reads no event if there are more groups than `numberMax`. */
function fewGroupsSql(
  read: ReadEvents,
  { spansBefore, groupsMax, numberMax }: Sizing & { readonly numberMax: number },
): string {
  const { events, keyed } = read
  const keys = keysOf(keyed)
  const order = sizeOrder(keys)
  const inPeriods = `select span <= ${spansBefore} as is_before, g, profile_id
    from (${events}) as e join few on ${sameSql('e', 'few', rawOf(keyed))}`
  return `with ${namedSql(read)},
    few as materialized (select * from named where (select max(g) from named) <= ${numberMax}),
    bits as materialized (${bitsSql(inPeriods, ['is_before', 'g'])}),
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
    union all select ${NUMBER_PLACE}, null, null, null, coalesce((select max(g) from named), 0)::varchar, null, 0`
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
  const inPlaces = `select ${per} as per, place, profile_id
    from (${events}) as e join placed on ${sameSql('e', 'placed', raw)}`
  return `with named as (${tagsOfSql(keyed, groups)}),
    placed as materialized (select ${places}, coalesce(place, 0) as place
      from named left join (${shownGroupsSql(largest, keys)}) as largest using (${keys.join(', ')})),
    bits as materialized (${bitsSql(inPlaces, ['per', 'place'])})
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

/** The condition under which rows of two tables are of the same group. */
function sameSql(one: string, other: string, columns: readonly string[]): string {
  return columns.map((column) => `${one}.${column} is not distinct from ${other}.${column}`).join(' and ')
}

function keysOf(keyed: readonly KeyColumns[]): readonly string[] {
  return keyed.map(({ name }) => name)
}

function rawOf(keyed: readonly KeyColumns[]): readonly string[] {
  return keyed.flatMap(({ raw }) => raw.map(({ name }) => name))
}
