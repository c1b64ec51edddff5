import assert from 'node:assert/strict'
import { test } from 'node:test'
import { largestOf, placesOf } from '../../bench/support/profile-places.ts'

const frame = (id: number, functionName: string, url: string) => ({ id, callFrame: { functionName, url } })

test('the time of a sample goes to the folder, the package or the task of the engine that ran', () => {
  const profile = {
    nodes: [
      frame(1, 'write', 'file:///home/beckon/src/providers/http2/session.ts'),
      frame(2, 'send', 'file:///home/beckon/src/delivery/sender.ts'),
      frame(3, 'parse', 'file:///home/beckon/node_modules/pg/lib/client.js'),
      frame(4, '(garbage collector)', ''),
      frame(5, '(idle)', ''),
      frame(6, 'writev', ''),
      frame(7, 'emit', 'node:internal/streams/readable'),
      frame(8, 'post', 'node:internal/inspector'),
      frame(9, 'read', 'file:///home/beckon/src/providers/http2/frame.ts'),
    ],
    samples: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    timeDeltas: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  }
  assert.deepEqual(Object.fromEntries(placesOf(profile)), {
    'src/providers/http2': 10,
    'src/delivery': 2,
    pg: 3,
    'garbage collector': 4,
    'native writev': 6,
    'node:streams': 7,
  })
})

test('the places beyond the largest are one', () => {
  const micros = new Map([
    ['a', 1],
    ['b', 5],
    ['c', 2],
  ])
  assert.deepEqual(largestOf(micros, 1), [
    ['b', 5],
    ['the rest', 3],
  ])
  assert.deepEqual(largestOf(micros, 3), [
    ['b', 5],
    ['c', 2],
    ['a', 1],
  ])
})
