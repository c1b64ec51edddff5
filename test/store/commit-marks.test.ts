import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { CommitUndone, confirmCommit } from '../../src/store/connection/commit-marks.ts'
import { openPool } from '../../src/store/connection/pool.ts'
import { PrimaryHosts } from '../../src/store/connection/primary-hosts.ts'
import { readDatabaseUrl, sessionSettings } from '../../src/store/session-settings.ts'
import { freshDatabase } from '../support/database/database.ts'

const { url, database, drop } = await freshDatabase()
const settings = sessionSettings({ url, name: 'looks' }, 'beckon_engine')
const hosts = new PrimaryHosts(readDatabaseUrl(url), settings)
const place = { hosts, pool: openPool(hosts, settings, 1) }
after(async () => {
  await place.pool.end()
  await drop()
})

const LOST = new Error('the answer was lost')

/** A session whose last commit has this number. */
async function sessionAt(serial: number): Promise<string> {
  const session = randomUUID()
  await database.query('insert into commit_marks (session, serial) values ($1, $2)', [session, serial])
  return session
}

test('a commit that happened is found again by every later look, whose own answer may be lost too', async () => {
  const session = await sessionAt(5)
  for (let look = 0; look < 3; look += 1) await confirmCommit(place, { session, serial: 5 }, LOST)
})

test('a commit that did not happen is undone for good, and so is that of a session without a mark', async () => {
  const session = await sessionAt(5)
  for (const commit of [
    { session, serial: 6 },
    { session, serial: 6 },
    { session: randomUUID(), serial: 1 },
  ]) {
    await assert.rejects(
      confirmCommit(place, commit, LOST),
      (error: unknown) => error instanceof CommitUndone && error.cause === LOST,
    )
  }
})
