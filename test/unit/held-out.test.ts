import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutHeldOut } from '../../src/store/push/divide-chunks.ts'
import { recipientOf } from '../../src/store/push/recipient.ts'

const PEOPLE = [1n, 2n].map((id) =>
  recipientOf({ id, address: '', language: null, timeZone: null, isVirtual: false, registeredAt: 0 }),
)

function division(...ids: bigint[]) {
  return { sentIds: new Set(ids), variants: new Map(), groups: new Map() }
}

test('a chunk of a trial loses the people who are held out, and a chunk beside it nobody', () => {
  const found = new Map([
    [1, PEOPLE],
    [2, PEOPLE],
    [3, PEOPLE],
  ])
  assert.equal(withoutHeldOut(found, new Map()), found)
  const divisions = new Map([
    [1, division(2n)],
    [2, division(1n, 2n)],
  ])
  const left = [...withoutHeldOut(found, divisions).values()]
  assert.deepEqual(
    left.map((people) => people.map(({ id }) => id)),
    [[2n], [1n, 2n], [1n, 2n]],
  )
})
