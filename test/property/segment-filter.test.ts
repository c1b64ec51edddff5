import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeFilter, parseFilter } from '../../src/domain/segments/filter.ts'
import type { Filter } from '../../src/domain/segments/segment.ts'
import { matchFilter } from '../support/segments/match-filter.ts'
import { FILTER, MEMBER, NOW } from '../support/segments/segments.ts'

const PART = fc.constantFrom(
  'all',
  'any',
  'not',
  'tag',
  'users',
  'attribute',
  'event',
  'field',
  'segment',
  'is',
  'value',
  'count',
  'where',
  'x',
)

test('a filter survives being written down and read again', () => {
  fc.assert(
    fc.property(FILTER, (filter) => {
      assert.deepEqual(parseFilter(encodeFilter(filter), 'filter'), { ok: true, value: filter })
    }),
  )
})

test('any value at all is read or refused with a path, and never thrown at', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 12, key: PART }), (value) => {
      const parsed = parseFilter(value, 'filter')
      assert.ok(parsed.ok || parsed.rejection.faults.every(({ field }) => field?.startsWith('filter')))
    }),
  )
})

test('not turns an answer round, and all is not any of nots', () => {
  fc.assert(
    fc.property(FILTER, FILTER, MEMBER, (one, two, member) => {
      assert.equal(matchFilter(not(one), member, NOW), !matchFilter(one, member, NOW))
      assert.equal(
        matchFilter({ kind: 'all', of: [one, two] }, member, NOW),
        !matchFilter({ kind: 'any', of: [not(one), not(two)] }, member, NOW),
      )
    }),
  )
})

function not(of: Filter): Filter {
  return { kind: 'not', of }
}
