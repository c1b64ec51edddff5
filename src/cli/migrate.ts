import { loadConfig } from '../config.ts'
import { migrate } from '../store/migrate.ts'
import { defineCommand } from './command.ts'
import { withDatabaseUrl } from './open-database.ts'
import { say } from './terminal.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Upgrades the database to the schema of this Beckon.',
  about: [
    'bin/beckon start migrates by itself. Run bin/beckon migrate before bin/beckon api and bin/beckon worker on your own PostgreSQL.',
  ],
  flags: {},
  examples: ['DATABASE_URL=postgres://beckon:...@db/beckon bin/beckon migrate'],
  run: async () => {
    const version = await withDatabaseUrl(loadConfig(), async (url) =>
      migrate(url, { onStep: ({ name }) => say(`Applying ${name}`) }),
    )
    say(`The database has schema ${version}.`)
  },
})
