import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, boolean, assert as check, property } from 'fast-check'
import { Fifo } from '../../src/providers/fifo.ts'
import { collectGarbage } from '../../src/runtime/processes/collect-garbage.ts'
import { settled } from '../support/fake-time.ts'

test('items leave in the order in which they came, however many wait meanwhile', () => {
  check(
    property(array(boolean(), { maxLength: 300 }), (isPush) => {
      const [fifo, model] = [new Fifo<number>(), Array.of<number>()]
      for (const [number, push] of isPush.entries()) {
        if (push) {
          fifo.push(number)
          model.push(number)
        } else assert.equal(fifo.shift(), model.shift())
        assert.equal(fifo.size, model.length)
        assert.equal(fifo.peek(), model[0])
      }
      assert.deepEqual(
        [...model, undefined].map(() => fifo.shift()),
        [...model, undefined],
      )
    }),
  )
})

test('an item that has left is not kept in memory', async () => {
  const fifo = new Fifo<object>()
  const left = new WeakRef(passThrough(fifo))
  // Within the turn in which it is made, a weak reference keeps its object.
  await settled()
  collectGarbage()
  assert.equal(left.deref(), undefined)
  assert.equal(fifo.size, 1)
})

/** One item passes, and another stays. */
function passThrough(fifo: Fifo<object>): object {
  const item = {}
  fifo.push(item)
  fifo.push({})
  fifo.shift()
  return item
}
