import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type Filter, matchFilter } from '../../src/domain/segment.ts'
import { encodeFilter, parseFilter } from '../../src/domain/segment-filter.ts'

const PLAIN = { noNullPrototype: true } as const
const NAME = fc.constantFrom('a', 'b', 'c', '😀')

const FILTER = fc.letrec<{ filter: Filter; group: Filter; leaf: Filter }>((tie) => ({
  filter: fc.oneof({ depthSize: 'small', maxDepth: 4 }, tie('leaf'), tie('group')),
  leaf: fc.oneof(
    fc.record({ kind: fc.constant('tag' as const), tag: NAME }, PLAIN),
    fc.record(
      { kind: fc.constant('users' as const), userIds: fc.uniqueArray(NAME, { maxLength: 3 }) },
      PLAIN,
    ),
  ),
  group: fc.oneof(
    fc.record(
      {
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      },
      PLAIN,
    ),
    fc.record({ kind: fc.constant('not' as const), of: tie('filter') }, PLAIN),
  ),
})).filter

const MEMBER = fc.record({ userIds: fc.uniqueArray(NAME), tags: fc.uniqueArray(NAME) })

test('a filter survives being written down and read again', () => {
  fc.assert(
    fc.property(FILTER, (filter) => {
      assert.deepEqual(parseFilter(encodeFilter(filter), 'filter'), { ok: true, value: filter })
    }),
  )
})

test('any value at all is read or refused with a path, and never thrown at', () => {
  fc.assert(
    fc.property(
      fc.anything({ maxDepth: 12, key: fc.constantFrom('all', 'any', 'not', 'tag', 'users', 'x') }),
      (value) => {
        const parsed = parseFilter(value, 'filter')
        assert.ok(parsed.ok || parsed.rejection.faults.every(({ field }) => field?.startsWith('filter')))
      },
    ),
  )
})

test('not turns an answer round, and all is not any of nots', () => {
  fc.assert(
    fc.property(FILTER, FILTER, MEMBER, (one, two, member) => {
      assert.equal(matchFilter(not(one), member), !matchFilter(one, member))
      assert.equal(
        matchFilter({ kind: 'all', of: [one, two] }, member),
        !matchFilter({ kind: 'any', of: [not(one), not(two)] }, member),
      )
    }),
  )
})

function not(of: Filter): Filter {
  return { kind: 'not', of }
}
