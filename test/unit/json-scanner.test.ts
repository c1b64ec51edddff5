import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type JsonBounds, JsonScanner } from '../../src/domain/values/json-scanner.ts'

const WIDE: JsonBounds = {
  depthMax: 1_000,
  containersMax: 1_000_000,
  valuesMax: 1_000_000,
  membersMax: 1_000_000,
}

function excessOf(text: string, bounds: Partial<JsonBounds>, cutAt = 0): string | null {
  const bytes = Buffer.from(text)
  const scanner = new JsonScanner({ ...WIDE, ...bounds })
  return scanner.scan(bytes.subarray(0, cutAt)) ?? scanner.scan(bytes.subarray(cutAt))
}

const CASES = [
  { name: 'depth', bound: 'depthMax', last: '[[[]]]', beyond: '[[[[]]]]' },
  { name: 'objects and lists', bound: 'containersMax', last: '[{},[]]', beyond: '[{},[],{}]' },
  { name: 'members and items', bound: 'valuesMax', last: '[1,2,3,4]', beyond: '[1,2,3,4,5]' },
  {
    name: 'members of one object',
    bound: 'membersMax',
    last: '{"a":1,"b":2,"c":3}',
    beyond: '{"a":1,"b":2,"c":3,"d":4}',
  },
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

test('a text is refused exactly when its value has more depth, containers or members than allowed', () => {
  const bounds = fc.record({ depthMax: fc.nat(6), containersMax: fc.nat(10), membersMax: fc.nat(6) })
  fc.assert(
    fc.property(fc.json(), bounds, fc.nat(100), (text, { depthMax, containersMax, membersMax }, cutAt) => {
      const { depth, containers, members } = measure(JSON.parse(text))
      const excess = excessOf(text, { depthMax, containersMax, membersMax }, cutAt)
      assert.equal(
        excess !== null,
        depth > depthMax || containers > containersMax || members > membersMax,
        `${String(excess)}: ${text}`,
      )
    }),
  )
})

type Measure = { readonly depth: number; readonly containers: number; readonly members: number }

/** `members` is the number of those of the object that has the most. */
function measure(value: unknown): Measure {
  if (typeof value !== 'object' || value === null) return { depth: 0, containers: 0, members: 0 }
  const inner = Object.values(value).map(measure)
  const own = Array.isArray(value) ? 0 : inner.length
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
    members: Math.max(own, ...inner.map(({ members }) => members)),
  }
}

/** An object of that many members; `value` is the text of each. */
function wide(members: number, value = '0'): string {
  return `{${Array.from({ length: members }, (_, at) => `"k${at}":${value}`).join()}}`
}

const PLACES: readonly (readonly [string, (object: string) => string, string])[] = [
  ['the text itself', (object) => object, ''],
  ['a member', (object) => `{"before":{"a":1},"data":${object}}`, 'data'],
  ['an item of a list', (object) => `[[],{"x":1},${object}]`, '[2]'],
  [
    'an entry',
    (object) => `{"nv":[{},{"a":{"b":[1,2]}},{"userID":"x","attributes":${object}}]}`,
    'nv[2].attributes',
  ],
  ['a list in a list', (object) => `{"a":[1,[2,"x",{"b":1},${object}]]}`, 'a[1][3]'],
  ['the object around another', (object) => `{"a":${object.slice(0, -1)},"last":{"b":1,"c":2}}}`, 'a'],
]
for (const [name, textOf, place] of PLACES)
  test(`the members of one object are counted, and its place is told: ${name}`, () => {
    const extra = name === 'the object around another' ? 1 : 0
    assert.equal(excessOf(textOf(wide(10 - extra)), { membersMax: 10 }), null)
    const bytes = Buffer.from(textOf(wide(11 - extra)))
    for (let cutAt = 0; cutAt <= bytes.length; cutAt++) {
      const scanner = new JsonScanner({ ...WIDE, membersMax: 10 })
      const excess = scanner.scan(bytes.subarray(0, cutAt)) ?? scanner.scan(bytes.subarray(cutAt))
      assert.deepEqual([excess, scanner.placeIn(bytes)], ['membersMax', place], `cut at ${cutAt}`)
    }
  })

test('members of different objects are not added up, and neither are items of a list', () => {
  const bounds = { membersMax: 3 }
  assert.equal(excessOf(`[${Array.from({ length: 500 }, () => wide(3)).join()}]`, bounds), null)
  assert.equal(excessOf(wide(3, wide(3, wide(3))), bounds), null)
  assert.equal(excessOf(`{"a":[${Array.from({ length: 500 }, () => '1').join()}],"b":1,"c":2}`, bounds), null)
  const entries = Array.from({ length: 1_000 }, (_, at) => (at === 999 ? wide(4) : wide(3)))
  assert.equal(excessOf(`{"nv":[${entries.join()}]}`, bounds), 'membersMax')
})

test('a colon in a text is no member', () => {
  assert.equal(excessOf('{"a:b:c":"d:e:f:\\":g"}', { membersMax: 1 }), null)
})

test('the place of an object is cut where its names are long, between two letters', () => {
  const text = `{"${'é'.repeat(300)}":{"b":${wide(2)}}}`
  const scanner = new JsonScanner({ ...WIDE, membersMax: 1 })
  const bytes = Buffer.from(text)
  assert.equal(scanner.scan(bytes), 'membersMax')
  assert.equal(scanner.placeIn(bytes), `${'é'.repeat(100)}.b`)
})

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
