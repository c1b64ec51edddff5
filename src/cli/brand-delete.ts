import { createInterface } from 'node:readline/promises'
import { StartError } from '../runtime/errors.ts'
import type { Brand } from '../store/brand/brands.ts'
import { deleteBrand } from '../store/brand/deletion.ts'
import { defineCommand } from './command.ts'
import { say } from './terminal.ts'
import { withKeptBrand } from './with-brand.ts'

export const brandDeleteCommand = defineCommand({
  name: 'brand delete',
  summary: 'Deletes a brand with all its data, for good.',
  about: [
    'The keys of the brand are refused and its sending stops at once, and its id can be used for a new brand. The workers remove its people, devices, events and notifications in the background, in small steps; until that is done, bin/beckon brand list shows the brand as deleted. Only a backup brings it back.',
    'A brand that an administrator is deleting over HTTP is gone with this command before its grace period ends.',
    'The next start creates the brand of BECKON_BRAND_ID again, empty: remove the setting first.',
  ],
  operands: [{ name: 'ID', meaning: 'The id of the brand (bin/beckon brand list).' }],
  flags: {
    confirm: { type: 'string', value: 'ID', meaning: 'The id again, instead of typing it when asked.' },
  },
  examples: ['bin/beckon brand delete demo', 'bin/beckon brand delete demo --confirm demo'],
  run: async ({ confirm }, [externalId = '']) =>
    withKeptBrand(externalId, async (database, brand) => {
      const typed = confirm ?? (await ask(brand))
      if (typed !== externalId) throw new StartError(`"${typed}" is not ${externalId}: nothing was deleted.`)
      if (!(await deleteBrand(database, externalId))) {
        throw new StartError(`Brand ${externalId} was deleted by another command meanwhile.`)
      }
      say(`Brand ${externalId} is deleted. The workers remove its data.`)
    }),
})

async function ask({ externalId, name, createdAt }: Brand): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new StartError(`Deleting is for good: repeat the id, with --confirm ${externalId}.`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    say(`Brand ${externalId} (${name}), made at ${new Date(createdAt).toISOString()}, goes for good.`)
    // Ctrl-C and Ctrl-D mean no.
    return (await terminal.question(`Type ${externalId} to delete it: `).catch(() => '')).trim()
  } finally {
    terminal.close()
  }
}
