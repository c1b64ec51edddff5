import type { AttributeType } from '../../rules/attributes.ts'
import { CATALOGUE_LIMITS } from '../../rules/catalogue.ts'
import type { Db } from '../db.ts'
import { choosePopulation, type PopulationSql } from './population.ts'

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
  const { rows } = await tx.query<CatalogueAttribute>(
    `with listed as materialized (
       select attribute, type, is_provisional, last_seen_at, shown_count + mistyped_count as came from attribute_locks
       where brand_id = $1 and event_name = $2 and attribute > $4 and ${BEGINS('attribute')}
       order by attribute limit $5
     ), pairs as materialized (
       select pair.key as attribute, pair.value, owner.at, owner.weight
       from (${sql}) as owner cross join lateral jsonb_each(owner.attributes) as pair
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
         from ranked where ranked.attribute = listed.attribute and place <= $6) as values
     from listed left join used on used.attribute = listed.attribute order by listed.attribute`,
    [brandId, eventName, prefix, after, limit, topValues],
  )
  return { rows, isEstimated: isSample }
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
  const { rows } = await tx.query<CatalogueValue>(
    `select value, round(sum(weight))::float8 as count from (
       select owner.attributes -> $4::text as value, owner.weight from (${sql}) as owner
       where pg_column_size(owner.attributes) <= ${attributeBytesMax} and $2::text is not null
     ) as pairs
     where ${IS_CHOICE} and ${BEGINS(`value #>> '{}'`)}
     group by value order by sum(weight) desc, value limit $5`,
    [brandId, eventName, prefix, attribute, limit],
  )
  return { rows, isEstimated: isSample }
}

/** The rows whose attributes are looked at. */
async function chooseOwners(tx: Db, { brandId, eventName }: AttributeOwner): Promise<PopulationSql> {
  if (eventName === '') {
    return choosePopulation(tx, { table: 'profiles', columns: 'attributes, updated_at as at', brandId })
  }
  const { rows } = await tx.query<{ isMany: boolean }>(
    `select count(*) > $3 as "isMany" from (
       select from events where brand_id = $1 and event_name = $2 limit $3 + 1) as first_ones`,
    [brandId, eventName, eventsMax],
  )
  const sql = `select attributes, event_at as at, 1 as weight from events
    where brand_id = $1 and event_name = $2 order by event_at desc limit ${eventsMax}`
  return { sql, isSample: rows[0]?.isMany === true }
}

/** Whether a text begins with the prefix $3, without case. */
const BEGINS = (text: string): string => `starts_with(fold_text(${text}), fold_text($3))`

const IS_CHOICE = `jsonb_typeof(value) in ('string', 'number', 'boolean') and length(value #>> '{}') <= ${valueCharsMax}`
