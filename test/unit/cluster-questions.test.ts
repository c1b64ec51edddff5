import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AskedQuestion, refusedQuestions, wrongAnswers } from '../cluster/load/questions.ts'

const ANSWERED: AskedQuestion = { beganAt: 5_000, endedAt: 5_100, status: 200, found: 7, least: 5, most: 8 }
const REFUSED: AskedQuestion = { ...ANSWERED, status: 503, found: null }
/** A write every half second for 30 seconds, and none from 10 to 20 seconds. */
const WRITES = Array.from({ length: 61 }, (_, index) => index * 500).filter(
  (at) => at <= 10_000 || at >= 20_000,
)

test('an answer has what was acknowledged longer ago than a standby may be behind, and no more than was said', () => {
  const found = [4, 5, 8, 9, Number.NaN, null]
  const answers = found.map((one) => ({ ...ANSWERED, found: one }))
  assert.deepEqual(wrongAnswers(answers), [
    '4 of 5 to 8 at 5000 ms',
    '9 of 5 to 8 at 5000 ms',
    'NaN of 5 to 8 at 5000 ms',
  ])
})

test('a question may be refused only around a pause of the writes, and by a load balancer', () => {
  const times = [5_000, 8_950, 15_000, 21_950, 22_050].map((beganAt) => ({
    ...REFUSED,
    beganAt,
    endedAt: beganAt + 100,
  }))
  assert.deepEqual(refusedQuestions(times, WRITES), ['503 at 5000 ms', '503 at 22050 ms'])
  const others = [0, 200, 500, 502, 504].map((status) => ({ ...REFUSED, status }))
  assert.deepEqual(refusedQuestions(others, WRITES), ['500 at 5000 ms'])
})
