import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LiteralBinds } from '../../src/store/bind.ts'

test('each kind of value is written into a statement as itself', () => {
  const binds = new LiteralBinds()
  const written = [
    [null, 'null'],
    [undefined, 'null'],
    [-5, '(-5)'],
    [2n ** 60n, '(1152921504606846976)'],
    [true, 'true'],
    [false, 'false'],
    [new Date(0), "timestamptz '1970-01-01T00:00:00.000Z'"],
    [['a', 1], "array[e'a', (1)]"],
    [`it's a \\`, "e'it''s a \\\\'"],
  ] as const
  for (const [value, text] of written) assert.equal(binds.add(value), text)
  assert.throws(() => binds.add({}), /cannot be written/)
})
