import { Binds, LiteralBinds, writtenInstant } from '../bind.ts'
import type { Db } from '../db.ts'
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

/** Where people are looked for: in the index of the brand, or in the whole table, which is quicker if most of it is the brand's. */
type PeopleSearch = 'index' | 'table'

export type CopyPeople = (search: PeopleSearch) => string

/**
 * Copies, as CSV, the people whom a question with a filter of people is about, or who have one of the attributes that it divides by; null
 * if it does neither. Run it as the engine, as every filter of people.
 */
export function copyPeopleSql(choice: PeopleChoice): CopyPeople | null {
  if (choice.people === null && !areAboutPeople(choice.parts)) return null
  return (search) => copySql(choice, search)
}

/** Each attribute is looked for once: `offset 0` keeps PostgreSQL from putting the search into each place where the value is used. */
function copySql(choice: PeopleChoice, search: PeopleSearch): string {
  const { people, parts } = choice
  const binds = new LiteralBinds()
  const { row, condition } = foundSql(choice, { binds, search })
  const own = personParts(parts)
  const values = own.map(({ name }, place) => `${row}.attributes -> ${binds.add(name)}::text as v${place}`)
  const tags = own.map((_, place) => jsonTag(`v${place}`))
  const hasAny = own.map((_, place) => `v${place} is not null`).join(' or ')
  const found = `select ${[`${row}.id`, ...values].join(', ')} from profiles as ${row} where ${condition} offset 0`
  return `copy (select ${['id', ...tags].join(', ')} from (${found}) as found
    ${people === null ? `where ${hasAny}` : ''}) to stdout (format csv)`
}

/** The condition under which a filter finds a profile, and the alias of the profile in it. Without a filter the condition finds everybody. */
function foundSql(
  { brandId, people, now }: PeopleChoice,
  { binds, search }: { readonly binds: LiteralBinds; readonly search: PeopleSearch },
) {
  const brand = binds.add(brandId)
  // No index has a sum, so PostgreSQL reads the table.
  const mine = `x.brand_id${search === 'table' ? ' + 0' : ''} = ${brand}`
  if (people === null) return { row: 'x', condition: mine }
  const own = ownRowSql(people, { brandId, brand, binds, now: writtenInstant(now), reach: 'few' })
  if (own !== null) return { row: 'x', condition: `${mine} and ${own}` }
  return { row: 'p', condition: userSql({ brandId, search: null, filter: people, now }, binds) }
}

/** From so many ids on, several processes of PostgreSQL that look for people together are worth their start. */
const SHARED_SEARCH_MIN = 100_000n
/** From this share of all people on, reading the table costs less than looking up its rows. */
const TABLE_SHARE_MIN = 0.5
const SAMPLE_PAGES = 50

/**
 * How people are looked for. The statistics of PostgreSQL do not tell how many people a brand has (decision 0035), so it expects few, and one
 * process would look for a million, one after the other. With these settings several do, and a sample of the table tells the brand's share of it.
 */
export async function planPeopleSearch(
  tx: Db,
  { brandId, people: { first, last } }: Pick<FrozenView, 'people'> & { readonly brandId: number },
): Promise<PeopleSearch> {
  if (last - first < SHARED_SEARCH_MIN) return 'index'
  await tx.query(
    'set local parallel_setup_cost = 0; set local parallel_tuple_cost = 0; set local min_parallel_table_scan_size = 0',
  )
  const { rows } = await tx.query<{ share: number | null }>(
    `select avg((brand_id = $1)::integer)::double precision as share from profiles tablesample system (
       least(100, 100.0 * $2 * current_setting('block_size')::integer / greatest(pg_relation_size('profiles'), 1)))`,
    [brandId, SAMPLE_PAGES],
  )
  return (rows[0]?.share ?? 0) >= TABLE_SHARE_MIN ? 'table' : 'index'
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
  found: FoundPeople,
  { people, parts }: Pick<PeopleChoice, 'people' | 'parts'>,
): string {
  return `${people === null ? 'left' : ''} join (${foundPeopleSql(found, parts)}) as people on person_id = profile_id`
}

/** A select of these people: `person_id`, and the value of each part that is about people, for `personTag`. */
export function foundPeopleSql({ csv }: FoundPeople, parts: readonly EventPart[]): string {
  const tags = personParts(parts).map((_, place) => `t${place}`)
  const columns = { person_id: 'BIGINT', ...Object.fromEntries(tags.map((tag) => [tag, 'VARCHAR'])) }
  if (csv === null) return `select ${nobody(columns)} where false`
  const shown = ['person_id', ...tags.map((tag) => `${plainTagSql(tag)} as ${tag}`)].join(', ')
  return `select ${shown} ${rowsSql(csv, columns)}`
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
