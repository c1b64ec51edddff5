import { Binds, LiteralBinds, writtenInstant } from '../bind.ts'
import { type EventNeed, needsOf } from '../event-needs.ts'
import type { EventChoice } from '../events/measuring.ts'
import { areAboutPeople, type EventPart } from '../events/parts.ts'
import { userSql } from '../people/user-conditions.ts'
import { ownRowSql } from '../segments/own-row.ts'
import { type FoundPeople, rowsSql } from './cold-rows.ts'
import { partTag } from './file-values.ts'
import type { FrozenView } from './frozen-view.ts'
import { jsonTag } from './hot-csv.ts'
import { plainTagSql } from './tags.ts'

type PeopleChoice = Pick<EventChoice, 'brandId' | 'people' | 'now'> & { readonly parts: readonly EventPart[] }

/**
 * Copies, as CSV, the people whom a question with a filter of people is about, or who have one of the attributes that it divides by; null
 * if it does neither. Run it as the engine, as every filter of people. Each attribute is looked for once: `offset 0` keeps PostgreSQL from
 * putting the search into each place where the value is used.
 */
export function copyPeopleSql(choice: PeopleChoice): string | null {
  const { people, parts } = choice
  if (people === null && !areAboutPeople(parts)) return null
  const binds = new LiteralBinds()
  const { row, condition } = foundSql(choice, binds)
  const own = personParts(parts)
  const values = own.map(({ name }, place) => `${row}.attributes -> ${binds.add(name)}::text as v${place}`)
  const tags = own.map((_, place) => jsonTag(`v${place}`))
  const hasAny = own.map((_, place) => `v${place} is not null`).join(' or ')
  const found = `select ${[`${row}.id`, ...values].join(', ')} from profiles as ${row} where ${condition} offset 0`
  return `copy (select ${['id', ...tags].join(', ')} from (${found}) as found
    ${people === null ? `where ${hasAny}` : ''}) to stdout (format csv)`
}

/** The condition under which a filter finds a profile, and the alias of the profile in it. Without a filter the condition finds everybody. */
function foundSql({ brandId, people, now }: PeopleChoice, binds: LiteralBinds) {
  const brand = binds.add(brandId)
  const mine = `x.brand_id = ${brand}`
  if (people === null) return { row: 'x', condition: mine }
  const own = ownRowSql(people, { brandId, brand, binds, now: writtenInstant(now), reach: 'few' })
  if (own !== null) return { row: 'x', condition: `${mine} and ${own}` }
  return { row: 'p', condition: userSql({ brandId, search: null, filter: people, now }, binds) }
}

/** From so many ids on, several processes of PostgreSQL that look for people together are worth their start. */
const SHARED_SEARCH_MIN = 100_000n

/**
 * The settings under which several processes of PostgreSQL look for people; null if one process is enough. The statistics of PostgreSQL do
 * not tell how many people a brand has, so without these settings it expects few, and one process looks for a million.
 */
export function copyPeopleSettings({ first, last }: FrozenView['people']): string | null {
  if (last - first < SHARED_SEARCH_MIN) return null
  return `set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0; set local min_parallel_table_scan_size = 0`
}

/** The events that a filter of people reads. */
export function peopleNeeds({
  brandId,
  people,
  now,
}: Pick<EventChoice, 'brandId' | 'people' | 'now'>): readonly EventNeed[] {
  if (people === null) return []
  const binds = new Binds()
  userSql({ brandId, search: null, filter: people, now }, binds)
  return needsOf(binds.values)
}

/** The join of the files with these people. With a filter, only events of these people count. */
export function joinPeopleSql(
  { csv }: FoundPeople,
  { people, parts }: Pick<PeopleChoice, 'people' | 'parts'>,
): string {
  const tags = personParts(parts).map((_, place) => `t${place}`)
  const columns = { person_id: 'BIGINT', ...Object.fromEntries(tags.map((tag) => [tag, 'VARCHAR'])) }
  const shown = ['person_id', ...tags.map((tag) => `${plainTagSql(tag)} as ${tag}`)].join(', ')
  const found =
    csv === null ? `(select ${nobody(columns)} where false)` : `(select ${shown} ${rowsSql(csv, columns)})`
  return `${people === null ? 'left' : ''} join ${found} as people on person_id = profile_id`
}

function nobody(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `null::${type} as ${name}`)
    .join(', ')
}

/** The value of a part that is about people, by its place among those. Somebody without the attribute is not in the CSV. */
export function personTag(parts: readonly EventPart[], part: EventPart): string {
  return `coalesce(t${personParts(parts).findIndex((own) => own === part)}, 'z')`
}

/** The tag of a part of an event of a file, and nothing of a part that is about people: `withPeopleSql` adds it. Null if only rows have it. */
export function eventTag(part: EventPart, columns: ReadonlySet<string>): string | null {
  return part.kind === 'person' ? 'null::VARCHAR' : partTag(part, columns)
}

type PeopleParts = {
  readonly parts: readonly EventPart[]
  /** The columns of the parts. */
  readonly keys: readonly string[]
  readonly people: FoundPeople | null
}

/** The first events of people, with the parts that are about people. There are far fewer of them than of events. */
export function withPeopleSql(starts: string, { parts, keys, people }: PeopleParts): string {
  if (people === null) return starts
  const own = parts.flatMap((part, place) =>
    part.kind === 'person' ? [`${personTag(parts, part)} as ${keys[place]}`] : [],
  )
  return `select starting.* replace (${own.join(', ')}) from (${starts}) as starting
    ${joinPeopleSql(people, { people: null, parts })}`
}

function personParts(parts: readonly EventPart[]) {
  return parts.filter((part) => part.kind === 'person')
}
