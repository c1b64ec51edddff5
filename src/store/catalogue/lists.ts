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
  const columns = `state, ${CATALOGUE_LISTS[list].column} as value, updated_at as at`
  const { sql, isSample } = await choosePopulation(tx, { table: 'subscriptions', columns, brandId })
  const { rows } = await tx.query<ListedValue>(
    `select value, round(sum(weight))::float8 as count, max(at) as "lastSeenAt" from (${sql}) as found
     where state = 'live' and value is not null and starts_with(fold_text(value), fold_text($2))
     group by value order by sum(weight) desc, value limit $3`,
    [brandId, prefix, limit],
  )
  return { rows, isEstimated: isSample }
}
