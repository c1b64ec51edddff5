import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFilter, parseFilter } from '../../src/domain/segments/filter.ts'
import { inlineSegments, referenceFaults } from '../../src/domain/segments/references.ts'
import type { WrittenFilter } from '../../src/domain/segments/segment.ts'
import { parseJson } from '../../src/domain/values/json.ts'
import { DOCUMENT_FAULTS_MAX } from '../../src/rules/documents.ts'
import { SEGMENT_LIMITS } from '../../src/rules/segments.ts'
import { type Member, matchFilter } from '../support/segments/match-filter.ts'

function parsed(value: unknown) {
  const filter = parseFilter(value, 'filter')
  assert.ok(filter.ok, filter.ok ? '' : JSON.stringify(filter.rejection.faults))
  return filter.value
}

function matches(filter: WrittenFilter, member: Member): boolean {
  return matchFilter(inlineSegments(filter, new Map()), member, NOW)
}

function badPaths(value: unknown): readonly (string | null)[] {
  const filter = parseFilter(value, 'filter')
  return filter.ok ? [] : filter.rejection.faults.map(({ field }) => field)
}

/** `not` within `not`, with a condition at the bottom. */
function nested(levels: number): unknown {
  return levels === 1 ? { tag: 'vip' } : { not: nested(levels - 1) }
}

function tags(count: number): unknown {
  return { any: Array.from({ length: count }, (_, at) => ({ tag: `t${at}` })) }
}

function users(count: number): unknown {
  return { users: Array.from({ length: count }, (_, at) => `u${at}`) }
}

const NOW = Date.parse('2026-03-01T12:00:00Z')
const NOBODY = { userIds: [], tags: [], attributes: {}, events: [], facts: {} }
const ADA = { ...NOBODY, userIds: ['u1'], tags: ['vip', 'beta'] }
const ANONYMOUS = { ...NOBODY, tags: ['beta'] }

test('a filter is a tree of conditions', () => {
  const filter = parsed({
    all: [{ tag: 'beta' }, { any: [{ users: ['u1', 'u2'] }, { not: { tag: 'beta' } }] }],
  })
  assert.equal(matches(filter, ADA), true)
  assert.equal(matches(filter, ANONYMOUS), false)
})

test('a fixed list is a filter, also an empty one, and names each user once', () => {
  assert.deepEqual(parsed({ users: ['u1', 'u2', 'u1'] }), { kind: 'users', userIds: ['u1', 'u2'] })
  assert.equal(matches(parsed({ users: [] }), ADA), false)
})

test('a refusal names the path of every bad node', () => {
  assert.deepEqual(badPaths({ all: [{ tag: 'a' }, { tag: 5 }, { any: [{ users: ['u1', ''] }] }] }), [
    'filter.all[1].tag',
    'filter.all[2].any[0].users[1]',
  ])
})

test('what is no filter is refused where it stands', () => {
  for (const value of [null, 5, 'vip', [], {}, { tag: 'a', users: [] }, { colour: 'red' }, [{ tag: 'a' }]]) {
    assert.deepEqual(badPaths(value), ['filter'])
  }
  assert.deepEqual(badPaths(parseJson('{"__proto__":[]}')), ['filter'])
  assert.deepEqual(badPaths({ constructor: [] }), ['filter'])
})

test('a refusal of an unknown key says what to write instead', () => {
  const sentences = [
    { attribute: 'city', equals: 'Paris' },
    { event: 'purchase', times: 2 },
    { tag: 'vip', is: 'eq' },
  ].map((value) => {
    const filter = parseFilter(value, 'filter')
    return filter.ok ? '' : filter.rejection.faults[0].message
  })
  assert.deepEqual(sentences, [
    'The filter is not valid at filter: unknown key `equals`; write `"is": "eq", "value": …`.',
    'The filter is not valid at filter: unknown key `times`; beside event write count, within_days, where.',
    'The filter is not valid at filter: unknown key `is`; tag stands alone.',
  ])
})

test('a group of nothing is refused: it would mean everybody or nobody', () => {
  assert.deepEqual(badPaths({ all: [] }), ['filter.all'])
  assert.deepEqual(badPaths({ any: [] }), ['filter.any'])
  assert.deepEqual(badPaths({ not: [] }), ['filter.not'])
})

test('a filter has its largest depth and one level more is refused', () => {
  assert.deepEqual(badPaths(nested(SEGMENT_LIMITS.depthMax)), [])
  assert.equal(badPaths(nested(SEGMENT_LIMITS.depthMax + 1)).length, 1)
})

test('a filter has its largest number of nodes and one more is refused', () => {
  assert.deepEqual(badPaths(tags(SEGMENT_LIMITS.nodesMax - 1)), [])
  assert.deepEqual(badPaths(tags(SEGMENT_LIMITS.nodesMax)), [`filter.any[${SEGMENT_LIMITS.nodesMax - 1}]`])
})

