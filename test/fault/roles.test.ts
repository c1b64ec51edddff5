import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { latestVersion, migrate } from '../../src/store/migrate.ts'
import { ensureRoles, ROLES } from '../../src/store/roles.ts'
import { startThrowawayPostgres } from '../support/database/postgres.ts'

/** A server of its own, because roles belong to the server and the shared one has had them for long. */
const server = await startThrowawayPostgres()
after(async () => server.stop())

function urlOf(database: string, user?: string): string {
  const url = new URL(server.url)
  url.pathname = `/${database}`
  // As on the operator's own server, where the roles do not log in.
  url.search = ''
  if (user !== undefined) [url.username, url.password] = [user, 'pass']
  return url.href
}

const ROUNDS = 30
const SESSIONS = 10

test('ten sessions that make the roles at once may all step into them', async () => {
  await withOwner(server.url, async (admin) =>
    admin.query(`create role maker login createrole password 'pass'`),
  )
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: SESSIONS }, makeAndStepDown))
    await withOwner(server.url, async (admin) =>
      admin.query('drop role beckon_app, beckon_engine, beckon_team'),
    )
  }
})

async function makeAndStepDown(): Promise<void> {
  await withOwner(urlOf('postgres', 'maker'), async (session) => {
    await ensureRoles(session, urlOf('postgres', 'maker'))
    for (const role of ROLES) await session.query(`set role ${role}; reset role`)
  })
}

test('six databases migrated at once on a new server share the roles, for a user who may create roles', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  await withOwner(server.url, async (admin) => {
    await admin.query(`create role hosted login createrole password 'pass'`)
    for (const name of names) await admin.query(`create database ${name} owner hosted`)
  })
  const versions = await Promise.all(names.map(async (name) => migrate(urlOf(name, 'hosted'))))
  assert.deepEqual(new Set(versions), new Set([latestVersion()]))
})

test('a role that was made too strong is refused by name', async () => {
  await withOwner(server.url, async (admin) => admin.query('alter role beckon_app bypassrls'))
  await assert.rejects(migrate(urlOf('one')), /beckon_app may see every brand.*nosuperuser nobypassrls/)
  await withOwner(server.url, async (admin) => admin.query('alter role beckon_app nobypassrls'))
  assert.equal(await migrate(urlOf('one')), latestVersion())
})
