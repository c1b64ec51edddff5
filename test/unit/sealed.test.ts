import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer, type Sealed } from '../../src/runtime/secrets/sealed.ts'

const PLACE = { brandId: 1, kind: 'fcm' }
const sealer = createSealer('a long secret of the operator')

test('what is sealed opens again in its place', () => {
  for (const plaintext of ['', 'ключ 🔑', 'x'.repeat(100_000)])
    assert.equal(sealer.open(sealer.seal(plaintext, PLACE), PLACE), plaintext)
})

test('sealing twice shows no sameness', () => {
  const [one, two] = [sealer.seal('same', PLACE), sealer.seal('same', PLACE)]
  assert.notDeepEqual(one.nonce, two.nonce)
  assert.notDeepEqual(one.ciphertext, two.ciphertext)
})

test('any flipped bit, and any missing byte, is noticed', () => {
  const sealed = sealer.seal('secret', PLACE)
  for (const part of ['nonce', 'ciphertext'] as const)
    for (let index = 0; index < sealed[part].length; index += 1) {
      const bytes = Uint8Array.from(sealed[part])
      bytes[index] = (bytes[index] ?? 0) ^ 1
      assert.throws(() => sealer.open({ ...sealed, [part]: bytes }, PLACE), /fcm of brand 1 was changed/)
    }
  for (let length = 0; length < sealed.ciphertext.length; length += 1) {
    const cut: Sealed = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length) }
    assert.throws(() => sealer.open(cut, PLACE), /was changed/)
  }
})

test('a secret moved to another brand or another kind does not open', () => {
  const sealed = sealer.seal('secret', PLACE)
  assert.throws(() => sealer.open(sealed, { ...PLACE, brandId: 2 }), /was changed/)
  assert.throws(() => sealer.open(sealed, { ...PLACE, kind: 'apns' }), /was changed/)
})

test('another key does not open it, also when the row is made to name that key', () => {
  const other = createSealer('another long secret')
  const sealed = sealer.seal('secret', PLACE)
  assert.throws(() => other.open(sealed, PLACE), /this BECKON_SECRET does not give/)
  assert.throws(() => other.open({ ...sealed, keyId: other.keyId }, PLACE), /was changed/)
})

test('after a change of secret the old rows open and the new ones do not need the old secret', () => {
  const old = sealer.seal('secret', PLACE)
  const rotated = createSealer('the next long secret', ['a long secret of the operator'])
  assert.equal(rotated.open(old, PLACE), 'secret')
  assert.equal(createSealer('the next long secret').open(rotated.seal('new', PLACE), PLACE), 'new')
})
