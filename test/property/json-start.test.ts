import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeJson } from '../../src/domain/values/json.ts'
import { encodeStart } from '../../src/domain/values/json-start.ts'

test('the start of a value’s JSON is the same as the start of all of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 60 }), (value, charsMax) => {
      assert.equal(encodeStart(value, charsMax), encodeJson(value).slice(0, charsMax))
    }),
    { numRuns: 2_000 },
  )
})

test('of a large value no more is read than is kept', () => {
  let reads = 0
  const counting = new Proxy(Array<number>(1_000_000).fill(7), {
    get: (target, name, receiver) => {
      reads += 1
      return Reflect.get(target, name, receiver)
    },
  })
  assert.equal(encodeStart({ long: counting }, 20), '{"long":[7,7,7,7,7,7')
  assert.ok(reads < 200, String(reads))
})
