import type { AttributeType } from '../../rules/attributes.ts'
import { CATALOGUE_LIMITS } from '../../rules/catalogue.ts'
import type { Db } from '../db.ts'
import { anyEvents, type EventNeed, needing } from '../event-needs.ts'
import { choosePopulation } from './population.ts'

const { attributeBytesMax, eventsMax, valueCharsMax } = CATALOGUE_LIMITS

/** The attributes of an event, or of people if the name is ''. */
export type AttributeOwner = { readonly brandId: number; readonly eventName: string }

export type AttributePage = AttributeOwner & {
  readonly prefix: string
  readonly after: string
  readonly limit: number
  /** How many of the most frequent values of each. */
  readonly topValues: number
}

export type CatalogueValue = { readonly value: unknown; readonly count: number }

export type CatalogueAttribute = {
  readonly attribute: string
  readonly type: AttributeType
  readonly isProvisional: boolean
  /** People who have it now; of an event, the values that came. */
  readonly uses: number
  readonly lastSeenAt: number
  readonly values: readonly CatalogueValue[]
}

/** `isEstimated` tells whether the numbers of values, and of people, come from a sample. */
export type CatalogueRows<Row> = { readonly rows: readonly Row[]; readonly isEstimated: boolean }

/** A page of attributes by name, each with its type, its use and its most frequent values. */
export async function listAttributes(
  tx: Db,
  page: AttributePage,
): Promise<CatalogueRows<CatalogueAttribute>> {
  const { brandId, eventName, prefix, after, limit, topValues } = page
  const { sql, isSample } = await chooseOwners(tx, page)
  const { rows } = await tx.query<CatalogueAttribute & { readonly isSample: boolean }>(
    `with ${sql}, listed as materialized (
       select attribute, type, is_provisional, last_seen_at, shown_count + mistyped_count as came from attribute_locks
       where brand_id = $1 and event_name = $2 and attribute > $4 and ${BEGINS('attribute')}
       order by attribute limit $5
     ), pairs as materialized (
       select pair.key as attribute, pair.value, owner.at, owner.weight
       from owner cross join lateral jsonb_each(owner.attributes) as pair
       where pg_column_size(owner.attributes) <= ${attributeBytesMax} and pair.key in (select attribute from listed)
     ), used as (
       select attribute, round(sum(weight))::float8 as people, max(at) as at from pairs group by attribute
     ), ranked as (
       select attribute, value, sum(weight) as weight,
         row_number() over (partition by attribute order by sum(weight) desc, value) as place
       from pairs where ${IS_CHOICE} group by attribute, value
     )
     select listed.attribute, type, is_provisional as "isProvisional",
       case when $2 = '' then coalesce(used.people, 0) else came end::float8 as uses,
       case when $2 = '' then greatest(listed.last_seen_at, used.at) else listed.last_seen_at end as "lastSeenAt",
       (select coalesce(jsonb_agg(jsonb_build_object('value', value, 'count', round(weight)) order by place), '[]')
         from ranked where ranked.attribute = listed.attribute and place <= $6) as values, ${isSample} as "isSample"
     from listed left join used on used.attribute = listed.attribute order by listed.attribute`,
    needing([brandId, eventName, prefix, after, limit, topValues], newestNeed(page)),
  )
  return { rows, isEstimated: rows[0]?.isSample === true }
}

export type ValueQuery = AttributeOwner & {
  readonly attribute: string
  readonly prefix: string
  readonly limit: number
}

/** The most frequent values of one attribute that begin so, in any case. */
export async function listValues(tx: Db, query: ValueQuery): Promise<CatalogueRows<CatalogueValue>> {
  const { brandId, eventName, prefix, attribute, limit } = query
  const { sql, isSample } = await chooseOwners(tx, query)
  const { rows } = await tx.query<{ isSample: boolean; values: readonly CatalogueValue[] }>(
    `with ${sql}, counted as materialized (
       select value, sum(weight) as weight from (
         select owner.attributes -> $4::text as value, owner.weight from owner
         where pg_column_size(owner.attributes) <= ${attributeBytesMax} and $2::text is not null
       ) as pairs group by value
     ), listed as (
       select value, weight from counted where ${IS_CHOICE} and ${BEGINS(`value #>> '{}'`)}
       order by weight desc, value limit $5
     )
     select ${isSample} as "isSample", (select coalesce(jsonb_agg(
       jsonb_build_object('value', value, 'count', round(weight)) order by weight desc, value), '[]') from listed) as values`,
    needing([brandId, eventName, prefix, attribute, limit], newestNeed(query)),
  )
  const [found] = rows
  return { rows: found?.values ?? [], isEstimated: found?.isSample === true }
}

function newestNeed({ brandId, eventName }: AttributeOwner): EventNeed {
  // Attributes of profiles need no event: a name that no event has.
  const pick = { kind: 'newest', limit: eventsMax + 1, before: null } as const
  return { ...anyEvents(brandId), names: eventName === '' ? [] : [eventName], pick }
}

/** Parts of a `with` that call the rows whose attributes are looked at `owner`, and SQL that tells whether there are more. */
type OwnersSql = { readonly sql: string; readonly isSample: string }

async function chooseOwners(tx: Db, { brandId, eventName }: AttributeOwner): Promise<OwnersSql> {
  if (eventName === '') {
    const columns = 'attributes, updated_at as at'
    const { sql, isSample } = await choosePopulation(tx, { table: 'profiles', columns, brandId })
    return { sql: `owner as (${sql})`, isSample: String(isSample) }
  }
  const sql = `newest as materialized (
      select attributes, event_at as at, 1 as weight from events
      where brand_id = $1 and event_name = $2 order by event_at desc limit ${eventsMax + 1}
    ), owner as (select * from newest limit ${eventsMax})`
  return { sql, isSample: `(select count(*) > ${eventsMax} from newest)` }
}

/** Whether a text begins with the prefix $3, without case. */
const BEGINS = (text: string): string => `starts_with(fold_text(${text}), fold_text($3))`

const IS_CHOICE = `jsonb_typeof(value) in ('string', 'number', 'boolean') and length(value #>> '{}') <= ${valueCharsMax}`
