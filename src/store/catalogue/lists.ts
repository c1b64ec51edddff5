import { CATALOGUE_LISTS, type CatalogueList } from '../../rules/catalogue.ts'
import type { Db } from '../db.ts'
import type { CatalogueRows } from './attributes.ts'
import { choosePopulation } from './population.ts'

export type ListQuery = {
  readonly brandId: number
  readonly list: CatalogueList
  readonly prefix: string
  readonly limit: number
}

export type ListedValue = { readonly value: string; readonly count: number; readonly lastSeenAt: number }

/** The most frequent values of a list that begin so, in any case. */
export async function listOfDevices(tx: Db, query: ListQuery): Promise<CatalogueRows<ListedValue>> {
  const { brandId, list, prefix, limit } = query
  const { column } = CATALOGUE_LISTS[list]
  const columns = `state, ${column ?? 'tags'} as value, updated_at as at`
  const devices = await choosePopulation(tx, { table: 'subscriptions', columns, brandId })
  const sources = [
    `select ${column === null ? 'unnest(value)' : 'value'} as value, at, weight
    from (${devices.sql}) as device where state = 'live'`,
  ]
  let isEstimated = devices.isSample
  if (column === null) {
    const people = await choosePopulation(tx, {
      table: 'profiles',
      columns: 'tags as value, updated_at as at',
      brandId,
    })
    sources.push(`select unnest(value) as value, at, weight from (${people.sql}) as person`)
    isEstimated ||= people.isSample
  }
  const { rows } = await tx.query<ListedValue>(
    `select value, round(sum(weight))::float8 as count, max(at) as "lastSeenAt" from (${sources.join(' union all ')}) as found
     where value is not null and starts_with(fold_text(value), fold_text($2))
     group by value order by sum(weight) desc, value limit $3`,
    [brandId, prefix, limit],
  )
  return { rows, isEstimated }
}
