import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '../../src/domain/brand/api-key.ts'
import { KEY_KINDS } from '../../src/rules/brand.ts'

test('a key begins with what it is and carries all its chance', () => {
  const random = new Uint8Array(KEY_RANDOM_BYTES).fill(255)
  for (const kind of ['secret', 'publishable'] as const) {
    const key = formatKey(kind, random)
    assert.ok(key.startsWith(KEY_KINDS[kind].prefix))
    assert.deepEqual(
      new Uint8Array(Buffer.from(key.slice(KEY_KINDS[kind].prefix.length), 'base64url')),
      random,
    )
  }
})

test('a hint never shows more than a quarter of what must stay unknown', () => {
  assert.equal(keyHint('secret', 'bk_secret_abcdefghijklmnopqrst'), 'bk_secret_abcd…')
  assert.equal(keyHint('secret', 'demo-key'), 'de…')
  assert.equal(keyHint('secret', 'abc'), '…')
  assert.equal(keyHint('publishable', 'bk_secret_abcdefghijklmnopqrst'), 'bk_s…')
})
