import { loadConfig } from '../config.ts'
import { type Brand, ensureBrand, listBrands } from '../store/brand/brands.ts'
import { defineCommand } from './command.ts'
import { UsageError } from './exit.ts'
import { withDatabase } from './open-database.ts'
import { JSON_FLAG, type Listing, pagesById, sayList } from './pages.ts'
import { instantText, say } from './terminal.ts'

const BRAND_ID = /^[\w.-]{1,100}$/

export const brandCreateCommand = defineCommand({
  name: 'brand create',
  summary: 'Makes a brand: a tenant with its own keys, people and notifications.',
  operands: [
    {
      name: 'ID',
      meaning: 'The id that callers send as x-brand-id: letters, digits, dot, dash, underscore.',
    },
  ],
  flags: { name: { type: 'string', value: 'NAME', meaning: 'The name of the brand; the id, if absent.' } },
  examples: ['bin/beckon brand create acme --name "Acme Corp"', 'bin/beckon key create acme'],
  run: async (flags, [externalId = '']) => {
    if (!BRAND_ID.test(externalId))
      throw new UsageError(`"${externalId}" cannot be a brand id`, 'brand create')
    const draft = { externalId, name: flags.name ?? externalId, now: Date.now() }
    const { isNew } = await withDatabase(loadConfig(), async (database) => ensureBrand(database, draft))
    say(
      isNew
        ? `Brand ${externalId} is made. Its first key: bin/beckon key create ${externalId}`
        : `Brand ${externalId} is there already.`,
    )
  },
})

export const brandListCommand = defineCommand({
  name: 'brand list',
  summary: 'Lists the brands, also deleted ones whose data is not yet removed.',
  flags: { json: JSON_FLAG },
  run: async (flags) =>
    withDatabase(loadConfig(), async (database) =>
      sayList(
        BRANDS,
        pagesById(async (page) => listBrands(database, page)),
        flags,
      ),
    ),
})

const BRANDS: Listing<Brand> = {
  field: 'brands',
  heading: ['ID', 'NAME', 'TIME ZONE', 'MADE AT', 'DELETED AT'],
  cells: ({ externalId, name, timeZone, createdAt, deletedAt }) => [
    externalId,
    name,
    timeZone,
    instantText(createdAt),
    deletedAt === null ? '' : instantText(deletedAt),
  ],
  view: ({ externalId, name, timeZone, createdAt, deletedAt }) => ({
    brand_id: externalId,
    name,
    time_zone: timeZone,
    created_at: instantText(createdAt),
    deleted_at: deletedAt === null ? null : instantText(deletedAt),
  }),
}
