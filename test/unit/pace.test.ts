import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paceOf } from '../../src/delivery/pace.ts'

test('each turn is counted from the start of the share, and a turn that is late waits for nothing', async (context) => {
  let now = 1_000
  context.mock.method(performance, 'now', () => now)
  const pace = paceOf({ count: 8, startMs: 500 }, 4)
  assert.equal(pace.count, 8)
  assert.deepEqual([0, 1, 4].map(pace.leftMs), [500, 750, 1_500])
  now += 750
  assert.deepEqual([0, 1, 2].map(pace.leftMs), [0, 0, 250])
  let turns = 0
  for (const index of [0, 1])
    void pace.turn(index).then(() => {
      turns += 1
      return turns
    })
  await Promise.resolve()
  await Promise.resolve()
  assert.equal(turns, 2, 'a turn that is due needs no timer')
})
