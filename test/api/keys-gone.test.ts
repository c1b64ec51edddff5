import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listKeys, revokeKey } from '../../src/store/brand/api-keys.ts'
import { deleteBrand } from '../../src/store/brand/deletion.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

// Time stands still, so nothing is looked up again because it is old.
const now = Date.now()
const { port, server, deps, brand, close } = await startServer({ clock: { now: () => now } })
const stop = new AbortController()
const listening = deps.database.listenForKeysGone(() => server.forgetKeys(), stop.signal)
after(async () => {
  stop.abort()
  await listening
  await close()
})

async function statusOf(headers: Readonly<Record<string, string>>): Promise<number> {
  return (await call(port, { path: '/api/v1/brand', headers })).status
}

test('401 for every key of a brand as soon as it is deleted, though a process remembers them', async () => {
  const [mine, other] = [await brand(), await brand()]
  const publishable = { ...keyHeaders(mine), 'x-api-key': mine.publishableKey }
  assert.deepEqual([await statusOf(keyHeaders(mine)), await statusOf(publishable)], [200, 403])

  await deleteBrand(deps.database, mine.externalId)
  await until(async () => (await statusOf(keyHeaders(mine))) === 401, {
    what: 'the notification that keys are gone',
  })
  assert.equal(await statusOf(publishable), 401)
  assert.equal(await statusOf(keyHeaders(other)), 200)
})

test('401 for a key as soon as it is revoked, though a process remembers it', async () => {
  const mine = await brand()
  assert.equal(await statusOf(keyHeaders(mine)), 200)
  const [key] = await deps.database.asBrand(mine.brandId, async (tx) =>
    listKeys(tx, { brandId: mine.brandId, afterId: 0, limit: 1 }),
  )
  const keyId = key?.id ?? 0
  assert.ok(await revokeKey(deps.database, { brandId: mine.brandId, keyId, now }))
  await until(async () => (await statusOf(keyHeaders(mine))) === 401, {
    what: 'the notification that keys are gone',
  })
})
