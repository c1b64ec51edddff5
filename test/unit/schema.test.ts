import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody, parseQuery, Type } from '../../src/http/schema/schema.ts'

const SCHEMA = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 3 }),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  place: Type.Optional(Type.Integer({ minimum: 1 })),
  color: Type.Optional(Type.Enum(['red', 'blue'])),
  zone: Type.Optional(
    Type.Union([Type.String({ maxLength: 2 }), Type.Null()], { description: 'A short zone.' }),
  ),
  steps: Type.Optional(Type.Array(Type.Object({ wait: Type.Boolean() }), { maxItems: 2 })),
  free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

type Found = { readonly field: string | null; readonly code: string; readonly message: string }

function faultsIn(body: unknown): readonly Found[] {
  const parsed = parseBody(SCHEMA, body)
  assert.equal(parsed.ok, false)
  return parsed.ok ? [] : parsed.rejection.faults
}

test('a body that fits comes back without its unknown fields, each of them named', () => {
  const parsed = parseBody(SCHEMA, {
    name: 'abc',
    x: 1,
    steps: [{ wait: true, y: { z: 1 } }],
    free: { any: 1 },
  })
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.value.value, { name: 'abc', steps: [{ wait: true }], free: { any: 1 } })
  assert.deepEqual(
    parsed.value.warnings.map(({ field, code }) => `${code} ${field}`),
    ['unknown_field x', 'unknown_field steps[0].y'],
  )
})

test('a body of nothing but rubbish is answered with a page of warnings at most', () => {
  const rubbish = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, 1]))
  const parsed = parseBody(SCHEMA, { name: 'a', ...rubbish })
  assert.ok(parsed.ok && parsed.value.warnings.length === 50)
})

test('texts and names that cannot be stored are found at any depth, and a page of them is named at most', () => {
  const bad = 'a\u0000'
  assert.deepEqual(
    faultsIn({ name: 'a', free: { x: [{ [bad]: 1 }], y: { z: [1, bad] }, good: [null, true] } }).map(
      ({ field }) => field,
    ),
    ['free.x[0]', 'free.y.z[1]'],
  )
  assert.equal(faultsIn({ name: 'a', free: { x: Array.from({ length: 50 }, () => bad) } }).length, 50)
  assert.equal(faultsIn({ name: 'a', free: { x: Array.from({ length: 51 }, () => bad) } }).length, 50)
})

test('__proto__ is an unknown field like any other', () => {
  const parsed = parseBody(SCHEMA, JSON.parse('{"name":"a","__proto__":{"size":3},"free":{"__proto__":1}}'))
  assert.ok(parsed.ok)
  assert.equal(parsed.value.value.size, undefined)
  assert.deepEqual(
    parsed.value.warnings.map(({ field }) => field),
    ['__proto__'],
  )
})

const CASES: readonly (readonly [string, unknown, Found])[] = [
  ['a missing field', {}, { field: 'name', code: 'field_missing', message: 'name is required.' }],
  ['another type', { name: 7 }, { field: 'name', code: 'field_type', message: 'name must be a string.' }],
  [
    'a text too long, in code points',
    { name: '👍👍👍👍' },
    {
      field: 'name',
      code: 'field_too_long',
      message: 'name may have at most 3 characters; this one has 4.',
    },
  ],
  [
    'an empty text',
    { name: '' },
    { field: 'name', code: 'field_empty', message: 'name is empty. Give it a value, or leave it out.' },
  ],
  [
    'a number too large',
    { name: 'a', size: 11 },
    { field: 'size', code: 'field_out_of_range', message: 'size must be between 1 and 10.' },
  ],
  [
    'a number below the only bound there is',
    { name: 'a', place: 0 },
    { field: 'place', code: 'field_out_of_range', message: 'place must be between 1 and 9007199254740991.' },
  ],
  [
    'a fraction',
    { name: 'a', size: 1.5 },
    { field: 'size', code: 'field_type', message: 'size must be a whole number.' },
  ],
  [
    'a word not on the list',
    { name: 'a', color: 'green' },
    { field: 'color', code: 'field_invalid', message: 'color is not valid: it must be one of red, blue.' },
  ],
  [
    'a choice none of whose forms fits',
    { name: 'a', zone: 'abc' },
    { field: 'zone', code: 'field_invalid', message: 'zone is not valid: it must be a short zone.' },
  ],
  [
    'a fault inside a list',
    { name: 'a', steps: [{ wait: true }, { wait: 1 }] },
    { field: 'steps[1].wait', code: 'field_type', message: 'steps[1].wait must be true or false.' },
  ],
  [
    'a list too long',
    { name: 'a', steps: [{ wait: true }, { wait: true }, { wait: true }] },
    { field: 'steps', code: 'field_too_long', message: 'steps may have at most 2 items; this one has 3.' },
  ],
  [
    'a NUL deep inside',
    { name: 'a', free: { x: ['\u0000'] } },
    {
      field: 'free.x[0]',
      code: 'field_invalid',
      message: 'free.x[0] is not valid: it contains a NUL character.',
    },
  ],
]
for (const [name, body, expected] of CASES)
  test(`${name} is named with its field, a code and a sentence`, () => {
    assert.deepEqual(faultsIn(body), [expected])
  })

test('a query is read as what its schema wants', () => {
  const query = Type.Object({
    limit: Type.Optional(Type.Integer()),
    on: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String()),
  })
  const parsed = parseQuery(query, new URLSearchParams('limit=5&limit=7&on=true&q=7&x=1'))
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.value.value, { limit: 7, on: true, q: '7' })
  assert.deepEqual(
    parsed.value.warnings.map(({ field }) => field),
    ['x'],
  )
  assert.equal(parseQuery(query, new URLSearchParams('limit=seven')).ok, false)
})

const FAULTS_OF_STEPS = new Map([
  ['steps', 'field_too_long'],
  ['steps[1].wait', 'field_type'],
])

test('of a list with too many items no more than one too many is looked at, and the fault tells how many there are', () => {
  const rest = Array.from({ length: 997 }, () => ({
    get wait(): boolean {
      throw new Error('an item beyond the limit was read')
    },
  }))
  const steps = [{ wait: true }, { wait: 1 }, { wait: true }, ...rest]
  const faults = faultsIn({ name: 'abc', steps })
  assert.deepEqual(new Map(faults.map(({ field, code }) => [field, code])), FAULTS_OF_STEPS)
  assert.match(faults.find(({ field }) => field === 'steps')?.message ?? '', /1000/)
})
