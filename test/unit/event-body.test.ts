import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/domain/values/json.ts'
import { parseEventBody } from '../../src/http/events/body.ts'
import { CONTEXT_FIELDS, LTV_DEFAULT } from '../../src/rules/events.ts'
import {
  assertBad,
  assertGood,
  GOOD,
  NOON,
  parseNv,
  SETTINGS,
  withAttributes,
} from '../support/events/event-body.ts'

for (const body of [
  undefined,
  null,
  [],
  'nv',
  {},
  { nv: null },
  { nv: [] },
  { nv: { 0: GOOD } },
  { NV: [GOOD] },
]) {
  test(`a parameter is missing in ${JSON.stringify(body)}`, () => {
    const batch = parseEventBody(body, SETTINGS)
    assert.equal(batch.ok ? null : batch.rejection.faults[0].code, 'parameter_missing')
  })
}

const POISON = {
  'a NUL': '{"x":"a\\u0000b"}',
  'a lone surrogate': '{"x":"\\ud800"}',
  'a lone surrogate in a name': '{"\\udc00":1}',
  'a number beyond all': '{"x":1e400}',
  'a deep number beyond all': '{"x":{"y":[-1e400]}}',
  __proto__: '{"__proto__":1}',
  'a deep __proto__': '{"x":{"y":{"__proto__":{}}}}',
  'a list of scalars': '{"x":[1,2]}',
  'a mixed list': '{"x":[{},null]}',
  'a control character in a name': '{"a\\u0007":1}',
  'an empty name': '{"":1}',
}

for (const [kind, attributes] of Object.entries(POISON)) {
  test(`${kind} spoils its own entry and no other`, () => {
    const good = JSON.stringify(GOOD)
    const bad = `{"userID":"u1","event_name":"e","attributes":${attributes}}`
    const body = parseJson(`{"nv":[${[...Array(500).fill(good), bad, ...Array(499).fill(good)].join()}]}`)
    const batch = parseEventBody(body, SETTINGS)
    assert.ok(batch.ok)
    assert.equal(batch.value.entries.length, 999)
    assert.deepEqual(
      batch.value.refused.map((one) => one.index),
      [500],
    )
    assert.equal(Object.getPrototypeOf({}).polluted, undefined)
  })
}

test('an entry that carries __proto__ beside its fields is refused', () => {
  const [entry] = Object.values(
    parseJson(`[{"userID":"u","event_name":"e","attributes":{},"__proto__":{}}]`) ?? {},
  )
  assertBad(entry, { code: 'field_invalid', field: '__proto__' })
})

const MISSING = [
  { entry: { ...GOOD, userID: undefined }, code: 'field_missing', field: 'userID' },
  { entry: { ...GOOD, userID: null, email: 'a@b.example' }, code: 'field_missing', field: 'userID' },
  { entry: { ...GOOD, userID: '' }, code: 'field_invalid', field: 'userID' },
  { entry: { ...GOOD, userID: 7 }, code: 'field_type', field: 'userID' },
  { entry: { ...GOOD, event_name: undefined }, code: 'field_missing', field: 'event_name' },
  { entry: { ...GOOD, event_name: '' }, code: 'field_missing', field: 'event_name' },
  { entry: { ...GOOD, event_name: 5 }, code: 'field_type', field: 'event_name' },
  { entry: { ...GOOD, event_name: 'a.b' }, code: 'field_invalid', field: 'event_name' },
  { entry: { ...GOOD, event_name: 'line\nbreak' }, code: 'field_invalid', field: 'event_name' },
  { entry: { ...GOOD, event_name: '😀' }, code: 'field_invalid', field: 'event_name' },
  { entry: { ...GOOD, attributes: undefined }, code: 'field_missing', field: 'attributes' },
  { entry: { ...GOOD, attributes: [] }, code: 'field_type', field: 'attributes' },
  { entry: { ...GOOD, attributes: 'x' }, code: 'field_type', field: 'attributes' },
  { entry: { ...GOOD, ltv: '10,5' }, code: 'field_type', field: 'ltv' },
  { entry: { ...GOOD, ltv: '' }, code: 'field_type', field: 'ltv' },
  { entry: { ...GOOD, ltv: true }, code: 'field_type', field: 'ltv' },
  { entry: { ...GOOD, event_id: '' }, code: 'field_invalid', field: 'event_id' },
  { entry: { ...GOOD, event_id: 5 }, code: 'field_type', field: 'event_id' },
  { entry: 'text', code: 'field_type', field: 'nv[0]' },
  { entry: null, code: 'field_type', field: 'nv[0]' },
] as const

