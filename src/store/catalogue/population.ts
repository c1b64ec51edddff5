import { CATALOGUE_LIMITS } from '../../rules/catalogue.ts'
import type { Db } from '../db.ts'
import { type SampleShape, sampleSql } from '../sample.ts'

const { wholeMax, groups, groupSize } = CATALOGUE_LIMITS

type Population = Pick<SampleShape, 'table' | 'columns'> & { readonly brandId: number }

/** A select of a brand's rows with their `weight`: all of them, or a sample if there are many. $1 must be the brand. */
export type PopulationSql = { readonly sql: string; readonly isSample: boolean }

export async function choosePopulation(
  tx: Db,
  { table, columns, brandId }: Population,
): Promise<PopulationSql> {
  const { rows } = await tx.query<{ isMany: boolean }>(
    `select count(*) > $2 as "isMany" from (select from ${table} where brand_id = $1 limit $2 + 1) as first_ones`,
    [brandId, wholeMax],
  )
  if (rows[0]?.isMany !== true) {
    return { sql: `select ${columns}, 1 as weight from ${table} where brand_id = $1`, isSample: false }
  }
  return { sql: sampleSql({ table, columns, brand: '$1', groups, groupSize }), isSample: true }
}
