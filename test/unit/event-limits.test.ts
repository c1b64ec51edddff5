import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEventBody } from '../../src/http/events/body.ts'
import { ATTRIBUTE_TYPES, type AttributeType, EVENT_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import {
  assertBad,
  assertGood,
  copies,
  GOOD,
  parseNv,
  SETTINGS,
  withAttributes,
} from '../support/events/event-body.ts'

const VALUES: Readonly<Record<AttributeType, unknown>> = {
  string: 'text',
  number: 1.5,
  boolean: true,
  date: '2026-02-28',
  object: { deep: [1, null, 'x'] },
  object_array: [{ a: 1 }, {}],
}

function many(type: AttributeType, count: number, prefix = type): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}_${at}`, VALUES[type]]))
}

for (const [type, { perEventMax, label }] of Object.entries(ATTRIBUTE_TYPES)) {
  test(`${perEventMax} attributes of type ${label} are the last that fit`, () => {
    if (!isType(type)) throw new Error(type)
    assertGood(withAttributes(many(type, perEventMax)))
    const { refused } = parseNv([withAttributes(many(type, perEventMax + 1))])
    assert.equal(refused[0]?.fault.code, 'too_many_attributes')
    assert.match(refused[0]?.fault.message ?? '', new RegExp(`${perEventMax} attributes of type ${label};`))
  })
}

function isType(name: string): name is AttributeType {
  return name in ATTRIBUTE_TYPES
}

test('255 attributes of mixed types fit, one more does not', () => {
  const { countMax: propertiesMax } = EVENT_ATTRIBUTES
  const strings = ATTRIBUTE_TYPES.string.perEventMax
  assertGood(withAttributes({ ...many('string', strings), ...many('number', propertiesMax - strings) }))
  assertBad(withAttributes({ ...many('string', strings), ...many('number', propertiesMax - strings + 1) }), {
    code: 'too_many_attributes',
    field: 'attributes',
  })
})

/** Texts of a length: each with the character it is made of. */
const LENGTHS = [
  { field: 'userID', max: EVENT_LIMITS.userIdCharsMax, code: 'field_invalid' },
  { field: 'event_name', max: EVENT_LIMITS.eventNameCharsMax, code: 'field_too_long' },
  { field: 'event_id', max: EVENT_LIMITS.eventIdCharsMax, code: 'field_too_long' },
] as const

for (const { field, max, code } of LENGTHS) {
  for (const letter of ['a', 'é', '𝒳']) {
    test(`${field} of ${max} characters ${letter} is the last that fits`, () => {
      assertGood({ ...GOOD, [field]: letter.repeat(max) })
      assertBad({ ...GOOD, [field]: letter.repeat(max + 1) }, { code, field })
    })
  }
}

test('an attribute name of 49 characters is the last that fits', () => {
  const max = EVENT_ATTRIBUTES.nameCharsMax
  for (const letter of ['n', '名', '𝒳']) {
    assertGood(withAttributes({ [letter.repeat(max)]: 1 }))
    const { refused } = parseNv([withAttributes({ [letter.repeat(max + 1)]: 1 })])
    assert.equal(refused[0]?.fault.code, 'attribute_name_too_long')
  }
})

test('a string value is bound by 254 characters and by 255 bytes', () => {
  const { stringCharsMax, stringBytesMax } = EVENT_ATTRIBUTES
  assert.ok(stringBytesMax !== null)
  const bad = { code: 'field_too_long', field: 'attributes.text' } as const
  assertGood(withAttributes({ text: 'a'.repeat(stringCharsMax) }))
  assertBad(withAttributes({ text: 'a'.repeat(stringCharsMax + 1) }), bad)
  assertGood(withAttributes({ text: 'é'.repeat((stringBytesMax - 1) / 2) }))
  assertGood(withAttributes({ text: `${'é'.repeat((stringBytesMax - 1) / 2)}a` }))
  assertBad(withAttributes({ text: 'é'.repeat((stringBytesMax + 1) / 2) }), bad)
  assertGood(withAttributes({ text: '名'.repeat(stringBytesMax / 3) }))
  assertBad(withAttributes({ text: `${'名'.repeat(stringBytesMax / 3)}a` }), bad)
})

test('an object nests 32 levels and not 33', () => {
  const nest = (levels: number): unknown => (levels === 1 ? {} : { in: nest(levels - 1) })
  const max = EVENT_ATTRIBUTES.objectDepthMax
  assertGood(withAttributes({ tree: nest(max) }))
  assertBad(withAttributes({ tree: nest(max + 1) }), { code: 'object_too_deep', field: 'attributes.tree' })
  assertGood(withAttributes({ list: [nest(max - 1)] }))
  assertBad(withAttributes({ list: [nest(max)] }), { code: 'object_too_deep', field: 'attributes.list' })
})

function filled(filler: string): object {
  return withAttributes({ blob: { filler } })
}

test('an entry takes 64 KiB and not one byte more', () => {
  const room = EVENT_LIMITS.entryBytesMax - JSON.stringify(filled('')).length
  assertGood(filled('x'.repeat(room)))
  assertBad(filled('x'.repeat(room + 1)), { code: 'entry_too_large', field: null })
})

test('a call holds 1000 entries and not 1001', () => {
  const max = EVENT_LIMITS.entriesMax
  assert.equal(parseNv(copies(max)).entries.length, max)
  const tooMany = parseEventBody({ nv: copies(max + 1) }, SETTINGS)
  assert.equal(tooMany.ok ? null : tooMany.rejection.faults[0].code, 'too_many_entries')
})

test('a name of spaces alone is refused, and one with a space in it is not', () => {
  for (const field of ['userID', 'event_name']) {
    assertBad({ ...GOOD, [field]: '  ' }, { code: 'field_invalid', field })
    assertGood({ ...GOOD, [field]: 'a b' })
  }
})

test('an empty list is an Array of Objects', () => {
  const { entries } = parseNv([withAttributes({ list: [] })])
  assert.deepEqual(entries[0]?.shape.types, ['object_array'])
})