for (const { entry, code, field } of MISSING) {
  test(`${JSON.stringify(entry)} is refused for its ${field}`, () => assertBad(entry, { code, field }))
}

for (const name of ['Ordine_1', 'order-placed', 'commande passée', 'ऑर्डर', '注文', 'price', 'Price', 'a b']) {
  test(`${JSON.stringify(name)} is an event name`, () => {
    assert.equal(parseNv([{ ...GOOD, event_name: name }]).entries[0]?.name, name)
  })
}

for (const [ltv, expected] of [
  [undefined, LTV_DEFAULT],
  [null, LTV_DEFAULT],
  ['0', '0'],
  ['12.345', '12.345'],
  [99.5, '99.5'],
  ['-20', '-20'],
] as const) {
  test(`an ltv of ${JSON.stringify(ltv)} is worth ${expected}`, () => {
    assert.equal(parseNv([{ ...GOOD, ltv }]).entries[0]?.ltv, expected)
  })
}

const TIMES = [
  ['2026-11-14 23:59:59', '2026-11-14T23:59:59Z'],
  ['2024-02-29 00:00:00', '2024-02-29T00:00:00Z'],
  ['2026-11-14T23:59:59Z', '2026-11-14T23:59:59Z'],
  ['2026-11-14T23:59:59.250+05:30', '2026-11-14T18:29:59.250Z'],
  ['2026-11-14T23:59-0300', '2026-11-15T02:59:00Z'],
  ['2026-11-16 12:00:00', '2026-11-16T12:00:00Z'],
] as const

for (const [event_time, expected] of TIMES) {
  test(`${event_time} is ${expected}`, () => {
    assert.equal(parseNv([{ ...GOOD, event_time }]).entries[0]?.at, Date.parse(expected))
  })
}

for (const event_time of [
  '2026-02-30 10:00:00',
  '2025-02-29 10:00:00',
  '2026-11-14 24:00:00',
  '2026-11-14 23:59:60',
  '2026-13-01 00:00:00',
  '2026-11-14',
  '2026-11-14T10:00:00',
  '2026-11-14 10:00',
  '2026-11-14T10:00.5Z',
  '14-11-2026 10:00:00',
  '',
  1_700_000_000,
]) {
  test(`${JSON.stringify(event_time)} is no event time`, () => {
    assertBad({ ...GOOD, event_time }, { code: 'field_type', field: 'event_time' })
  })
}

test('an event may be as old as the year 1, on whatever clock it was read', () => {
  assertGood({ ...GOOD, event_time: '0001-01-01T00:00:00Z' })
  assertBad(
    { ...GOOD, event_time: '0001-01-01T00:00:00+00:01' },
    { code: 'field_invalid', field: 'event_time' },
  )
})

test('an event may be 24 hours ahead of us and not a second more', () => {
  assertGood({ ...GOOD, event_time: '2026-11-16 12:00:00' })
  assertBad({ ...GOOD, event_time: '2026-11-16 12:00:01' }, { code: 'field_invalid', field: 'event_time' })
})

test('an event without a time happens when it arrives', () => {
  assert.equal(parseNv([GOOD]).entries[0]?.at, NOON)
})

test('a time without an offset is read in the zone of the brand', () => {
  const settings = { ...SETTINGS, timeZone: 'Asia/Kolkata' }
  const [entry] = parseNv([{ ...GOOD, event_time: '2026-11-15 05:30:00' }], settings).entries
  assert.equal(entry?.at, Date.parse('2026-11-15T00:00:00Z'))
})

