import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { hasFewBits } from '../../src/store/event-files/people-bits.ts'

const YEAR = Array.from({ length: 366 }, (_, day) => day)
const people = (first: bigint, last: bigint) => ({ people: { first, last } })

function endOf(block: bigint): bigint {
  return block * 65_536n + 65_535n
}

test('people are counted by bits while all their bits fit', () => {
  const KIB_PER_BLOCK = 8
  const most = EVENT_FILE_LIMITS.peopleBitsMax / (365 * KIB_PER_BLOCK * 1024)
  const lastBlock = BigInt(Math.floor(most)) - 1n
  assert.equal(hasFewBits({ edges: YEAR }, people(1n, 1_000_000n)), true)
  assert.equal(hasFewBits({ edges: YEAR }, people(0n, endOf(lastBlock))), true)
  assert.equal(hasFewBits({ edges: YEAR }, people(0n, endOf(lastBlock) + 1n)), false)
})

test('the bits of a brand begin with its own first person', () => {
  assert.equal(hasFewBits({ edges: YEAR }, people(10n ** 12n, 10n ** 12n + 1_000_000n)), true)
})
