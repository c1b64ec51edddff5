import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, asyncProperty, boolean, constantFrom, assert as holds, integer, record } from 'fast-check'
import { Limiter } from '../../src/runtime/limits/limiter.ts'

const CAPACITY = 7
const KEY_CAPACITY = 4

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

const requests = array(
  record({
    key: constantFrom('a', 'b', 'c'),
    weight: integer({ min: 1, max: CAPACITY + 2 }),
    /** After how many others the request hangs up, if it is still waiting, or releases its permit. */
    leavesAfter: integer({ min: 0, max: 10 }),
    isHangingUp: boolean(),
  }),
  { maxLength: 40 },
)

test('no more is granted than there is, over all and by key, and in the end everything is free again', async () => {
  await holds(
    asyncProperty(requests, async (asked) => {
      const limiter = new Limiter({
        capacity: CAPACITY,
        keyCapacity: KEY_CAPACITY,
        waitersMax: 100,
        waitMs: 60_000,
      })
      const takenBy = new Map<string, number>()
      const leaving: { readonly at: number; readonly leave: () => Promise<void> }[] = []
      const all = asked.map(async ({ key, weight, leavesAfter, isHangingUp }, at) => {
        const left = new AbortController()
        const released = Promise.withResolvers<void>()
        leaving.push({
          at: at + leavesAfter,
          leave: async () => {
            if (isHangingUp) left.abort()
            released.resolve()
            await settle()
          },
        })
        const permit = await limiter.take({ key, weight, signal: left.signal }).catch(() => null)
        if (permit === null) return assert.ok(isHangingUp)
        takenBy.set(key, (takenBy.get(key) ?? 0) + permit.weight)
        assert.ok((takenBy.get(key) ?? 0) <= KEY_CAPACITY)
        assert.ok(limiter.taken <= CAPACITY)
        await released.promise
        takenBy.set(key, (takenBy.get(key) ?? 0) - permit.weight)
        permit.release()
      })
      await settle()
      for (const { leave } of leaving.toSorted((one, other) => one.at - other.at)) await leave()
      await Promise.all(all)
      assert.equal(limiter.taken, 0)
      assert.ok(limiter.tryTake({ weight: KEY_CAPACITY }) !== null)
    }),
  )
})
