import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYLOAD_ROOM } from '../../src/rules/push.ts'
import { createReceiptSigner, deliveryId, deliveryIds } from '../../src/runtime/secrets/receipt-token.ts'
import { brandNamedIn, createNameSigner } from '../../src/runtime/secrets/signed-name.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 4, 17, 12)
const OPTIONS = { secret: 'a secret of this test', oldSecrets: [], lifeDays: 90 } as const
const SIGNER = createReceiptSigner(OPTIONS)
const DELIVERY = {
  brandId: 7,
  notificationId: '01900000-0000-7000-8000-00000000abcd',
  subscriptionId: 4_611_686_018_427_387_905n,
} as const
const TOKEN = SIGNER.sign(DELIVERY, NOW)

/** The kind of token that was made before. */
const FORMER = createNameSigner({ purpose: 'beckon receipt', idChars: 32 }, OPTIONS)
const FORMER_TOKEN = FORMER.sign({ brandId: DELIVERY.brandId, id: deliveryId(DELIVERY) }, NOW)

/** All letters of a token, and one that is none. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+'

test('a token opens as the delivery that it was made for', () => {
  assert.deepEqual(SIGNER.open(TOKEN, NOW), { ...DELIVERY, age: 'fresh' })
})

test('the tokens of many are those of each one alone, in order', () => {
  const subscriptionIds = [1n, 2n, 9_223_372_036_854_775_807n]
  const { brandId, notificationId } = DELIVERY
  const many = { brandId, notificationId, subscriptionIds }
  const each = subscriptionIds.map((subscriptionId) => ({ brandId, notificationId, subscriptionId }))
  assert.deepEqual(
    SIGNER.signAll(many, NOW),
    each.map((one) => SIGNER.sign(one, NOW)),
  )
  assert.deepEqual(
    SIGNER.signAll(many, NOW).map((token) => SIGNER.open(token, NOW)?.subscriptionId),
    subscriptionIds,
  )
  assert.deepEqual(deliveryIds(many), each.map(deliveryId))
  assert.deepEqual(SIGNER.signAll({ ...many, subscriptionIds: [] }, NOW), [])
})

for (const [kind, token] of [
  ['a token', TOKEN],
  ['a token of the kind before', FORMER_TOKEN],
] as const) {
  test(`no letter of ${kind} can be changed, left out or added`, () => {
    assert.notEqual(SIGNER.open(token, NOW), null)
    for (let at = 0; at < token.length; at += 1) {
      for (const letter of LETTERS) {
        if (token[at] === letter) continue
        const changed = token.slice(0, at) + letter + token.slice(at + 1)
        assert.equal(SIGNER.open(changed, NOW), null, changed)
      }
      assert.equal(SIGNER.open(token.slice(0, at) + token.slice(at + 1), NOW), null)
    }
    for (const other of [`${token}A`, `A${token}`, `${token}\n`, '', '....'])
      assert.equal(SIGNER.open(other, NOW), null, other)
  })

  test(`no bit of the last part of ${kind} can be flipped`, () => {
    const head = token.slice(0, token.lastIndexOf('.') + 1)
    const block = Buffer.from(token.slice(head.length), 'base64url')
    assert.equal(block.length, 16)
    for (let bit = 0; bit < block.length * 8; bit += 1) {
      const flipped = flip(block, bit)
      assert.equal(SIGNER.open(head + flipped.toString('base64url'), NOW), null, `bit ${bit}`)
    }
  })
}

test('no bit of the delivery in a token of the kind before can be flipped', () => {
  const [id = '', ...rest] = FORMER_TOKEN.split('.')
  const bytes = Buffer.from(id, 'base64url')
  assert.equal(bytes.length, 24)
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const forged = [flip(bytes, bit).toString('base64url'), ...rest].join('.')
    assert.equal(SIGNER.open(forged, NOW), null, `bit ${bit}`)
  }
})

function flip(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return flipped
}

test('a block of another brand, notification or day is worth nothing', () => {
  const parts = TOKEN.split('.')
  const others = [
    SIGNER.sign({ ...DELIVERY, brandId: 8 }, NOW),
    SIGNER.sign({ ...DELIVERY, notificationId: '01900000-0000-7000-8000-00000000abce' }, NOW),
    SIGNER.sign(DELIVERY, NOW + DAY_MS),
  ]
  for (const [part, other] of others.entries()) {
    // The brand comes second, the notification first and the day third.
    const place = [1, 0, 2][part] ?? 0
    const swapped = parts.with(place, other.split('.')[place] ?? '').join('.')
    assert.equal(SIGNER.open(swapped, NOW), null, swapped)
    assert.notEqual(SIGNER.open(other, NOW), null)
  }
})

test('two tokens of one device have nothing in common but the brand and the day', () => {
  const other = SIGNER.sign({ ...DELIVERY, notificationId: '01900000-0000-7000-8000-00000000abce' }, NOW)
  const [, brand, day, block] = TOKEN.split('.')
  const [, otherBrand, otherDay, otherBlock] = other.split('.')
  assert.deepEqual([brand, day], [otherBrand, otherDay])
  assert.notEqual(block, otherBlock)
  assert.ok(!TOKEN.includes(deliveryId(DELIVERY).slice(-10)))
})

test('a token expires, to the day, and is aging after half of its life', () => {
  const ages = [0, 45, 46, 90, 91].map((days) => SIGNER.open(TOKEN, NOW + days * DAY_MS)?.age)
  assert.deepEqual(ages, ['fresh', 'fresh', 'aging', 'aging', 'expired'])
})

test('a token of the kind before is accepted, and expires as well', () => {
  assert.deepEqual(SIGNER.open(FORMER_TOKEN, NOW), { ...DELIVERY, age: 'fresh' })
  assert.equal(SIGNER.open(FORMER_TOKEN, NOW + 91 * DAY_MS)?.age, 'expired')
  assert.equal(SIGNER.open(FORMER_TOKEN.replace('.7.', '.8.'), NOW), null)
})

test('a former secret opens its tokens, an unknown one does not', () => {
  const changed = createReceiptSigner({ ...OPTIONS, secret: 'the next secret', oldSecrets: [OPTIONS.secret] })
  assert.deepEqual(changed.open(TOKEN, NOW), { ...DELIVERY, age: 'fresh' })
  assert.equal(SIGNER.open(changed.sign(DELIVERY, NOW), NOW), null)
})

test('a token is no longer than one of the kind before, and fits the room that payloads keep', () => {
  const brandId = 2_147_483_647
  const longest = SIGNER.sign({ ...DELIVERY, brandId }, NOW)
  assert.ok(longest.length < FORMER.sign({ brandId, id: deliveryId(DELIVERY) }, NOW).length)
  assert.ok(longest.length <= PAYLOAD_ROOM.receiptCharsMax)
  assert.equal(brandNamedIn(longest), brandId)
})
