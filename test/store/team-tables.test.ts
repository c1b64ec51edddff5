import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { saveBackup } from '../../src/store/backup/backup.ts'
import { checkBackup, loadBackup } from '../../src/store/backup/restore.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import { Database } from '../../src/store/db.ts'
import { purgeTeam } from '../../src/store/team/purge.ts'
import { type TeamCondition, teamRows } from '../../src/store/team/rows.ts'
import { emptyDatabase, freshDatabase, PATIENT } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const { url, drop } = await freshDatabase()
const database = new Database({ ...PATIENT, url, connectionsMax: 2, name: 'team' })
const folder = await mkdtemp(join(tmpdir(), 'beckon-team-'))
after(async () => {
  await database.close()
  await drop()
  await rm(folder, { recursive: true })
})

async function addMember(): Promise<string> {
  const id = randomUUID()
  await database.team.query(
    `insert into members (id, email, name, email_verified, created_at, updated_at) values ($1, $2, '', true, now(), now())`,
    [id, `${id}@example.com`],
  )
  return id
}

async function addSession(memberId: string, expiresAt: number): Promise<void> {
  await database.team.query(
    `insert into member_sessions (id, member_id, token, expires_at, created_at, updated_at)
     values ($1, $2, encode(sha256($3::text::bytea), 'hex'), $4, now(), now())`,
    [randomUUID(), memberId, randomUUID(), new Date(expiresAt)],
  )
}

async function addMembership(brandId: number, memberId: string): Promise<void> {
  await database.team.query(
    `insert into memberships (brand_id, member_id, role, created_at) values ($1, $2, 'owner', now())`,
    [brandId, memberId],
  )
}

test('only beckon_team sees members; a brand sees none of them', async () => {
  await assert.rejects(database.query('select from members'), { code: '42501' })
  const { id } = await ensureBrand(database, { externalId: 'wall', name: 'Wall', now: 0 })
  await assert.rejects(
    database.asBrand(id, async (tx) => tx.query('select from members')),
    { code: '42501' },
  )
  await assert.rejects(
    database.asBrand(id, async (tx) => tx.query('select from memberships')),
    { code: '42501' },
  )
  await assert.rejects(database.team.query('select from profiles'), { code: '42501' })
})

test('a brand that is deleted loses its memberships at once, and the member stays', async () => {
  const { id } = await ensureBrand(database, { externalId: 'gone', name: 'Gone', now: 0 })
  const memberId = await addMember()
  await addMembership(id, memberId)
  assert.ok(await deleteBrand(database, 'gone'))
  const left = await database.team.query('select from memberships where member_id = $1', [memberId])
  assert.equal(left.count, 0)
  assert.equal((await database.team.query('select from members where id = $1', [memberId])).count, 1)
})

test('the sign-in library finds rows by every condition that it knows, and by none it reaches nobody', async () => {
  const ids = [await addMember(), await addMember(), await addMember()].toSorted()
  const [, middle] = ids
  const found = async (operator: TeamCondition['operator'], value: unknown): Promise<readonly number[]> => {
    const where = [
      { column: 'id', operator: 'in', value: ids, joint: 'and' },
      { column: 'id', operator, value, joint: 'and' },
    ] as const
    const sortBy = { column: 'id', isDescending: false }
    const rows = await teamRows.select({ database }, { table: 'members', where }, { sortBy })
    return rows.map(({ id }) => ids.indexOf(String(id)))
  }
  assert.deepEqual(await found('eq', middle), [1])
  assert.deepEqual(await found('ne', middle), [0, 2])
  assert.deepEqual(await found('lt', middle), [0])
  assert.deepEqual(await found('lte', middle), [0, 1])
  assert.deepEqual(await found('gt', middle), [2])
  assert.deepEqual(await found('gte', middle), [1, 2])
  assert.deepEqual(await found('in', [middle]), [1])
  assert.deepEqual(await found('not_in', [middle]), [0, 2])
  await assert.rejects(teamRows.select({ database }, { table: 'members', where: [] }), /no condition/)
})

test('processes that cache members hear of a change to one and to a session, and of no other', async (context) => {
  const end = new AbortController()
  let heard = 0
  const listening = database.listenForKeysGone(() => {
    heard += 1
  }, end.signal)
  context.after(async () => {
    end.abort()
    await listening
  })
  // A new listener assumes that there is news.
  await until(() => heard === 1, { what: 'the listener' })
  const memberId = await addMember()
  await addSession(memberId, Date.now() + 60_000)
  const place = { database, request: { id: 'r', network: '127.0.0.1' } }
  const whose = (column: string) => [{ column, operator: 'eq', value: memberId, joint: 'and' }] as const
  const rename = async (name: string) =>
    teamRows.update(place, { table: 'members', where: whose('id') }, { set: { name } })
  await rename('Ann')
  await until(() => heard === 2, { what: 'news of the member' })
  await teamRows.remove(place, { table: 'member_sessions', where: whose('member_id') })
  await until(() => heard === 3, { what: 'news of the session' })
  await teamRows.remove(place, { table: 'member_accounts', where: whose('member_id') })
  await rename('Anna')
  await until(() => heard >= 4, { what: 'news of the member again' })
  assert.equal(heard, 4)
})

test('the purge deletes ended sessions and keeps live ones', async () => {
  const memberId = await addMember()
  const now = Date.now()
  await addSession(memberId, now - 1)
  await addSession(memberId, now + 60_000)
  assert.ok((await purgeTeam(database, { now, rowsMax: 100 })) >= 1)
  const left = await database.team.query('select from member_sessions where member_id = $1', [memberId])
  assert.equal(left.count, 1)
})

test('a backup has the members and their memberships, and signs nobody in', async () => {
  const { id } = await ensureBrand(database, { externalId: 'kept', name: 'Kept', now: 0 })
  const memberId = await addMember()
  await addMembership(id, memberId)
  await addSession(memberId, Date.now() + 60_000)
  const file = join(folder, 'team.backup')
  await saveBackup(url, { file, files: [], now: 0, onProgress: () => undefined })
  const copy = await emptyDatabase()
  try {
    const head = await checkBackup(file)
    await loadBackup(copy.url, { file, head, onProgress: () => undefined, isHeld: false })
    const restored = new Database({ ...PATIENT, url: copy.url, connectionsMax: 1, name: 'copy' })
    const { rows } = await restored.team.query(
      `select role, (select count(*)::integer from member_sessions) as sessions
       from memberships join members on members.id = member_id where member_id = $1`,
      [memberId],
    )
    await restored.close()
    assert.deepEqual(rows, [{ role: 'owner', sessions: 0 }])
  } finally {
    await copy.drop()
  }
})
