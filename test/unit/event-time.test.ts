import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toldTime } from '../../src/domain/events/entry.ts'

const NOON = Date.UTC(2026, 0, 2, 12)

function lastMomentOf(at: number): number | null {
  return toldTime(at).lastAt
}

test('a time on the full second stands for the whole of it, any other for its moment', () => {
  assert.equal(lastMomentOf(NOON), NOON + 999)
  assert.equal(lastMomentOf(NOON + 1), NOON + 1)
  assert.equal(lastMomentOf(NOON - 1), NOON - 1)
})

test('so it is before 1970, too', () => {
  assert.equal(lastMomentOf(-1000), -1)
  assert.equal(lastMomentOf(-1), -1)
})
