import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '../../src/domain/json.ts'
import { matchFilter } from '../../src/domain/segment.ts'
import { encodeFilter, parseFilter } from '../../src/domain/segment-filter.ts'
import { SEGMENT_CONDITIONS, SEGMENT_LIMITS } from '../../src/rules/segment-limits.ts'

function parsed(value: unknown) {
  const filter = parseFilter(value, 'filter')
  assert.ok(filter.ok, filter.ok ? '' : JSON.stringify(filter.rejection.faults))
  return filter.value
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

const ADA = { userIds: ['u1'], tags: ['vip', 'beta'] }
const ANONYMOUS = { userIds: [], tags: ['beta'] }

test('a filter is a tree of conditions', () => {
  const filter = parsed({
    all: [{ tag: 'beta' }, { any: [{ users: ['u1', 'u2'] }, { not: { tag: 'beta' } }] }],
  })
  assert.equal(matchFilter(filter, ADA), true)
  assert.equal(matchFilter(filter, ANONYMOUS), false)
})

test('a fixed list is a filter, also an empty one, and names each user once', () => {
  assert.deepEqual(parsed({ users: ['u1', 'u2', 'u1'] }), { kind: 'users', userIds: ['u1', 'u2'] })
  assert.equal(matchFilter(parsed({ users: [] }), ADA), false)
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
  assert.equal(badPaths({ users: Array.from({ length: 1_000 }, () => 5) }).length, SEGMENT_LIMITS.faultsMax)
})

test('the stored form is the written form', () => {
  const written = { all: [{ any: [{ tag: 'a' }, { users: ['u1'] }] }, { not: { tag: 'b' } }] }
  assert.deepEqual(encodeFilter(parsed(written)), written)
  assert.deepEqual(Object.keys(SEGMENT_CONDITIONS), ['all', 'any', 'not', 'tag', 'users'])
})
