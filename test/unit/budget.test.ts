import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget } from '../../src/runtime/limits/budget.ts'
import { QueueFull } from '../../src/runtime/limits/queue-full.ts'

const settle = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('what does not fit waits its turn, and more than all gets all', async () => {
  const budget = new Budget({ amountMax: 10, waitersMax: 5, waitMs: 60_000 })
  const order: string[] = []
  const rooms = [budget.open(), budget.open(), budget.open()]
  const all = [6, 99, 3].map(async (amount, at) => {
    await rooms[at]?.reserve(amount)
    order.push(`${at}`)
  })
  await settle()
  assert.deepEqual(order, ['0'])
  rooms[0]?.release()
  await settle()
  assert.deepEqual(order, ['0', '1'])
  assert.equal(rooms[1]?.held(), 10)
  rooms[1]?.release()
  rooms[1]?.release()
  await Promise.all(all)
  assert.deepEqual(order, ['0', '1', '2'])
})

test('too many, or too long, is refused', async () => {
  const budget = new Budget({ amountMax: 10, waitersMax: 1, waitMs: 1 })
  await budget.open().reserve(10)
  const waiting = budget.open().reserve(1)
  await assert.rejects(budget.open().reserve(1), QueueFull)
  await assert.rejects(waiting, QueueFull)
})
