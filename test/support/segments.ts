import * as fc from 'fast-check'
import type { Filter } from '../../src/domain/segment.ts'

/** Few names, so that random filters and random people meet. */
const NAME = fc.constantFrom('a', 'b', 'c', '😀')

export const FILTER: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; group: Filter; leaf: Filter }>(
  (tie) => ({
    filter: fc.oneof({ depthSize: 'small', maxDepth: 4 }, tie('leaf'), tie('group')),
    leaf: fc.oneof(
      fc.record({ kind: fc.constant('tag' as const), tag: NAME }),
      fc.record({ kind: fc.constant('users' as const), userIds: fc.uniqueArray(NAME, { maxLength: 3 }) }),
    ),
    group: fc.oneof(
      fc.record({
        kind: fc.constantFrom('all' as const, 'any' as const),
        of: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('filter') }),
    ),
  }),
).filter

/** A person with devices of every kind of luck: no name, several names, no device, some that are not live. */
export type Person = {
  readonly userIds: readonly string[]
  readonly tags: readonly string[]
  readonly devices: readonly { readonly tags: readonly string[]; readonly isLive: boolean }[]
}

const TAGS = fc.uniqueArray(NAME, { maxLength: 3 })

export const PERSON: fc.Arbitrary<Person> = fc.record({
  userIds: fc.uniqueArray(NAME, { maxLength: 2 }),
  tags: TAGS,
  devices: fc.array(fc.record({ tags: TAGS, isLive: fc.boolean() }), { maxLength: 3 }),
})
