import { loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { type Brand, loadKeptBrand } from '../store/brand/brands.ts'
import type { Database } from '../store/db.ts'
import { withDatabase } from './open-database.ts'

/** Runs a command on one brand; throws a StartError with a sentence when there is no such brand that is live. */
export async function withBrand<Value>(
  externalId: string,
  work: (database: Database, brand: Brand) => Promise<Value>,
): Promise<Value> {
  return withDatabase(loadConfig(), async (database) => work(database, await liveBrand(database, externalId)))
}

/** The same for a brand that may be stopped. */
export async function withKeptBrand<Value>(
  externalId: string,
  work: (database: Database, brand: Brand) => Promise<Value>,
): Promise<Value> {
  return withDatabase(loadConfig(), async (database) => work(database, await keptBrand(database, externalId)))
}

/** The brand with this id; throws a sentence when there is none, or when it is being deleted. */
export async function liveBrand(database: Database, externalId: string): Promise<Brand> {
  const brand = await keptBrand(database, externalId)
  if (brand.restorableUntil !== null) throw new StartError(deletingWords(brand))
  return brand
}

async function keptBrand(database: Database, externalId: string): Promise<Brand> {
  const brand = await loadKeptBrand(database, externalId)
  if (brand === null) throw new StartError(`There is no brand ${externalId}: see bin/beckon brand list.`)
  return brand
}

export function deletingWords({ externalId }: Pick<Brand, 'externalId'>): string {
  return `Brand ${externalId} is being deleted: bin/beckon brand restore ${externalId} brings it back.`
}
