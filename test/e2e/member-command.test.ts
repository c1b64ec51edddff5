import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  assert.match((await run('reset', 'grace@example.com', '--without-second-factor')).stdout, link)
  assert.match((await run('remove', 'grace@example.com')).stderr, /is the last owner of/)
  await run('add', 'ada@example.com', '--brand', externalId, '--role', 'owner', '--administrator')
  assert.match((await run('remove', 'grace@example.com')).stderr, /is the last owner of/)
  await database.team.query('update memberships set accepted_at = now()')
  assert.match((await run('remove', 'grace@example.com')).stdout, /is removed/)
  assert.match((await run('remove', 'grace@example.com')).stderr, /There is no member/)
  assert.match((await run('add', 'x@example.com', '--brand', externalId)).stderr, /--brand goes with --role/)
})
