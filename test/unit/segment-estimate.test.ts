import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateSize, isTelling, marginOf } from '../../src/domain/segments/estimate.ts'
import { SEGMENT_ESTIMATE } from '../../src/rules/segments.ts'

const { shares, foundMin, patienceMs } = SEGMENT_ESTIMATE
const LONG_MS = patienceMs / (shares - 1) + 1
const part = (found: number): number => marginOf(found) / estimateSize(found)

test('a share tells the size only when it found enough and the others would take long', () => {
  assert.equal(isTelling({ found: foundMin, tookMs: LONG_MS }), true)
  assert.equal(isTelling({ found: foundMin - 1, tookMs: LONG_MS }), false)
  assert.equal(isTelling({ found: 1_000_000, tookMs: LONG_MS - 1 }), false)
  assert.equal(isTelling({ found: 1_000_000, tookMs: -1 }), false, 'a clock that was set back')
})

test('the margin of the smallest estimate is 8 %, and shrinks with the size', () => {
  assert.ok(part(foundMin) < 0.083 && part(foundMin) > 0.08, String(part(foundMin)))
  assert.ok(part(100_000) < 0.006)
})

test('of a thousand samples of people, the margin holds for about 950', () => {
  const size = 8_000
  let state = 1
  const chance = (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const isHeld = (): boolean => {
    const found = Array.from({ length: size }, chance).filter((at) => at < 1 / shares).length
    return Math.abs(estimateSize(found) - size) <= marginOf(found)
  }
  const held = Array.from({ length: 1_000 }, isHeld).filter(Boolean).length
  assert.ok(held > 930 && held < 970, String(held))
})
