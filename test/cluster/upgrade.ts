import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { databaseUrl, HOME, VERSIONS } from './lab/apps.ts'
import { isReady, type Lab } from './lab/lab.ts'
import type { Machine } from './lab/machine.ts'
import { waitForPrimary } from './lab/patroni.ts'
import { sh } from './lab/shell.ts'

const MIGRATIONS = 'src/store/migrations'

/** The last commit before the newest step of the schema: the release of before, as far as the database is concerned. */
async function oldCommit(): Promise<string> {
  const newest = readdirSync(join(HOME, MIGRATIONS)).toSorted().at(-1) ?? ''
  const added = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', `${MIGRATIONS}/${newest}`)
  const old = await git('rev-parse', '--short', `${added}^`)
  const changed = await git('diff', '--name-only', '--diff-filter=MD', old, 'HEAD', '--', MIGRATIONS)
  if (changed !== '') throw new Error(`${changed} was changed after ${newest} was added`)
  return old
}

async function git(...args: readonly string[]): Promise<string> {
  return (await sh('git', '-C', HOME, ...args)).trim()
}

/** The program itself, not the shell whose script names it. */
const SUPERVISOR = '^node_modules/.bin/node src/main.ts start'

/** Takes the newest step back, which no operator can. A new step needs its own line here. */
const UNDO = `drop view all_deliveries; drop table accepted_blocks; drop function count_variant_blocks;
  delete from schema_migrations where version > 5`

/** Both machines run the version of before, on a schema without the new step. */
export async function startOldVersion({ apps }: Lab): Promise<void> {
  const folder = await makeVersion('old', await oldCommit())
  await Promise.all(apps.map(async (app) => app.shutDown(SUPERVISOR)))
  const primary = await waitForPrimary()
  await withOwner(databaseUrl(primary, 'postgres'), async (session) => session.query(UNDO))
  await Promise.all(apps.map(async (app) => startAndWait(app, { LAB_FOLDER: folder })))
}

/** Replaces Beckon on one machine after the other. The first new one migrates while the old one serves. */
export async function rollUpgrade({ apps }: Lab): Promise<void> {
  for (const app of apps) {
    await app.shutDown(SUPERVISOR)
    await startAndWait(app)
  }
}

async function startAndWait(app: Machine, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  await app.start(environment)
  await until(async () => isReady(app.host), { what: `Beckon on ${app.host.name}` })
}

/** The files of a commit, with the packages of this checkout. */
async function makeVersion(name: string, commit: string): Promise<string> {
  const folder = join(VERSIONS, name)
  if (existsSync(folder)) rmSync(folder, { recursive: true })
  mkdirSync(folder, { recursive: true })
  await sh('sh', '-c', `git -C ${HOME} archive ${commit} | tar -x -C ${folder}`)
  symlinkSync(realpathSync(join(HOME, 'node_modules')), join(folder, 'node_modules'))
  return folder
}
