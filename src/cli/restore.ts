import { resolve } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { moveDatabaseAside } from '../runtime/postgres/move-database-aside.ts'
import { loadSecretFile, makeSecretFile } from '../runtime/secrets/secret-file.ts'
import type { Head } from '../store/backup/notes.ts'
import { checkBackup, isBlank, loadBackup } from '../store/backup/restore.ts'
import { defineCommand } from './command.ts'
import { watchCopy } from './copy-progress.ts'
import { hasDatabase, refuseForeign, withDatabaseAlone } from './own-database.ts'
import { say } from './terminal.ts'

export const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Fills an empty data folder from a backup.',
  about: [
    'The file is read to its end first; one that is damaged, or from a newer Beckon, is refused before anything is touched. Cut off half-way, a restore can simply be run again.',
    'A restored Beckon sends at its start whatever came due since the backup, also what the first one sent after it. With --hold it starts with sending held, and bin/beckon resume lets go.',
    'A data folder that has brands in it is refused. With --force its database is moved into a folder beside, whose name is printed; moving it back undoes the restore.',
  ],
  operands: [{ name: 'FILE', meaning: 'A file that bin/beckon backup wrote.' }],
  flags: {
    force: { type: 'boolean', meaning: 'Moves the database that is there aside.' },
    hold: { type: 'boolean', meaning: 'Sends nothing until bin/beckon resume.' },
  },
  examples: ['BECKON_DATA_DIR=/srv/beckon bin/beckon restore beckon-monday.backup --hold'],
  run: async ({ force = false, hold = false }, [given = '']) => {
    const config = loadConfig()
    refuseForeign(config, 'pg_restore')
    const file = resolve(given)
    const head = await checkBackup(file)
    const secret = secretIn(head)
    if (await isOccupied(config, secret)) await makeRoom(config.dataDir, { isForced: force })

    const { onProgress, total } = watchCopy()
    if (secret !== null && config.secret === null) await makeSecretFile(config.dataDir, secret)
    await withDatabaseAlone(config.dataDir, async (url) =>
      loadBackup(url, { file, head, onProgress, isHeld: hold }),
    )
    say(`Restored ${total()}, as of ${new Date(head.madeAt).toISOString()}, into ${config.dataDir}.`)
    say(hold ? HELD : UNHELD)
  },
})

const HELD =
  'Sending is held: bin/beckon resume lets it go on, bin/beckon resume --skip-due without what came due since.'
const UNHELD =
  'Its start sends what came due since then; bin/beckon hold, before that, keeps it from doing so.'

function secretIn(head: Head): string | null {
  return head.files.find(({ name }) => name === 'secret')?.text ?? null
}

/** Whether something would be lost: somebody's rows, or a secret that may have sealed something. */
async function isOccupied({ dataDir }: Config, secret: string | null): Promise<boolean> {
  const present = await loadSecretFile(dataDir)
  if (present !== null && secret !== null && present !== secret) return true
  return (await hasDatabase(dataDir)) && !(await withDatabaseAlone(dataDir, isBlank))
}

async function makeRoom(dataDir: string, { isForced }: { readonly isForced: boolean }): Promise<void> {
  if (!isForced) {
    throw new StartError(
      `The data folder ${dataDir} is not empty: choose another BECKON_DATA_DIR, or move what is there aside with --force.`,
    )
  }
  const name = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  say(`What was in ${dataDir} is now in ${await moveDatabaseAside(dataDir, name)}.`)
}
