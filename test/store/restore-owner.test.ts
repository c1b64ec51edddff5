import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { saveBackup } from '../../src/store/backup/backup.ts'
import { checkBackup, isBlank, loadBackup } from '../../src/store/backup/restore.ts'
import { withOwner } from '../../src/store/db.ts'
import { ROLES } from '../../src/store/roles.ts'
import { emptyDatabase, freshDatabase } from '../support/database/database.ts'
import { endWith } from '../support/processes/beckon.ts'

/** An empty database and its owner, who may do no more than docs/cluster.md grants. */
async function ownedDatabase(
  context: TestContext,
): Promise<{ readonly url: string; readonly admin: string }> {
  const { url: admin, drop } = await emptyDatabase()
  const user = `test_${randomBytes(8).toString('hex')}`
  const url = Object.assign(new URL(admin), { username: user, password: user })
  await withOwner(admin, async (session) => {
    await session.query(`create role ${user} login createrole password '${user}';
      grant ${ROLES.join(', ')} to ${user} with set true, inherit false;
      grant set on parameter session_replication_role to ${user}`)
    await session.query(`alter database ${url.pathname.slice(1)} owner to ${user}`)
  })
  endWith(context, async () => {
    await withOwner(admin, async (session) =>
      session.query(`reassign owned by ${user} to current_user; drop owned by ${user}; drop role ${user}`),
    )
    await drop()
  })
  return { url: url.href, admin }
}

test('an owner whom row-level security binds restores a backup, and it binds the owner again', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-backup-'))
  endWith(context, async () => rm(folder, { recursive: true, force: true }))
  const source = await freshDatabase()
  endWith(context, source.drop)
  await source.brand({ externalId: 'acme' })
  const file = join(folder, 'move.backup')
  await saveBackup(source.url, { file, files: [], now: Date.now(), onProgress: () => undefined })

  const { url, admin } = await ownedDatabase(context)
  assert.equal(await isBlank(url), true)
  const head = await checkBackup(file)
  await loadBackup(url, { file, head, onProgress: () => undefined, isHeld: true })

  const { rows } = await withOwner(admin, async (session) => session.query('select external_id from brands'))
  assert.deepEqual(rows, [{ external_id: 'acme' }])
  assert.equal(await isBlank(url), false, 'the owner sees no brand, and still learns that there is one')
  const { rows: unbound } = await withOwner(admin, async (session) =>
    session.query(
      `select relname from pg_class where relrowsecurity and not relforcerowsecurity
         and relname not in (select relname from pg_class where relispartition)`,
    ),
  )
  assert.deepEqual(unbound, [])
  const held = await withOwner(admin, async (session) =>
    session.query(`select actor, action from audit where subject_type = 'sending'`),
  )
  assert.deepEqual(held.rows, [{ actor: 'cli', action: 'held' }])
})
