import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { KEY_KINDS } from '../../src/rules/brand.ts'
import { sha256 } from '../../src/runtime/secrets/crypto.ts'
import { createKey, ensureKey, findKey, listKeys, revokeKey } from '../../src/store/brand/api-keys.ts'
import { ensureBrand, listBrands, loadBrand, saveBrandSettings } from '../../src/store/brand/brands.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NOW = Date.parse('2026-01-01T00:00:00Z')
const DRAFT = { kind: 'secret', scopes: KEY_KINDS.secret.scopes, label: 'ci', now: NOW } as const

test('a key is found by its hash with its brand and scopes', async () => {
  const { brandId, externalId, secretKey } = await brand({ scopes: ['push'] })
  const found = await findKey(database, sha256(secretKey))
  assert.equal(found?.brandId, brandId)
  assert.equal(found.brandExternalId, externalId)
  assert.deepEqual(found.scopes, ['push'])
  assert.equal(await findKey(database, sha256(`${secretKey}x`)), null)
})

test('a revoked key is not found, stays listed, and keeps the time it was first revoked', async () => {
  const { brandId, secretKey } = await brand()
  const found = await findKey(database, sha256(secretKey))
  const key = { brandId, keyId: found?.keyId ?? 0, now: NOW }
  assert.equal(await revokeKey(database, key), true)
  assert.equal(await revokeKey(database, { ...key, now: NOW + 1 }), false)
  assert.equal(await findKey(database, sha256(secretKey)), null)
  const listed = await listKeys(database, { brandId, afterId: 0, limit: 10 })
  assert.equal(listed.find(({ id }) => id === key.keyId)?.revokedAt, NOW)
})

test('a brand manages its own keys and cannot read their hashes', async () => {
  const { brandId } = await brand()
  const plaintext = `bk_secret_${randomBytes(16).toString('hex')}`
  const made = await database.asBrand(brandId, async (tx) => createKey(tx, { ...DRAFT, brandId, plaintext }))
  assert.equal(made.hint, `${plaintext.slice(0, 'bk_secret_'.length + 4)}…`)
  const hashes = database.asBrand(brandId, async (tx) => tx.query('select hash from api_keys'))
  await assert.rejects(hashes, { code: '42501' })
})

test('twenty processes that ensure one brand and one key make one of each', async () => {
  const externalId = `brand-${randomBytes(8).toString('hex')}`
  const plaintext = `chosen-${randomBytes(8).toString('hex')}`
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { id, isNew } = await ensureBrand(database, { externalId, name: 'Demo', now: NOW })
      return { id, isNew, key: await ensureKey(database, { ...DRAFT, brandId: id, plaintext }) }
    }),
  )
  assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1)
  assert.equal(outcomes.filter(({ isNew }) => isNew).length, 1)
  assert.equal(outcomes.filter(({ key }) => key === 'made').length, 1)
  assert.equal(outcomes.filter(({ key }) => key === 'present').length, 19)
})

test('a chosen key that was revoked, or is somebody else’s, is not given', async () => {
  const [one, other] = [await brand(), await brand()]
  const draft = { ...DRAFT, brandId: one.brandId, plaintext: one.secretKey }
  assert.equal(await ensureKey(database, { ...draft, brandId: other.brandId }), 'taken')
  assert.equal(await ensureKey(database, { ...draft, kind: 'publishable' }), 'taken')
  const keyId = (await findKey(database, sha256(one.secretKey)))?.keyId ?? 0
  await revokeKey(database, { brandId: one.brandId, keyId, now: NOW })
  assert.equal(await ensureKey(database, draft), 'revoked')
})

test('a brand changes its settings and nobody else’s', async () => {
  const [mine, other] = [await brand(), await brand()]
  const settings = {
    name: 'Renamed',
    timeZone: 'Asia/Kolkata',
    profileMerging: true,
    allowedOrigins: ['https://shop.example'],
    identityVerification: false,
    frequencyCap: null,
    defaultSound: null,
    language: null,
    controlPercent: 0,
    quietHours: null,
    approvalAbove: null,
  }
  await database.asBrand(mine.brandId, async (tx) => {
    await saveBrandSettings(tx, mine.brandId, settings)
    await saveBrandSettings(tx, other.brandId, settings)
  })
  const changed = await loadBrand(database, mine.externalId)
  assert.deepEqual({ ...changed, ...settings }, changed)
  assert.equal((await loadBrand(database, other.externalId))?.name, other.externalId)
})

test('brands are listed page by page in the order they were made', async () => {
  const [one, two] = [await brand(), await brand()]
  const page = await listBrands(database, { afterId: one.brandId, limit: 1 })
  assert.deepEqual(
    page.map(({ id }) => id),
    [two.brandId],
  )
})
