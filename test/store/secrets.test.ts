import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSealer } from '../../src/runtime/secrets/sealed.ts'
import { deleteSecret, loadSealedSecret, resealSecrets, saveSecret } from '../../src/store/secrets.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NOW = Date.parse('2026-01-01T00:00:00Z')
const sealer = createSealer('a long secret of the operator')

test('a secret is replaced, and deleted', async () => {
  const { brandId } = await brand()
  await database.asBrand(brandId, async (tx) => {
    const place = { brandId, kind: 'vapid' }
    assert.equal(await loadSealedSecret(tx, sealer, place), null)
    await saveSecret(tx, sealer, { ...place, plaintext: 'one', now: NOW })
    await saveSecret(tx, sealer, { ...place, plaintext: 'two', now: NOW + 1 })
    assert.equal(await loadSealedSecret(tx, sealer, place), 'two')
    assert.equal(await deleteSecret(tx, place), true)
    assert.equal(await deleteSecret(tx, place), false)
  })
})

test('nothing in the row shows the plaintext', async () => {
  const { brandId } = await brand()
  await saveSecret(database, sealer, { brandId, kind: 'fcm', plaintext: 'hush-hush', now: NOW })
  const { rows } = await database.query<{ row: string }>(
    `select encode(ciphertext, 'escape') || key_id || encode(nonce, 'escape') as row from sealed_secrets
     where brand_id = $1`,
    [brandId],
  )
  assert.equal(rows.length, 1)
  assert.doesNotMatch(rows[0]?.row ?? '', /hush/)
})

test('a row copied to another brand does not open there', async () => {
  const [one, other] = [await brand(), await brand()]
  await saveSecret(database, sealer, { brandId: one.brandId, kind: 'fcm', plaintext: 'mine', now: NOW })
  await database.query(
    `insert into sealed_secrets select $2, kind, key_id, nonce, ciphertext, updated_at
     from sealed_secrets where brand_id = $1`,
    [one.brandId, other.brandId],
  )
  await assert.rejects(
    loadSealedSecret(database, sealer, { brandId: other.brandId, kind: 'fcm' }),
    /was changed/,
  )
  await deleteSecret(database, { brandId: other.brandId, kind: 'fcm' })
})

test('after a change of secret every row is sealed anew, in bounded steps, and the old secret is not needed', async () => {
  const { brandId } = await brand()
  for (const kind of ['a', 'b', 'c'])
    await saveSecret(database, sealer, { brandId, kind, plaintext: kind, now: NOW })
  const rotated = createSealer('the next long secret', ['a long secret of the operator'])
  const step = async () => database.asEngine(async (tx) => resealSecrets(tx, rotated, 2))
  assert.equal(await step(), 2)
  while ((await step()) > 0);
  const fresh = createSealer('the next long secret')
  for (const kind of ['a', 'b', 'c'])
    assert.equal(await loadSealedSecret(database, fresh, { brandId, kind }), kind)
})
