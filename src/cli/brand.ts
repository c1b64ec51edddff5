import { loadConfig } from '../config.ts'
import { BRAND_DELETION, BRAND_ID_PATTERN } from '../rules/brand.ts'
import { StartError } from '../runtime/errors.ts'
import { type Brand, ensureBrand, listBrands } from '../store/brand/brands.ts'
import { restoreBrand } from '../store/brand/deletion.ts'
import { loadMoment } from '../store/push/planning.ts'
import { defineCommand } from './command.ts'
import { UsageError } from './exit.ts'
import { withDatabase } from './open-database.ts'
import { JSON_FLAG, type Listing, pagesById, sayList } from './pages.ts'
import { instantText, say } from './terminal.ts'
import { deletingWords } from './with-brand.ts'

const BRAND_ID = new RegExp(BRAND_ID_PATTERN)

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
    const draft = { externalId, name: flags.name ?? externalId }
    const brand = await withDatabase(loadConfig(), async (database) =>
      ensureBrand(database, { ...draft, now: await loadMoment(database) }),
    )
    if (brand.restorableUntil !== null) throw new StartError(deletingWords(brand))
    say(
      brand.isNew
        ? `Brand ${externalId} is made. Its first key: bin/beckon key create ${externalId}`
        : `Brand ${externalId} is there already.`,
    )
  },
})

export const brandListCommand = defineCommand({
  name: 'brand list',
  summary:
    'Lists the brands and their states: live; deleting, and can be restored; deleted, and being removed.',
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
  heading: ['ID', 'NAME', 'STATE', 'TIME ZONE', 'MADE AT', 'DELETED AT', 'REMOVED AT'],
  cells: (brand) => [
    brand.externalId,
    brand.name,
    stateOf(brand),
    brand.timeZone,
    instantText(brand.createdAt),
    instantOrNull(brand.deletedAt) ?? '',
    instantOrNull(brand.restorableUntil) ?? '',
  ],
  view: (brand) => ({
    brand_id: brand.externalId,
    name: brand.name,
    state: stateOf(brand),
    time_zone: brand.timeZone,
    created_at: instantText(brand.createdAt),
    deleted_at: instantOrNull(brand.deletedAt),
    restorable_until: instantOrNull(brand.restorableUntil),
  }),
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : instantText(at)
}

function stateOf({ deletedAt, restorableUntil }: Brand): string {
  if (deletedAt === null) return 'live'
  return restorableUntil === null ? 'deleted' : 'deleting'
}

export const brandRestoreCommand = defineCommand({
  name: 'brand restore',
  summary: 'Restores a brand that is being deleted, with all its data.',
  about: [
    `A brand that an administrator deletes over HTTP can be restored for ${BRAND_DELETION.graceDays} days. It goes on where it stopped: messages that waited are sent, unless their time to live is over.`,
  ],
  operands: [{ name: 'ID', meaning: 'The id of the brand (bin/beckon brand list).' }],
  flags: {},
  examples: ['bin/beckon brand restore acme'],
  run: async (_, [externalId = '']) => {
    const isRestored = await withDatabase(loadConfig(), async (database) =>
      restoreBrand(database, { externalId, now: await loadMoment(database) }),
    )
    if (!isRestored)
      throw new StartError(`No brand ${externalId} can be restored: see bin/beckon brand list.`)
    say(`Brand ${externalId} is live again.`)
  },
})
