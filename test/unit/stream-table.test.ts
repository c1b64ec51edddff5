import assert from 'node:assert/strict'
import { test } from 'node:test'
import { array, assert as check, nat, property } from 'fast-check'
import { Stream } from '../../src/providers/http2/stream.ts'
import { StreamTable } from '../../src/providers/http2/stream-table.ts'
import { collectGarbage } from '../../src/runtime/processes/collect-garbage.ts'
import { settled } from '../support/fake-time.ts'

test('a stream is found until it is deleted, also if it stays while thousands come and go', () => {
  check(
    // 0 opens a stream; every other number ends one of those under way.
    property(array(nat({ max: 2 }), { minLength: 200, maxLength: 2_000 }), (moves) => {
      const [table, model] = [new StreamTable(), new Map<number, Stream>()]
      let id = 1
      for (const move of moves) {
        const [first, second] = [...model.values()]
        // The oldest one stays for long, so that its place is wanted by others.
        const ended = move === 0 ? undefined : (second ?? first)
        if (ended === undefined) {
          const stream = streamOf(id)
          id += 2
          table.add(stream)
          model.set(stream.id, stream)
        } else {
          table.delete(ended)
          // A stream may be ended twice.
          table.delete(ended)
          model.delete(ended.id)
          assert.equal(table.get(ended.id), undefined)
        }
        assert.equal(table.size, model.size)
        for (const [known, stream] of model) assert.equal(table.get(known), stream)
      }
      assert.deepEqual(new Set(table.all()), new Set(model.values()))
    }),
  )
})

test('a stream that has ended is not kept in memory', async () => {
  const table = new StreamTable()
  const ended = new WeakRef(passThrough(table))
  // Within the turn in which it is made, a weak reference keeps its object.
  await settled()
  collectGarbage()
  assert.equal(ended.deref(), undefined)
  assert.equal(table.size, 1)
})

/** One stream passes, and another stays. */
function passThrough(table: StreamTable): Stream {
  const [stream, other] = [streamOf(1), streamOf(3)]
  table.add(stream)
  table.add(other)
  table.delete(stream)
  return stream
}

function streamOf(id: number): Stream {
  return new Stream({
    id,
    window: 0,
    answerBytesMax: 0,
    isAcceptedBodyRead: true,
    onAnswer: () => undefined,
  })
}
