import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVariants } from '../../src/domain/campaigns/winner.ts'

test('a variant that is far better than every other wins', () => {
  const result = compareVariants(
    [
      { of: 1000, did: 50 },
      { of: 1000, did: 120 },
      { of: 1000, did: 60 },
    ],
    0.95,
  )
  assert.equal(result.kind, 'winner')
  assert.ok(result.kind === 'winner' && result.variant === 1)
  assert.deepEqual(
    result.leads.map(({ over }) => over),
    [0, 2],
  )
})

test('a variant that is better than one other only does not win', () => {
  const result = compareVariants(
    [
      { of: 1000, did: 118 },
      { of: 1000, did: 120 },
      { of: 1000, did: 20 },
    ],
    0.95,
  )
  assert.equal(result.kind, 'no_difference')
})

test('of two equal variants the first is named, and none wins', () => {
  const same = { of: 5000, did: 250 }
  const result = compareVariants([same, same], 0.95)
  assert.ok(result.kind === 'no_difference' && result.variant === 0)
})

test('groups that are too small are named', () => {
  const small = compareVariants(
    [
      { of: 1000, did: 100 },
      { of: 29, did: 10 },
    ],
    0.95,
  )
  assert.deepEqual(small, { kind: 'not_enough_data', short: [1] })
  const rare = compareVariants(
    [
      { of: 1000, did: 1 },
      { of: 1000, did: 0 },
    ],
    0.95,
  )
  assert.deepEqual(rare, { kind: 'not_enough_data', short: [0, 1] })
  const everybody = compareVariants(
    [
      { of: 1000, did: 1000 },
      { of: 1000, did: 1000 },
    ],
    0.95,
  )
  assert.equal(everybody.kind, 'not_enough_data')
})

// The promise is a number, so that it is measured: 1 in 20 at most, and the correction makes it fewer.
test('of variants that are all alike, hardly ever one wins', () => {
  for (const variants of [2, 3, 8]) {
    const random = randomFrom(variants)
    const trials = 2000
    const won = Array.from({ length: trials }, () => {
      const groups = Array.from({ length: variants }, () => ({ of: 400, did: successes(400, 0.1, random) }))
      return compareVariants(groups, 0.95).kind === 'winner'
    }).filter(Boolean).length
    assert.ok(won <= trials * 0.05, `${won} of ${trials} with ${variants} variants`)
  }
})

test('a real difference is found', () => {
  const random = randomFrom(7)
  const trials = 300
  const won = Array.from({ length: trials }, () => {
    const groups = [
      { of: 4000, did: successes(4000, 0.1, random) },
      { of: 4000, did: successes(4000, 0.13, random) },
    ]
    const result = compareVariants(groups, 0.95)
    return result.kind === 'winner' && result.variant === 1
  }).filter(Boolean).length
  assert.ok(won >= trials * 0.9, `${won} of ${trials}`)
})

function successes(of: number, rate: number, random: () => number): number {
  let did = 0
  for (let at = 0; at < of; at += 1) if (random() < rate) did += 1
  return did
}

/** Mulberry32: the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
