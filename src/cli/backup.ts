import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { closeEventFiles } from '../intake/event-files/open-files.ts'
import { showDroppedOf } from '../intake/event-files/show-dropped.ts'
import { loadSecretFile } from '../runtime/secrets/secret-file.ts'
import { saveBackup } from '../store/backup/backup.ts'
import { defineCommand } from './command.ts'
import { size, watchCopy } from './copy-progress.ts'
import { openDropped } from './dropped-events.ts'
import { checkDropped } from './open-database.ts'
import { refuseForeign, withOwnDatabase } from './own-database.ts'
import { say } from './terminal.ts'

export const backupCommand = defineCommand({
  name: 'backup',
  summary: 'Writes the whole database, as of one instant, to one file.',
  about: [
    'Beckon can keep running. The file gets its name when it is complete, so an older backup of the same name is replaced only by a complete one.',
    'The backup contains the secret of the data folder, which decrypts every stored credential: protect the file like a password. A secret from BECKON_SECRET is not in the backup.',
  ],
  operands: [{ name: 'FILE', meaning: 'The file to write.' }],
  flags: {},
  examples: ['bin/beckon backup /backups/beckon-monday.backup'],
  run: async (_, [given = '']) => {
    const config = loadConfig()
    refuseForeign(config)
    const file = resolve(given)
    const secret = config.secret === null ? await loadSecretFile(config.dataDir) : null
    const files = secret === null ? [] : [{ name: 'secret', text: secret }]
    const { onProgress, total } = watchCopy()
    const dropped = openDropped(config)
    await withOwnDatabase(config.dataDir, async (url) => {
      await checkDropped(config, url)
      await saveBackup(url, {
        file,
        files,
        now: Date.now(),
        onProgress,
        ...(dropped !== null && { showDropped: showDroppedOf(dropped) }),
      })
    })
    await closeEventFiles(dropped)
    say(`Backed up ${total()}, to ${file} (${size((await stat(file)).size)}).`)
  },
})