test('names are as long as allowed and no longer, without NUL or half surrogates', () => {
  assert.deepEqual(badPaths({ tag: '😀'.repeat(SEGMENT_LIMITS.tagCharsMax) }), [])
  assert.deepEqual(badPaths({ tag: '😀'.repeat(SEGMENT_LIMITS.tagCharsMax + 1) }), ['filter.tag'])
  assert.deepEqual(badPaths({ tag: 'a\u0000' }), ['filter.tag'])
  assert.deepEqual(badPaths({ users: ['\ud800'] }), ['filter.users[0]'])
})

test('a list is as long as allowed and no longer', () => {
  assert.deepEqual(badPaths(users(SEGMENT_LIMITS.usersMax)), [])
  assert.deepEqual(badPaths(users(SEGMENT_LIMITS.usersMax + 1)), ['filter.users'])
})

test('a refusal of a bad list stays short', () => {
  assert.equal(badPaths({ users: Array.from({ length: 1_000 }, () => 5) }).length, DOCUMENT_FAULTS_MAX)
})

test('the stored form is the written form', () => {
  const written = {
    all: [
      { any: [{ tag: 'a' }, { users: ['u1'] }, { segment: 42n }] },
      { not: { attribute: 'city', is: 'in', value: ['Paris', 7, true] } },
      {
        event: 'buy',
        count: { gte: 2 },
        within_days: 30,
        where: [{ attribute: 'price', is: 'gt', value: 9.5 }],
      },
      { field: 'last_seen', is: 'before', value: '2026-01-01' },
    ],
  }
  assert.deepEqual(encodeFilter(parsed(written)), written)
  assert.deepEqual(encodeFilter(parsed({ event: 'buy' })), { event: 'buy', count: { gte: 1 } })
})

test('every kind of condition has its own refusals, by path', () => {
  const refusals: readonly (readonly [unknown, string])[] = [
    [{ attribute: 'city' }, 'filter.is'],
    [{ attribute: 'city', is: 'like', value: 'x' }, 'filter.is'],
    [{ attribute: 'a'.repeat(SEGMENT_LIMITS.attributeCharsMax + 1), is: 'exists' }, 'filter.attribute'],
    [{ attribute: 'city', is: 'eq', value: {} }, 'filter.value'],
    [{ attribute: 'city', is: 'exists', value: 1 }, 'filter.value'],
    [{ attribute: 'age', is: 'gt', value: '5' }, 'filter.value'],
    [{ attribute: 'age', is: 'gt', value: Number.POSITIVE_INFINITY }, 'filter.value'],
    [{ attribute: 'city', is: 'in', value: [] }, 'filter.value'],
    [{ attribute: 'city', is: 'in', value: ['a', null] }, 'filter.value[1]'],
    [{ attribute: 'born', is: 'before', value: '2026-02-30' }, 'filter.value'],
    [{ attribute: 'born', is: 'within_days', value: 0 }, 'filter.value'],
    [{ attribute: 'born', is: 'within_days', value: SEGMENT_LIMITS.daysMax + 1 }, 'filter.value'],
    [{ attribute: 'city', is: 'exists', count: 1 }, 'filter'],
    [{ event: '' }, 'filter.event'],
    [{ event: 'buy', count: 2 }, 'filter.count'],
    [{ event: 'buy', count: { gte: -1 } }, 'filter.count'],
    [{ event: 'buy', count: { gte: 1, lte: 2 } }, 'filter.count'],
    [{ event: 'buy', within_days: 1.5 }, 'filter.within_days'],
    [{ event: 'buy', where: [{ tag: 'x' }] }, 'filter.where[0]'],
    [{ event: 'buy', where: [{ attribute: 'a', is: 'eq' }] }, 'filter.where[0].value'],
    [{ field: 'height', is: 'eq', value: 1 }, 'filter.field'],
    [{ field: 'platform', is: 'gt', value: 1 }, 'filter.is'],
    [{ field: 'platform', is: 'eq', value: 1 }, 'filter.value'],
    [{ field: 'ltv', is: 'eq', value: '1' }, 'filter.value'],
    [{ segment: 1.5 }, 'filter.segment'],
    [{ segment: '9223372036854775808' }, 'filter.segment'],
  ]
  for (const [filter, path] of refusals) assert.deepEqual(badPaths(filter), [path], JSON.stringify(filter))
})

test('ne wants another value, and not with eq takes who has none as well', () => {
  const rome = { ...NOBODY, attributes: { city: 'Rome' } }
  const other = parsed({ attribute: 'city', is: 'ne', value: 'Paris' })
  const anything = parsed({ not: { attribute: 'city', is: 'eq', value: 'Paris' } })
  assert.deepEqual([matches(other, rome), matches(other, NOBODY)], [true, false])
  assert.deepEqual([matches(anything, rome), matches(anything, NOBODY)], [true, true])
})

test('a text that looks like a number is not one, and 2^53 + 1 is not 2^53', () => {
  const member = { ...NOBODY, attributes: { age: '7', big: 9007199254740993n } }
  assert.equal(matches(parsed({ attribute: 'age', is: 'gt', value: 1 }), member), false)
  assert.equal(matches(parsed({ attribute: 'big', is: 'eq', value: 9007199254740992 }), member), false)
  assert.equal(matches(parsed({ attribute: 'big', is: 'gt', value: 9007199254740992 }), member), true)
})

