import { loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { type Brand, loadBrand } from '../store/brand/brands.ts'
import type { Database } from '../store/db.ts'
import { withDatabase } from './open-database.ts'

/** Runs a command on one brand; throws a StartError with a sentence when the brand does not exist. */
export async function withBrand<Value>(
  externalId: string,
  work: (database: Database, brand: Brand) => Promise<Value>,
): Promise<Value> {
  return withDatabase(loadConfig(), async (database) => {
    const brand = await loadBrand(database, externalId)
    if (brand === null) throw new StartError(`There is no brand ${externalId}: see bin/beckon brand list.`)
    return work(database, brand)
  })
}
