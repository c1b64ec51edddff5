import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeJson } from '../../src/domain/values/json.ts'
import { parseJsonBytes } from '../../src/domain/values/json-bytes.ts'
import { LIMITS } from '../../src/rules/limits.ts'

const encoder = new TextEncoder()

test('whatever bytes come, the parser answers and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const result = parseJsonBytes(bytes)
      if (!result.ok) assert.equal(result.rejection.faults.length, 1)
    }),
    { numRuns: 2_000 },
  )
})

test('it says yes to exactly the texts that JSON.parse takes', () => {
  const jsonLike = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'a', ' ', 'null', '\u0001', 'é'),
    {
      maxLength: 12,
    },
  )
  fc.assert(
    fc.property(jsonLike, (parts) => {
      const text = parts.join('')
      assert.equal(parseJsonBytes(encoder.encode(text)).ok, isJson(text))
    }),
    { numRuns: 5_000 },
  )
})

test('every JSON value comes back as it went in, integers digit by digit', () => {
  const value = fc.jsonValue().map((part) => JSON.parse(JSON.stringify(part)))
  const bodies = fc.record({ value, int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) })
  fc.assert(
    fc.property(bodies, (body) => {
      const text = encodeJson(body)
      const result = parseJsonBytes(encoder.encode(text))
      assert.ok(result.ok)
      assert.equal(encodeJson(result.value), text)
    }),
  )
})

test('depth is what it is, whatever stands in the texts and keys around it', () => {
  const noise = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', '}', 'x'), maxLength: 20 })
  const layers = fc.array(fc.record({ isArray: fc.boolean(), noise }), { minLength: 500, maxLength: 524 })
  fc.assert(
    fc.property(layers, (wraps) => {
      const text = wraps.reduce(
        (inner, wrap) =>
          wrap.isArray
            ? `[${JSON.stringify(wrap.noise)},${inner}]`
            : `{${JSON.stringify(wrap.noise)}:${inner}}`,
        '1',
      )
      assert.equal(parseJsonBytes(encoder.encode(text)).ok, wraps.length <= LIMITS.bodyDepthMax)
    }),
    { numRuns: 50 },
  )
})

test('no body pollutes a prototype', () => {
  const names = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a')
  const bodies = fc
    .array(names, { maxLength: 5 })
    .map((path) => path.reduceRight((inner, name) => `{"${name}":${inner}}`, '1'))
  fc.assert(
    fc.property(bodies, (text) => {
      const before = Reflect.ownKeys(Object.prototype)
      const result = parseJsonBytes(encoder.encode(text))
      assert.ok(result.ok)
      assert.deepEqual(Reflect.ownKeys(Object.prototype), before)
      if (typeof result.value === 'object')
        assert.equal(Object.getPrototypeOf(result.value), Object.prototype)
    }),
  )
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