const REFERENCES = {
  graph: new Map([
    [1n, [2n]],
    [2n, [3n]],
  ]),
  known: new Set([1n, 2n, 3n, 4n]),
}
const pathsOf = (filter: unknown, self: bigint | null): readonly (string | null)[] =>
  referenceFaults(parsed(filter), { self, ...REFERENCES }).map(({ field }) => field)

test('a segment cannot refer to itself, straight or round a corner, nor to one that is not there', () => {
  assert.deepEqual(pathsOf({ any: [{ segment: 3 }, { segment: 4 }] }, 3n), ['filter.any[0].segment'])
  assert.deepEqual(pathsOf({ not: { segment: 1 } }, 3n), ['filter.not.segment'])
  assert.deepEqual(pathsOf({ segment: 99 }, null), ['filter.segment'])
  assert.deepEqual(pathsOf({ segment: 4 }, 3n), [])
})

test('references reach only so far, counted from whatever leads to a segment', () => {
  const chain = new Map([
    [1n, [2n]],
    [2n, [3n]],
    [3n, [4n]],
  ])
  const faults = (filter: unknown, self: bigint | null) =>
    referenceFaults(parsed(filter), { self, graph: chain, known: new Set([1n, 2n, 3n, 4n, 5n]) })
  assert.equal(SEGMENT_LIMITS.referenceDepthMax, 4)
  assert.equal(faults({ segment: 1 }, null).length, 0)
  assert.equal(faults({ segment: 5 }, 4n).length, 0)
  chain.set(5n, [1n])
  assert.equal(faults({ segment: 5 }, null).length, 1)
  assert.equal(faults({ any: Array.from({ length: 6 }, () => ({ segment: 4 })) }, null).length, 1)
})

function times(count: number, id: number): readonly object[] {
  return Array.from({ length: count }, () => ({ segment: id }))
}

test('a segment brings along only so many others, each as often as it is referred to', () => {
  const max = SEGMENT_LIMITS.broughtMax
  // 1 brings five, and whoever refers to 1 once brings six.
  const graph = new Map([[1n, [2n, 3n, 4n, 5n, 5n]]])
  const known = new Set([1n, 2n, 3n, 4n, 5n, 6n])
  const faults = (filter: unknown, self: bigint | null) =>
    referenceFaults(parsed(filter), { self, graph, known }).map(({ field }) => field)
  assert.equal(max, 10)
  assert.deepEqual(faults({ any: [...times(1, 1), ...times(4, 2)] }, null), [])
  assert.deepEqual(faults({ any: times(2, 1) }, null), ['filter'])
  graph.set(6n, [1n])
  assert.deepEqual(faults({ any: times(4, 2) }, 3n), [], '6 brings ten, through 1 and 3')
  assert.deepEqual(faults({ any: times(5, 2) }, 3n), ['filter'], '6 would bring eleven')
})

test('a change that makes nothing worse is taken where there were too many before', () => {
  const { broughtMax, referencesMax, referenceDepthMax } = SEGMENT_LIMITS
  // 1 refers to 2 so often that it brings one too many; 2 and 3 are its leaves.
  const graph = new Map([
    [1n, Array.from({ length: broughtMax / 2 }, () => 2n).concat(3n)],
    [2n, [3n]],
  ])
  const known = new Set([1n, 2n, 3n, 4n])
  const faults = (filter: unknown, self: bigint) =>
    referenceFaults(parsed(filter), { self, graph, known }).map(({ field }) => field)
  assert.deepEqual(faults({ tag: 'x' }, 3n), [], 'below it something else changes')
  assert.deepEqual(faults({ any: times(1, 4) }, 2n), [], 'one is there in place of another')
  assert.deepEqual(faults({ any: times(2, 4) }, 2n), ['filter'], 'it would bring more than it does')
  assert.deepEqual(faults({ any: [...times(referencesMax, 2), ...times(1, 4)] }, 1n), [], 'as many as before')
  assert.deepEqual(faults({ any: times(referencesMax + 2, 3) }, 1n), ['filter'])
  // A row that is one too long, and its last but one.
  const row = Array.from({ length: referenceDepthMax + 2 }, (_, at) => BigInt(at + 10))
  for (const [at, id] of row.slice(0, -1).entries()) graph.set(id, [row[at + 1] ?? 0n])
  const [last, beforeLast] = row.toReversed().map((id) => known.add(id) && id)
  const inRow = (filter: object, self: bigint | undefined) => faults(filter, self ?? 0n)
  assert.deepEqual(inRow({ any: times(1, 3) }, beforeLast), [])
  assert.deepEqual(inRow({ any: times(1, 3) }, last), ['filter.any[0].segment'])
})

test('a reference stands for the filter it names', () => {
  const others = new Map([[1n, parsed({ tag: 'vip' })]])
  const filter = inlineSegments(parsed({ not: { segment: 1 } }), others)
  assert.deepEqual(filter, { kind: 'not', of: { kind: 'tag', tag: 'vip' } })
})
