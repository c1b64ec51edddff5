import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createReceiptSigner } from '../../src/runtime/secrets/receipt-token.ts'

const SIGNER = createReceiptSigner({ secret: 'a secret of this test', oldSecrets: ['before'], lifeDays: 90 })
const NOW = fc.integer({ min: 86_400_000, max: 4e12 })
const DELIVERY = fc.record({
  brandId: fc.integer({ min: 1, max: 2_147_483_647 }),
  notificationId: fc.uuid(),
  subscriptionId: fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n }),
})

test('every delivery comes back from its token', () => {
  fc.assert(
    fc.property(DELIVERY, NOW, (delivery, now) => {
      assert.deepEqual(SIGNER.open(SIGNER.sign(delivery, now), now), { ...delivery, age: 'fresh' })
    }),
  )
})

test('two deliveries never have the same block, nor one delivery the block of another', () => {
  fc.assert(
    fc.property(DELIVERY, DELIVERY, NOW, (one, other, now) => {
      fc.pre(JSON.stringify(one, replacer) !== JSON.stringify(other, replacer))
      const [a, b] = [SIGNER.sign(one, now), SIGNER.sign(other, now)]
      const moved = a.slice(0, a.lastIndexOf('.')) + b.slice(b.lastIndexOf('.'))
      const opened = SIGNER.open(moved, now)
      // The same notification of the same brand: then the token is simply the other device's own.
      if (opened !== null) assert.equal(moved, b)
    }),
  )
})

test('text of any kind, and any change of a token, opens as nothing and throws nothing', () => {
  const shaped = fc
    .tuple(
      fc.stringMatching(/^[\w-]{22}$/),
      fc.stringMatching(/^[\da-z]{1,7}$/),
      fc.stringMatching(/^[\w-]{22}$/),
    )
    .map(([id, name, block]) => `${id}.${name}.g12.${block}`)
  fc.assert(
    fc.property(fc.oneof(fc.string(), shaped), NOW, (text, now) => {
      assert.equal(SIGNER.open(text, now), null)
    }),
  )
  fc.assert(
    fc.property(
      DELIVERY,
      NOW,
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
      (delivery, now, at, letter) => {
        const token = SIGNER.sign(delivery, now)
        const place = at % token.length
        const changed = token.slice(0, place) + letter + token.slice(place + 1)
        if (changed !== token) assert.equal(SIGNER.open(changed, now), null)
      },
    ),
  )
})

function replacer(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
