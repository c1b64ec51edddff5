import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMib } from '../../src/runtime/duckdb/memory.ts'
import { peopleSetsMax, spanRuns } from '../../src/store/event-files/people-bits.ts'

const YEAR = 365
const KIB_PER_BLOCK = 8

/** Of the memory that is set by default, on a machine with two cores. */
const DEFAULT_MIB = threadMib({ memoryMib: 512, threads: 2, access: 'read' })

function room(first: bigint, last: bigint, mib = DEFAULT_MIB) {
  return { view: { people: { first, last } }, threadMib: mib }
}

test('a year of days with a million people has room in the default memory', () => {
  assert.ok(peopleSetsMax(room(1n, 1_000_000n)) >= YEAR)
})

test('sets of people are counted to the last block of ids that has room', () => {
  const tenBlocks = (10 * YEAR * KIB_PER_BLOCK) / 1024
  assert.equal(peopleSetsMax(room(0n, 10n * 65_536n - 1n, tenBlocks)), YEAR)
  assert.ok(peopleSetsMax(room(0n, 10n * 65_536n, tenBlocks)) < YEAR)
  assert.equal(peopleSetsMax(room(0n, 10n ** 12n)), 0)
})

test('the bits of a brand begin with its own first person', () => {
  const far = 10n ** 12n
  assert.ok(peopleSetsMax(room(far, far + 1_000_000n)) >= YEAR - 30)
})

test('runs of spans have each span once', () => {
  assert.deepEqual(spanRuns(7, 3), [
    { first: 1, last: 3 },
    { first: 4, last: 6 },
    { first: 7, last: 7 },
  ])
  assert.deepEqual(spanRuns(3, 3), [{ first: 1, last: 3 }])
  assert.deepEqual(spanRuns(1, 400), [{ first: 1, last: 1 }])
})
