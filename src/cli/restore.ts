import { resolve } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { StartError } from '../runtime/errors.ts'
import { moveDatabaseAside } from '../runtime/postgres/move-database-aside.ts'
import { loadSecretFile, makeSecretFile } from '../runtime/secrets/secret-file.ts'
import type { Head } from '../store/backup/notes.ts'
import { checkBackup, isBlank, loadBackup } from '../store/backup/restore.ts'
import { defineCommand } from './command.ts'
import { watchCopy } from './copy-progress.ts'
import { hasDatabase, withDatabaseAlone } from './own-database.ts'
import { say } from './terminal.ts'

export const restoreCommand = defineCommand({
  name: 'restore',
  summary: 'Fills an empty data folder, or an empty database of yours, from a backup.',
  about: [
    'The file is read to its end first; one that is damaged, or from a newer Beckon, is refused before anything is touched. Cut off half-way, a restore can simply be run again.',
    'A restored Beckon sends at its start whatever came due since the backup, also what the first one sent after it. With --hold it starts with sending held, and bin/beckon resume lets go.',
    'A data folder that has brands in it is refused. With --force its database is moved into a folder beside, whose name is printed; moving it back undoes the restore.',
    'With DATABASE_URL the rows go into that database, which must be empty, and the secret into the data folder: this is the way from the embedded server to a server of your own.',
  ],
  operands: [{ name: 'FILE', meaning: 'A file that bin/beckon backup wrote.' }],
  flags: {
    force: { type: 'boolean', meaning: 'Moves the database that is there aside.' },
    hold: { type: 'boolean', meaning: 'Sends nothing until bin/beckon resume.' },
  },
  examples: [
    'BECKON_DATA_DIR=/srv/beckon bin/beckon restore beckon-monday.backup --hold',
    'DATABASE_URL=postgres://beckon:...@db/beckon bin/beckon restore beckon-monday.backup',
  ],
  run: async ({ force = false, hold = false }, [given = '']) => {
    const config = loadConfig()
    const { dataDir, databaseUrl } = config
    const file = resolve(given)
    const head = await checkBackup(file)
    const secret = secretIn(head)
    if (databaseUrl !== null) await refuseOccupied(config, databaseUrl, secret)
    else if (await isOccupied(config, secret)) await makeRoom(dataDir, { isForced: force })

    const { onProgress, total } = watchCopy()
    if (secret !== null && config.secret === null) await makeSecretFile(dataDir, secret)
    const load = async (url: string): Promise<void> =>
      loadBackup(url, { file, head, onProgress, isHeld: hold })
    await (databaseUrl === null ? withDatabaseAlone(dataDir, load) : load(databaseUrl))
    const place = databaseUrl === null ? dataDir : 'the database of DATABASE_URL'
    say(`Restored ${total()}, as of ${new Date(head.madeAt).toISOString()}, into ${place}.`)
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

/** A database of the operator is never moved aside, so it must be empty; so must the place of the secret. */
async function refuseOccupied(config: Config, url: string, secret: string | null): Promise<void> {
  if (!(await isBlank(url))) {
    throw new StartError(
      'The database of DATABASE_URL has brands in it: create an empty one and restore there.',
    )
  }
  const present = await loadSecretFile(config.dataDir)
  if (present === null || secret === null || present === secret) return
  throw new StartError(
    `The data folder ${config.dataDir} has another secret than the backup: choose another BECKON_DATA_DIR.`,
  )
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
