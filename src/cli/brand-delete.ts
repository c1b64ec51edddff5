import { createInterface } from 'node:readline/promises'
import { StartError } from '../runtime/errors.ts'
import type { Brand } from '../store/brand/brands.ts'
import { deleteBrand } from '../store/brand/deletion.ts'
import { defineCommand } from './command.ts'
import { say } from './terminal.ts'
import { withBrand } from './with-brand.ts'

export const brandDeleteCommand = defineCommand({
  name: 'brand delete',
  summary: 'Deletes a brand with everything it has, for good.',
  about: [
    'Its keys are refused and its sending stops at once, and its id can be used for a new brand. Its people, devices, events and notifications are removed in the background, in small steps, by the workers; until nothing is left, beckon brand list shows it as deleted. Only a backup brings it back.',
    'A brand that BECKON_BRAND_ID names is made anew, and empty, by the next start: take the setting away first.',
  ],
  operands: [{ name: 'ID', meaning: 'The id of the brand (beckon brand list).' }],
  flags: {
    confirm: { type: 'string', value: 'ID', meaning: 'The id once more, instead of typing it when asked.' },
  },
  examples: ['beckon brand delete demo', 'beckon brand delete demo --confirm demo'],
  run: async ({ confirm }, [externalId = '']) =>
    withBrand(externalId, async (database, brand) => {
      const typed = confirm ?? (await ask(brand))
      if (typed !== externalId) throw new StartError(`"${typed}" is not ${externalId}: nothing was deleted.`)
      if (!(await deleteBrand(database, externalId))) {
        throw new StartError(`Brand ${externalId} was deleted by somebody else meanwhile.`)
      }
      say(`Brand ${externalId} is deleted. The workers clear away what it leaves behind.`)
    }),
})

async function ask({ externalId, name, createdAt }: Brand): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new StartError(`Deleting is for good: repeat the id, with --confirm ${externalId}.`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    say(`Brand ${externalId} (${name}), made at ${new Date(createdAt).toISOString()}, goes for good.`)
    // Ctrl-C and Ctrl-D are answers too: no.
    return (await terminal.question(`Type ${externalId} to delete it: `).catch(() => '')).trim()
  } finally {
    terminal.close()
  }
}
