import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/store/db.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runBeckon } from '../support/processes/beckon.ts'

test('beckon member makes, lists, resets and removes members, and prints links that work once', async (context) => {
  const { url, brand, database, drop } = await freshDatabase()
  context.after(drop)
  const { externalId } = await brand()
  const environment = { DATABASE_URL: url, BECKON_PUBLIC_URL: 'https://beckon.example' }
  const run = async (...args: readonly string[]) => runBeckon(['member', ...args], environment)
  const link = /^https:\/\/beckon\.example\/auth\/link\/[\w-]{40,}$/m

  assert.match((await run('link')).stdout, link)
  const added = await run('add', 'grace@example.com', '--brand', externalId, '--role', 'owner')
  assert.match(added.stdout, link)
  assert.match((await run('link')).stderr, /There are members already/)
  const invited = new RegExp(`grace@example.com .*invited .*${externalId}:owner:invited`)
  assert.match((await run('list')).stdout, invited)
  const again = await run('add', 'grace@example.com', '--brand', externalId, '--role', 'owner')
  assert.match(again.stdout, /was a member before/)
  await database.team.query('update memberships set accepted_at = now()')
  await giveFactors(database)
  assert.match((await run('reset', 'grace@example.com', '--without-second-factor')).stdout, link)
  assert.deepEqual(await linesAfter(database, 'passkey created'), [
    'cli session deleted',
    'cli passkey deleted',
    'cli member changed',
    'cli sign_in_link created',
  ])
  assert.match((await run('remove', 'grace@example.com')).stderr, /is the last owner of/)
  await run('add', 'ada@example.com', '--brand', externalId, '--role', 'owner', '--administrator')
  assert.match((await run('remove', 'grace@example.com')).stderr, /is the last owner of/)
  await database.team.query('update memberships set accepted_at = now()')
  assert.match((await run('remove', 'grace@example.com')).stdout, /is removed/)
  assert.match((await run('remove', 'grace@example.com')).stderr, /There is no member/)
  assert.match((await run('add', 'x@example.com', '--brand', externalId)).stderr, /--brand goes with --role/)
})

/** A session, a passkey and an authenticator app of the only member. */
async function giveFactors({ team }: Database): Promise<void> {
  await team.query(
    `insert into member_sessions (id, member_id, token, expires_at, created_at, updated_at)
     select uuidv7(), id, repeat('a', 64), now() + interval '1 day', now(), now() from members`,
  )
  await team.query('update members set two_factor_enabled = true')
  await team.query(
    `insert into member_passkeys (id, member_id, credential_id, public_key, counter, device_type, backed_up)
     select uuidv7(), id, 'credential', 'key', 0, 'singleDevice', false from members`,
  )
}

/** The lines of the instance after one of them, the oldest first. */
async function linesAfter(database: Database, last: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ actor: string; line: string }>(
    `select actor, subject_type || ' ' || action as line from audit where brand_id = 0 order by id`,
  )
  const at = rows.findLastIndex(({ line }) => line === last)
  return rows.slice(at + 1).map(({ actor, line }) => `${actor} ${line}`)
}
