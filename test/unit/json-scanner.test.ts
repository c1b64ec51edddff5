import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type JsonBounds, JsonScanner } from '../../src/domain/values/json-scanner.ts'

const WIDE: JsonBounds = { depthMax: 1_000, containersMax: 1_000_000, valuesMax: 1_000_000 }

function excessOf(text: string, bounds: Partial<JsonBounds>, cutAt = 0): string | null {
  const bytes = Buffer.from(text)
  const scanner = new JsonScanner({ ...WIDE, ...bounds })
  return scanner.scan(bytes.subarray(0, cutAt)) ?? scanner.scan(bytes.subarray(cutAt))
}

const CASES = [
  { name: 'depth', bound: 'depthMax', last: '[[[]]]', beyond: '[[[[]]]]' },
  { name: 'objects and lists', bound: 'containersMax', last: '[{},[]]', beyond: '[{},[],{}]' },
  { name: 'members and items', bound: 'valuesMax', last: '[1,2,3,4]', beyond: '[1,2,3,4,5]' },
] as const

for (const { name, bound, last, beyond } of CASES) {
  test(`${name}: the last good text and the first too large`, () => {
    assert.equal(excessOf(last, { [bound]: 3 }), null)
    assert.equal(excessOf(beyond, { [bound]: 3 }), bound)
  })
}

test('brackets, commas and escaped quotes in a string are text, wherever the pieces are cut', () => {
  const text = String.raw`{"a":"[[[{{{,,,\"[[[\\","b":["\\\"[,"]}`
  for (let cutAt = 0; cutAt <= text.length; cutAt++) {
    assert.equal(excessOf(text, { depthMax: 2, containersMax: 2, valuesMax: 1 }, cutAt), null, `at ${cutAt}`)
  }
})

test('a text is refused exactly when its value has more depth or containers than allowed', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(6), fc.nat(10), (text, depthMax, containersMax) => {
      const { depth, containers } = measure(JSON.parse(text))
      const excess = excessOf(text, { depthMax, containersMax })
      assert.equal(excess !== null, depth > depthMax || containers > containersMax)
    }),
  )
})

function measure(value: unknown): { readonly depth: number; readonly containers: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, containers: 0 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
  }
}

const LONG = 1024 * 1024
const SLICE = 64 * 1024

/** The lists that a scanner finds long enough to be cut. */
function longListsOf(text: string): readonly { readonly cuts: readonly number[] }[] {
  const scanner = new JsonScanner(WIDE)
  assert.equal(scanner.scan(Buffer.from(text)), null)
  return scanner.longLists
}

/** An item of a list that takes so many bytes. */
function item(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`
}

test('a long list is cut at the first comma after a full slice, and a shorter list is not', () => {
  const rest = item(LONG - SLICE - 2)
  assert.deepEqual(longListsOf(`{"a":[${item(SLICE)},${rest}]}`), [])
  const [list, ...more] = longListsOf(`{"a":[${item(SLICE - 1)},1,${rest}]}`)
  assert.deepEqual(more, [])
  assert.deepEqual(list?.cuts, [6 + SLICE + 1])
  assert.deepEqual(longListsOf(`{"a":[${item(LONG)}]}`), [])
})

test('a long object is no list, and neither is a list further inside', () => {
  const long = `"${'x'.repeat(LONG)}"`
  assert.deepEqual(longListsOf(`{"a":{"b":${long},"c":1}}`), [])
  assert.deepEqual(longListsOf(`{"a":{"b":[${long},1]}}`), [])
  assert.deepEqual(longListsOf(`{"a":[1],"b":{"c":${long},"d":1}}`), [])
})
