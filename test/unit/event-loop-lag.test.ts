import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EVENT_LOOP_LAGS, EventLoopLag } from '../../src/runtime/event-loop-lag.ts'
import { until } from '../support/until.ts'

const ZEROS = EVENT_LOOP_LAGS.map(() => 0)
const MAX = EVENT_LOOP_LAGS.findIndex(({ part }) => part === 'max')

test('the lag of the event loop is measured from the first read on', async () => {
  const lag = new EventLoopLag()
  assert.equal(lag.isMeasuring, false)
  assert.deepEqual(lag.read(), ZEROS)
  assert.equal(lag.isMeasuring, true)
  for (let turn = 0; turn < 4; turn += 1) await busyTurn()
  const max = lag.read()[MAX] ?? 0
  assert.ok(max >= 0.1, `${max} s`)
})

test('a lag that nobody reads any more is not measured any more', async () => {
  const lag = new EventLoopLag({ unreadMaxMs: 5 })
  lag.read()
  await until(() => !lag.isMeasuring, { what: 'the end of the measuring' })
  assert.deepEqual(lag.read(), ZEROS, 'the measuring begins anew')
  assert.equal(lag.isMeasuring, true)
})

/** Longer than the half second between two samples, so that each sample is late. */
async function busyTurn(): Promise<void> {
  const beganAt = performance.now()
  while (performance.now() - beganAt < BUSY_MS);
  await nextTurn()
}

const BUSY_MS = 700
