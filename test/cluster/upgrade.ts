import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { HOME, saveAccess, VERSIONS } from './lab/apps.ts'
import { isReady, type Lab, makeDatabase, untilServing } from './lab/lab.ts'
import type { Machine } from './lab/machine.ts'
import { newAccess } from './lab/providers.ts'
import { sh } from './lab/shell.ts'
import { makeWorld, type World } from './load/world.ts'

const MIGRATIONS = 'src/store/migrations'
/** The first step after the schema that was frozen, before which no release could be upgraded. */
const FIRST_STEP = '0002-audit-actor.sql'

/**
 * The last commit before the first step of the schema, so that an upgrade takes all steps there are. It is later than the
 * commit before several hosts came: the schema of that one was changed in place (decision 0025).
 */
async function oldCommit(): Promise<string> {
  const added = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', `${MIGRATIONS}/${FIRST_STEP}`)
  const old = await git('rev-parse', '--short', `${added}^`)
  const changed = await git('diff', '--name-only', '--diff-filter=MD', old, 'HEAD', '--', MIGRATIONS)
  if (changed !== '') throw new Error(`${changed} was changed after a release had it`)
  return old
}

async function git(...args: readonly string[]): Promise<string> {
  return (await sh('git', '-C', HOME, ...args)).trim()
}

/** The program itself, not the shell whose script names it. */
export const SUPERVISOR = '^node_modules/.bin/node src/main.ts start'

/** Both machines run the version of before, on a new database, which has the schema of that version. */
export async function startOldVersion(lab: Lab): Promise<World> {
  const folder = await makeVersion('old', await oldCommit())
  await Promise.all(lab.apps.map(async (app) => app.shutDown(SUPERVISOR)))
  await makeDatabase()
  // The provider token of APNs went with the database, and APNs takes another one of the same key after 20 minutes only.
  await saveAccess(newAccess(lab.providers.sandbox))
  await Promise.all(lab.apps.map(async (app) => app.start({ LAB_FOLDER: folder })))
  await untilServing()
  return { ...(await makeWorld(lab)), isOldVersion: true }
}

/** Replaces Beckon on one machine after the other. The first new one migrates while the old one serves. */
export async function rollUpgrade({ apps }: Lab): Promise<void> {
  for (const app of apps) {
    await app.shutDown(SUPERVISOR)
    await startAndWait(app)
  }
}

async function startAndWait(app: Machine): Promise<void> {
  await app.start()
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
