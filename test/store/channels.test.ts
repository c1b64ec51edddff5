import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSealer } from '../../src/runtime/secrets/sealed.ts'
import {
  countPausedChannels,
  loadChannel,
  pauseChannel,
  resumeChannel,
  saveChannel,
} from '../../src/store/push/channels.ts'
import { loadToken, purgeTokens, saveToken } from '../../src/store/push/provider-tokens.ts'
import { freshDatabase, type TestDatabase } from '../support/database/database.ts'

let fresh: TestDatabase
before(async () => {
  fresh = await freshDatabase()
})
after(async () => fresh.drop())

const NOW = Date.UTC(2026, 10, 15)

test('a new credential ends the pause of the old one and cannot be paused in its name', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const ref = { brandId, platform: 'ios' } as const
  const pause = { ...ref, reason: 'InvalidProviderToken', pauseMs: 60_000 }
  await saveChannel(database, { ...ref, facts: { key_id: 'A' }, now: NOW })
  await pauseChannel(database, { ...pause, version: 1 })
  const paused = await loadChannel(database, ref)
  assert.equal(paused?.pausedReason, 'InvalidProviderToken')
  assert.equal(paused.isBeforeRetry, true)
  assert.equal(await countPausedChannels(database), 1)

  await saveChannel(database, { ...ref, facts: { key_id: 'B' }, now: NOW })
  await pauseChannel(database, { ...pause, version: 1 })
  const mended = await loadChannel(database, ref)
  assert.deepEqual([mended?.version, mended?.pausedReason, mended?.isBeforeRetry], [2, null, false])
})

test('a channel without a credential can be paused, keeps its first moment, and resumes', async () => {
  const { database } = fresh
  const { brandId } = await fresh.brand()
  const ref = { brandId, platform: 'android' } as const
  await pauseChannel(database, { ...ref, version: 0, reason: 'first', pauseMs: 1 })
  const first = await loadChannel(database, ref)
  await pauseChannel(database, { ...ref, version: 0, reason: 'second', pauseMs: 1 })
  const second = await loadChannel(database, ref)
  assert.equal(second?.pausedReason, 'second')
  assert.equal(second.pausedSince, first?.pausedSince)
  await resumeChannel(database, { ...ref, version: 0 })
  assert.equal((await loadChannel(database, ref))?.pausedReason, null)
})

test('of two processes that mint at once, one token is kept and both get it', async () => {
  const { database } = fresh
  const sealer = createSealer('a secret of at least thirty-two characters')
  const both = await Promise.all(
    ['one', 'two'].map(async (value) =>
      saveToken(database, sealer, { name: 'apns T K', token: mint(value), replaced: null }),
    ),
  )
  assert.deepEqual(both[0], both[1])
  const [kept] = both
  assert.ok(kept !== undefined)
  assert.deepEqual(await loadToken(database, sealer, 'apns T K'), kept)

  const renewed = { name: 'apns T K', token: mint('three'), replaced: kept.value }
  assert.equal((await saveToken(database, sealer, renewed)).value, 'three')
  const other = createSealer('another secret of thirty-two characters')
  assert.equal(await loadToken(database, other, 'apns T K'), null)
  const anew = { name: 'apns T K', token: mint('four'), replaced: null }
  assert.equal((await saveToken(database, other, anew)).value, 'four')
})

test('a token that expired is forgotten', async () => {
  const { database } = fresh
  const sealer = createSealer('a secret of at least thirty-two characters')
  await saveToken(database, sealer, { name: 'old', token: mint('old'), replaced: null })
  await purgeTokens(database, { now: NOW + 2, rowsMax: 10 })
  assert.notEqual(await loadToken(database, sealer, 'old'), null)
  await purgeTokens(database, { now: NOW + 3, rowsMax: 10 })
  assert.equal(await loadToken(database, sealer, 'old'), null)
})

function mint(value: string) {
  return { value, mintedAt: NOW, renewAt: NOW + 1, expiresAt: NOW + 2 }
}
