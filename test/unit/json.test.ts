import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeJson, parseJson } from '../../src/domain/values/json.ts'
import { BODY_BOUNDS, excessFault, parseScannedJson } from '../../src/domain/values/json-bytes.ts'

test('an int64 comes back digit for digit', () => {
  const text = '{"min":-9223372036854775808,"max":9223372036854775807,"past_safe":9007199254740993}'
  assert.equal(encodeJson(parseJson(text)), text)
})

test('an integer within 2^53 is a number, a longer one a bigint', () => {
  assert.deepEqual(parseJson('[9007199254740991,9007199254740992]'), [9007199254740991, 9007199254740992n])
})

test('digits inside a string, a fraction or an exponent stay what they are', () => {
  const text = '{"token":"12345678901234567890","ratio":0.12345678901234568,"big":1e30}'
  assert.deepEqual(parseJson(text), { token: '12345678901234567890', ratio: 0.12345678901234568, big: 1e30 })
})

test('any JSON value survives parse and encode', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      assert.equal(encodeJson(parseJson(JSON.stringify(value))), JSON.stringify(value))
    }),
  )
})

test('__proto__ is an ordinary key and pollutes nothing', () => {
  const parsed = parseJson('{"__proto__":{"polluted":1234567890123456789}}')
  assert.ok(Object.hasOwn(Object(parsed), '__proto__'))
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('each bound of a body has its own refusal', () => {
  assert.equal(excessFault('depthMax', BODY_BOUNDS, 'a').code, 'body_too_deep')
  assert.match(excessFault('containersMax', BODY_BOUNDS, 'a').message, /objects and lists/)
  assert.match(excessFault('valuesMax', BODY_BOUNDS, 'a').message, /values/)
  const wide = excessFault('membersMax', BODY_BOUNDS, 'a')
  assert.deepEqual([wide.code, wide.field], ['object_too_wide', 'a'])
  assert.match(wide.message, /^a has more than 1000 members\./)
  const whole = excessFault('membersMax', BODY_BOUNDS, '')
  assert.equal(whole.field, null)
  assert.match(whole.message, /^The body has more than/)
})

test('bytes that are no UTF-8 are refused as such', () => {
  const parsed = parseScannedJson(Uint8Array.of(0x22, 0xff, 0x22))
  assert.ok(!parsed.ok)
  assert.match(parsed.rejection.faults[0].message, /not UTF-8/)
})
