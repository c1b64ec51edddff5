import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOwner } from '../../src/store/db.ts'
import { until } from '../support/until.ts'
import { databaseUrl, HOME, VERSIONS } from './lab/apps.ts'
import { isReady, type Lab } from './lab/lab.ts'
import type { Machine } from './lab/machine.ts'
import { HUB } from './lab/network.ts'
import { findPrimary } from './lab/patroni.ts'
import { sh } from './lab/shell.ts'

/** The last commit before Beckon knew clusters. */
const BEFORE_CLUSTERS = '7fe0a253'
const SCHEMA = 'src/store/migrations/0001-schema.sql'

/**
 * Until the first release the schema is changed in place, and a Beckon refuses a database that was made with another file. Then
 * the old version is this one, without the new step.
 */
async function oldCommit(): Promise<string> {
  const changed = await sh('git', '-C', HOME, 'diff', '--name-only', BEFORE_CLUSTERS, 'HEAD', '--', SCHEMA)
  return changed === '' ? BEFORE_CLUSTERS : 'HEAD'
}

/** The program itself, not the shell whose script names it. */
const SUPERVISOR = '^node_modules/.bin/node src/main.ts start'

/** A step that a later release could bring: it only adds, so that processes of before go on beside it. */
const MIGRATION = `alter table notifications add column lab_note text;
create table lab_notes (id bigint generated always as identity primary key, note text not null default '');
create index notifications_lab on notifications (brand_id, lab_note) where lab_note is not null;
`
const UNDO = `drop index if exists notifications_lab; drop table if exists lab_notes;
alter table notifications drop column if exists lab_note; delete from schema_migrations where version > 1`

/** Both machines run the version of before, on a schema without the new step. */
export async function startOldVersion({ apps }: Lab): Promise<void> {
  const folder = await makeVersion('old', await oldCommit())
  await Promise.all(apps.map(async (app) => app.shutDown(SUPERVISOR)))
  const primary = await findPrimary()
  if (primary === null) throw new Error('no primary')
  await withOwner(databaseUrl(primary, 'postgres'), async (session) => session.query(UNDO))
  // The version of before knows one host, so that it needs the proxy.
  const environment = { LAB_FOLDER: folder, DATABASE_URL: databaseUrl(HUB) }
  await Promise.all(apps.map(async (app) => startAndWait(app, environment)))
}

/** Replaces Beckon on one machine after the other. The first new one migrates while the old one serves. */
export async function rollUpgrade({ apps }: Lab): Promise<void> {
  const folder = await makeVersion('next', 'HEAD')
  writeFileSync(join(folder, 'src/store/migrations/0002-lab.sql'), MIGRATION)
  for (const app of apps) {
    await app.shutDown(SUPERVISOR)
    await startAndWait(app, { LAB_FOLDER: folder })
  }
}

async function startAndWait(app: Machine, environment: Readonly<Record<string, string>>): Promise<void> {
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