test('without merging an email is not looked at; with it, any one of the three identifies', () => {
  const settings = { ...SETTINGS, isMerging: true }
  assert.equal(parseNv([{ ...GOOD, email: 5 }]).entries[0]?.who.email, null)
  const { userID: _, ...nobody } = GOOD
  const [entry] = parseNv([{ ...nobody, email: ' Ann@Example.ORG ' }], settings).entries
  assert.deepEqual(entry?.who, { userId: null, email: 'ann@example.org', mobile: null })
  assert.equal(parseNv([{ ...nobody, mobile: '+4915112345678' }], settings).entries.length, 1)
  assert.equal(parseNv([nobody], settings).refused[0]?.fault.field, 'userID')
  assert.equal(parseNv([{ ...GOOD, email: 'no address' }], settings).refused[0]?.fault.field, 'email')
  assert.equal(parseNv([{ ...GOOD, mobile: '015112345678' }], settings).refused[0]?.fault.field, 'mobile')
})

test('a null attribute is absent, counts for no limit, and is named', () => {
  const { entries, warnings } = parseNv([withAttributes({ kept: 1, gone: null })])
  assert.deepEqual(entries[0]?.attributes, { kept: 1 })
  assert.deepEqual(entries[0]?.shape.types, ['number'])
  assert.deepEqual(
    warnings.map(({ index, field, code }) => ({ index, field, code })),
    [{ index: 0, field: 'attributes.gone', code: 'null_attribute' }],
  )
})

function texts(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, 'text']))
}

test('every field of the context is kept as it came', () => {
  const context = {
    ...texts(CONTEXT_FIELDS['']),
    platform: 'm-site',
    page: texts(CONTEXT_FIELDS.page),
    utm: texts(CONTEXT_FIELDS.utm),
  }
  const { entries, warnings } = parseNv([{ ...GOOD, context }])
  assert.deepEqual(entries[0]?.context, context)
  assert.deepEqual(warnings, [])
})

test('a context with strangers keeps the rest and names them', () => {
  const context = {
    language: 'en-GB',
    colour: 'red',
    ip_address: 5,
    platform: 'fridge',
    page: { url: 'https://x.example', title: 'X' },
    utm: 'none',
  }
  const { entries, warnings } = parseNv([{ ...GOOD, context }])
  assert.deepEqual(entries[0]?.context, { language: 'en-GB', page: { url: 'https://x.example' } })
  assert.deepEqual(warnings.map(({ field, code }) => `${field} ${code}`).toSorted(), [
    'context.colour unknown_field',
    'context.ip_address context_ignored',
    'context.page.title unknown_field',
    'context.platform context_ignored',
    'context.utm context_ignored',
  ])
  const { message } = warnings.find(({ field }) => field === 'context.platform') ?? {}
  assert.match(message ?? '', /must be one of website, m-site, android app, ios app\./)
})

test('unknown fields change nothing and are named', () => {
  const batch = parseEventBody({ nv: [{ ...GOOD, user_params: { a: 1 } }], extra: 1 }, SETTINGS)
  assert.ok(batch.ok)
  assert.equal(batch.value.entries.length, 1)
  assert.deepEqual(
    batch.value.warnings.map(({ index, field, code }) => ({ index, field, code })),
    [
      { index: undefined, field: 'extra', code: 'unknown_field' },
      { index: 0, field: 'user_params', code: 'unknown_field' },
    ],
  )
})

test('an integer beyond 2^53 keeps its digits', () => {
  const body = parseJson('{"nv":[{"userID":"u","event_name":"e","attributes":{"n":9223372036854775807}}]}')
  const batch = parseEventBody(body, SETTINGS)
  assert.ok(batch.ok)
  assert.deepEqual(batch.value.entries[0]?.attributes, { n: 9_223_372_036_854_775_807n })
  assert.deepEqual(batch.value.entries[0]?.shape.types, ['number'])
})
