import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { array, asyncProperty, assert as holds, integer, record } from 'fast-check'
import { takeHits } from '../../src/store/rate-limit.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const { brandId } = await brand()
const START = Date.parse('2026-01-01T00:00:00Z')
const LIMIT = 500
const WINDOW_MS = 60_000

/** Pauses of up to a third of a window between groups of requests that arrive together. */
const arrivals = array(
  record({ pauseMs: integer({ min: 0, max: WINDOW_MS / 3 }), wanted: integer({ min: 1, max: 300 }) }),
  { minLength: 1, maxLength: 40 },
)

test('no window of 60 s ever holds more than 500 hits, and nobody is denied while one holds fewer', async () => {
  let run = 0
  await holds(
    asyncProperty(arrivals, async (groups) => {
      run += 1
      const admitted: { readonly at: number; readonly granted: number }[] = []
      const inWindow = (from: number, to: number) =>
        admitted.reduce((sum, hit) => (hit.at >= from && hit.at < to ? sum + hit.granted : sum), 0)
      let now = START
      for (const { pauseMs, wanted } of groups) {
        now += pauseMs
        const request = { brandId, bucket: `run ${run}`, wanted, limit: LIMIT, windowMs: WINDOW_MS, now }
        const { granted, remaining } = await takeHits(database, request)
        admitted.push({ at: now, granted })
        const used = inWindow(now - WINDOW_MS + 1, now + 1)
        assert.equal(remaining, LIMIT - used)
        if (granted < wanted) assert.equal(used, LIMIT)
      }
      for (const { at } of admitted) assert.ok(inWindow(at, at + WINDOW_MS) <= LIMIT)
    }),
    { numRuns: 150 },
  )
})
