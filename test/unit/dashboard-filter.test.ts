import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from '../../src/domain/segments/filter.ts'
import type { DocumentShape } from '../../src/rules/documents.ts'
import {
  SEGMENT_CONDITIONS,
  SEGMENT_COUNTS,
  SEGMENT_FACTS,
  SEGMENT_OPERATORS,
} from '../../src/rules/segments.ts'
import { BeckonError } from '../../web/client/failure.ts'
import type { Json } from '../../web/client/json.ts'
import { faultsOf } from '../../web/dashboard/kit/filter/faults-of.ts'
import { filterIn, filterWord } from '../../web/dashboard/kit/filter/filter-word.ts'
import { sentenceOf } from '../../web/dashboard/kit/filter/sentence.ts'
import {
  labelsOf,
  numberIn,
  textOf,
  typeOfValue,
  userIdsIn,
  valueIn,
  valuesOf,
} from '../../web/dashboard/kit/filter/values.ts'
import {
  blanksIn,
  countOf,
  filterOf,
  isFact,
  joinOf,
  listOf,
  newLeaf,
  partsOf,
  peel,
  SUBJECTS,
  shapeOf,
  subjectOf,
  type Written,
  withCount,
  withDays,
  withOperator,
  withWhere,
  wrap,
} from '../../web/dashboard/kit/filter/written.ts'

test('the menu of the builder has every condition and fact of the filter language', () => {
  const offered = new Set<string>(Object.values(SUBJECTS).flat())
  const groups = new Set(['all', 'any', 'not', 'field'])
  const conditions = Object.keys(SEGMENT_CONDITIONS).filter((name) => !groups.has(name))
  assert.deepEqual(offered, new Set([...conditions, ...Object.keys(SEGMENT_FACTS)]))
})

test('a filter of every kind is built anew by the steps of the builder, unchanged', () => {
  for (const filter of everyFilter()) {
    assert.ok(parseFilter(filter, 'filter').ok, `the API would refuse ${JSON.stringify(filter, digits)}`)
    assert.deepEqual(rebuilt(filter), filter)
    assert.deepEqual(blanksIn(filter), [])
  }
})

