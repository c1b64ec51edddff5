import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMib } from '../../src/runtime/duckdb/memory.ts'
import { hasRoomForBits } from '../../src/store/event-files/people-bits.ts'

const YEAR = 365
const KIB_PER_BLOCK = 8

/** Of the memory that is set by default, on a machine with two cores. */
const DEFAULT_MIB = threadMib({ memoryMib: 512, threads: 2, access: 'read' })

function room(first: bigint, last: bigint, mib = DEFAULT_MIB) {
  return { view: { people: { first, last } }, threadMib: mib }
}

test('people are counted by bits while all their bits fit', () => {
  const tenBlocks = (10 * 365 * KIB_PER_BLOCK) / 1024
  assert.equal(hasRoomForBits(YEAR, room(1n, 1_000_000n)), true)
  assert.equal(hasRoomForBits(YEAR, room(0n, 10n * 65_536n - 1n, tenBlocks)), true)
  assert.equal(hasRoomForBits(YEAR, room(0n, 10n * 65_536n, tenBlocks)), false)
})

test('the bits of a brand begin with its own first person', () => {
  assert.equal(hasRoomForBits(YEAR, room(10n ** 12n, 10n ** 12n + 1_000_000n)), true)
})
