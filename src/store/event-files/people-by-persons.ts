import type { ColdRows } from './cold-rows.ts'
import type { FileSteps } from './file-steps.ts'
import { bitSql, bitsSql, blockSql, peopleSetsMax } from './people-bits.ts'
import { PERIODS_WORK, type PeopleCount, shownGroupsSql, sizeOrder } from './people-count.ts'
import { foundPeopleSql, personTag } from './people-csv.ts'
import type { ColdReader, FileQuestion, Reading } from './read-events.ts'

/**
 * People of groups of people: each person is in one group. So events are not looked up by person: the bits of everybody in a span are compared
 * with those of everybody in a group.
 */
export function countByPersons(question: FileQuestion, cold: ColdRows, read: ColdReader): PeopleCount {
  const { people, parts, groupsMax, spansBefore } = question
  const keys = parts.map((_, place) => `k${place}`)
  const tags = parts.map((part, place) => `${personTag(parts, part)} as ${keys[place]}`)
  const found = foundPeopleSql(cold.people ?? { csv: null }, parts)
  const grouped = {
    keys,
    members: `select person_id as profile_id, ${tags.join(', ')} from (${found})`,
    // The CSV has everybody whom a filter finds, and without a filter everybody who has one of the attributes.
    hasOthers: people === null,
  }
  const eventsOf = (run: Reading): string => read({ ...run, shows: 'people' }).events
  return {
    periods: periodSteps(periodsSql(eventsOf({}), { ...grouped, groupsMax, spansBefore })),
    spansMax: (groups) => Math.max(0, peopleSetsMax(cold) - (groups + 1)),
    spansSql: (run, largest) => spansSql(eventsOf(run), { ...grouped, shown: shownGroupsSql(largest, keys) }),
  }
}

function* periodSteps(sql: string): FileSteps {
  return yield { sql, work: { from: 0, to: PERIODS_WORK } }
}

type Grouped = {
  readonly keys: readonly string[]
  /** A select of `profile_id` and the keys of everybody in the CSV. */
  readonly members: string
  /** Whether people who are not in the CSV count too: they have none of the attributes. */
  readonly hasOthers: boolean
}

/** The sizes of all groups in each period, from the people in the CSV, one by one. */
function periodsSql(
  events: string,
  {
    keys,
    members,
    hasOthers,
    groupsMax,
    spansBefore,
  }: Grouped & Pick<FileQuestion, 'groupsMax' | 'spansBefore'>,
): string {
  const list = keys.join(', ')
  const order = sizeOrder(keys)
  const others = `select is_before, ${noTags(keys)}, sum(bit_count(people)) - coalesce(any_value(known), 0) as size
    from whole left join (select is_before, sum(size) as known from counted group by is_before) as known using (is_before) group by is_before`
  const counted = hasOthers ? `select * from counted union all ${others}` : 'select * from counted'
  const inPeriods = `select span <= ${spansBefore} as is_before, profile_id from (${events})`
  return `with whole as materialized (${bitsSql(inPeriods, ['is_before'])}),
    members as (${members}),
    counted as materialized (select is_before, ${list}, count(*) as size from members join whole on whole.block = ${blockSql('profile_id')}
      where get_bit(people, ${bitSql('profile_id')}) = 1 group by all),
    sizes as materialized (select is_before, ${list}, sum(size) as size
      from (${counted}) where size > 0 group by all),
    present as (select ${list}, size, count(*) over () as groups from sizes where not is_before order by ${order} limit ${groupsMax}),
    largest as materialized (select ${list}, groups, row_number() over (order by ${order})::integer as place from present),
    cells as (select coalesce(place, 0) as place, case when place > 0 then any_value([${list}]) end as key, is_before, sum(size) as users
        from sizes left join largest using (${list}) group by place, is_before
      union all select null, null, is_before, sum(size) from sizes group by is_before)
    select place, key, null as span, is_before, users::varchar, null, coalesce((select max(groups) from largest), 0)::integer from cells`
}

/** The people of the largest groups and of the other ones in each span, from bits. */
function spansSql(
  events: string,
  { keys, members, hasOthers, shown }: Grouped & { readonly shown: string },
): string {
  const list = keys.join(', ')
  const others = `select span, coalesce(place, 0) as place, users from (
      select span, ${noTags(keys)}, sum(bit_count(people)) - coalesce(any_value(known), 0) as users
      from spans left join (select span, sum(users) as known from counted group by span) as known using (span) group by span)
    left join shown using (${list})`
  const counted = hasOthers ? `select * from counted union all ${others}` : 'select * from counted'
  const inGroups = `select coalesce(place, 0) as place, profile_id from (${members}) left join shown using (${list})`
  return `with spans as materialized (${bitsSql(events, ['span'])}),
    shown as materialized (${shown}),
    members as materialized (${bitsSql(inGroups, ['place'])}),
    counted as materialized (select span, place, sum(bit_count(spans.people & members.people)) as users
      from spans join members using (block) group by span, place),
    cells as materialized (${counted})
    select place, span, sum(users)::varchar from cells group by place, span having sum(users) > 0
    union all select null, span, sum(users)::varchar from cells group by span having sum(users) > 0`
}

/** The tags of somebody who has none of the attributes. */
function noTags(keys: readonly string[]): string {
  return keys.map((key) => `'z' as ${key}`).join(', ')
}