test('every kind reads as a sentence in both languages', () => {
  for (const filter of everyFilter()) {
    for (const language of ['en', 'de'] as const) {
      const sentence = sentenceOf(filterOf(filter), language, (id) => `S${id}`)
      assert.doesNotMatch(sentence, /undefined|null|\[object|…| {2}/, sentence)
      assert.ok(sentence.length > 12, sentence)
    }
  }
})

test('a filter reads as people say it', () => {
  const filter = filterOf({
    all: [
      { attribute: 'city', is: 'eq', value: 'Paris' },
      { event: 'purchase', count: { gte: 2 }, within_days: 30 },
      { any: [{ tag: 'vip' }, { not: { segment: 7 } }] },
    ],
  })
  assert.equal(
    sentenceOf(filter, 'en', () => 'Winners'),
    'People whose city is Paris and who did purchase at least 2 times in the last 30 days and (who have the tag “vip” or not those who are in “Winners”)',
  )
  assert.equal(
    sentenceOf(filter, 'de', () => 'Gewinner'),
    'Personen, deren city Paris ist und die purchase mindestens 2-mal in den letzten 30 Tagen getan haben und (die das Schlagwort „vip“ haben oder nicht die, die in „Gewinner“ sind)',
  )
})

test('a filter that begins with "not" begins with everybody', () => {
  const filter = filterOf({ not: { tag: 'vip' } })
  assert.equal(
    sentenceOf(filter, 'en', () => ''),
    'Everybody, but not those who have the tag “vip”',
  )
  assert.equal(
    sentenceOf(filter, 'de', () => ''),
    'Alle, aber nicht die, die das Schlagwort „vip“ haben',
  )
})

test('what is still to be said is named by its path', () => {
  const draft = { all: [newLeaf('tag'), { not: newLeaf('attribute') }, { any: [] }, newLeaf('segment')] }
  assert.deepEqual(blanksIn(draft), [
    'filter.all[0].tag',
    'filter.all[1].not.attribute',
    'filter.all[1].not.value',
    'filter.all[2].any',
    'filter.all[3].segment',
  ])
})

test('another operator keeps the value as far as it can', () => {
  const leaf = { attribute: 'plan', is: 'eq', value: 'gold' }
  assert.deepEqual(withOperator(leaf, 'in'), { attribute: 'plan', is: 'in', value: ['gold'] })
  assert.deepEqual(withOperator(leaf, 'gt'), { attribute: 'plan', is: 'gt', value: null })
  assert.deepEqual(withOperator(leaf, 'exists'), { attribute: 'plan', is: 'exists' })
  assert.deepEqual(withOperator(withOperator(leaf, 'in'), 'ne'), { ...leaf, is: 'ne' })
})

test('what a reply says of a filter has places from filter on, whichever field of the request had it', () => {
  const details = [
    { field: 'people.all[1].value', message: 'a' },
    { field: 'people', message: 'b' },
    { field: 'people_max', message: 'c' },
    { field: null, message: 'd' },
  ].map((one) => ({ ...one, code: 'filter_invalid' }))
  const refused = new BeckonError({ status: 400, retryAfterMs: null, reply: { errors: details } })
  const places = (field?: string) => faultsOf(refused, undefined, field).map((one) => one.field)
  assert.deepEqual(places('people'), ['filter.all[1].value', 'filter'])
  assert.deepEqual(places(), [])
})

test('a filter goes into an address and comes back; one that was cut or is too long does not', () => {
  const filter = filterOf({ attribute: 'code', is: 'eq', value: LONG })
  const word = filterWord(filter) ?? ''
  assert.deepEqual(filterIn(word), filter)
  for (const cut of [undefined, '', word.slice(0, -2), 'null', '[]', '7']) assert.equal(filterIn(cut), null)
  assert.equal(filterWord({ users: Array.from({ length: 1000 }, (_, at) => `u-${at}`) }), null)
})

/** One filter for each condition, operator and type of value, alone and in groups. */
function everyFilter(): readonly Written[] {
  const attributes = Object.entries(SEGMENT_OPERATORS).flatMap(([is, shape]) =>
    samplesOf(shape).map((value) => ({ attribute: 'age', is, ...value })),
  )
  const facts = Object.entries(SEGMENT_FACTS).flatMap(([field, operators]) =>
    Object.entries(operators).flatMap(([is, shape]) =>
      samplesOf(shape).map((value) => ({ field, is, ...value })),
    ),
  )
  const events = SEGMENT_COUNTS.flatMap((is) => [
    { event: 'order placed', count: { [is]: 0 } },
    { event: 'order placed', count: { [is]: 3 }, within_days: 30 },
  ])
  const where = attributes.slice(0, 10)
  const leaves: readonly Written[] = [
    ...attributes,
    ...facts,
    ...events,
    { event: 'order placed' },
    { event: 'order placed', where },
    { tag: '<img src=x onerror=alert(1)>' },
    { users: [] },
    { users: ['u-1', 'u 2'] },
    { segment: 100 },
    { segment: LONG },
  ]
  const groups: readonly Written[] = [
    { all: leaves },
    { any: [{ all: leaves.slice(0, 3) }, { not: { any: leaves.slice(3, 5) } }] },
    { not: { not: { tag: 'vip' } } },
    { all: [{ all: [{ tag: 'vip' }] }] },
  ]
  return [...leaves, ...groups]
}

function samplesOf(shape: DocumentShape | null): readonly Written[] {
  if (shape === null) return [{}]
  return valuesFor(shape).map((value) => ({ value }))
}

function valuesFor(shape: DocumentShape): readonly Json[] {
  if (shape.type === 'list') return [valuesFor(shape.of), valuesFor(shape.of).slice(0, 1)]
  const values = SAMPLES.get(shape.type)
  assert.ok(values !== undefined, `no sample of ${shape.type}`)
  return values
}

const LONG = 9_007_199_254_740_993n
const SAMPLES = new Map<string, readonly Json[]>([
  ['text', ['Paris', '18']],
  ['number', [18, -2.5, LONG]],
  ['integer', [7]],
  ['date', ['2026-12-31', '2026-12-31T12:00:00+02:00']],
  ['scalar', ['gold', '', '18', 18, true, false, LONG]],
])

/** Builds a filter from nothing, by what the fields of the builder show of the given one. */
function rebuilt(written: Written): Written {
  const { nots, core } = peel(written)
  const join = joinOf(core)
  return wrap(join === null ? rebuiltLeaf(core) : { [join]: partsOf(core).map(rebuilt) }, nots)
}

function rebuiltLeaf(leaf: Written): Written {
  const subject = subjectOf(leaf)
  assert.ok(subject !== null)
  const fresh = newLeaf(subject)
  if (subject === 'event') return rebuiltEvent(leaf, fresh)
  if (subject === 'users') return { users: userIdsIn(linesOf(leaf['users'])) }
  if (subject === 'tag' || subject === 'segment') return { ...fresh, [subject]: leaf[subject] }
  const named = isFact(subject) ? fresh : { ...fresh, attribute: textOf(leaf['attribute']) }
  const compared = withOperator(named, textOf(leaf['is']))
  const shape = shapeOf(compared)
  return shape === null ? compared : { ...compared, value: typedAgain(leaf['value'], shape) }
}

function rebuiltEvent(leaf: Written, fresh: Written): Written {
  const named = { ...fresh, event: textOf(leaf['event']) }
  const counted = leaf['count'] === undefined ? named : withCount(named, countOf(leaf))
  const days = leaf['within_days']
  const timed = typeof days === 'number' ? withDays(counted, days) : counted
  return withWhere(timed, listOf(leaf['where']).map(rebuiltLeaf))
}

function linesOf(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(textOf).join('\n') : ''
}

/** The value that comes of typing what the field shows. */
function typedAgain(value: Json | undefined, shape: DocumentShape): Json {
  if (shape.type === 'list' && Array.isArray(value)) {
    // Values of several types keep theirs; those of one type can be typed from nothing.
    const types = new Set(value.map((one) => typeOfValue(one)))
    const before = types.size > 1 ? value : []
    return valuesOf(labelsOf(value), { before, type: typeOfValue(value) ?? 'text' })
  }
  if (shape.type === 'number' || shape.type === 'integer') return numberIn(textOf(value))
  return shape.type === 'scalar' ? valueIn(textOf(value), typeOfValue(value) ?? 'text') : textOf(value)
}

function digits(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
