import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitWay } from '../../src/domain/journeys/graph.ts'

const KEYS = Array.from({ length: 100_000 }, (_, at) => `journey:split:${at}`)

test('a way gets its percentage of the people, also the smallest one', () => {
  const ways = [
    { percent: 1, way: 'a' },
    { percent: 9, way: 'b' },
    { percent: 90, way: 'c' },
  ]
  const counts = Map.groupBy(KEYS, (key) => splitWay(ways, key))
  const shareOf = (way: string): number => Math.round((counts.get(way)?.length ?? 0) / 1000)
  assert.deepEqual([shareOf('a'), shareOf('b'), shareOf('c')], [1, 9, 90])
})

test('a person takes the same way in every version of Beckon', () => {
  const ways = Array.from({ length: 10 }, (_, at) => ({ percent: 10, way: `${at}` }))
  const taken = KEYS.slice(0, 20).map((key) => splitWay(ways, key))
  assert.equal(taken.join(''), '99172236937133885808')
})
