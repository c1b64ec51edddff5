import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outage, withoutOutage } from '../../src/runtime/outage.ts'
import { isAwayBecause } from '../../src/store/unavailable.ts'
import { memoryLog } from '../support/memory-log.ts'

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function start() {
  const time = { now: 1_000_000 }
  const lines = memoryLog()
  const outage = new Outage({ log: lines, clock: { now: () => time.now }, isAway: isAwayBecause })
  return { time, lines: lines.lines, outage, log: withoutOutage(lines, outage) }
}

test('an outage is one line when it begins and one when it is over, with what failed meanwhile', () => {
  const { time, lines, outage, log } = start()
  const loop = log.with({ loop: 'planner' })
  for (let count = 0; count < 100; count += 1) {
    log.warn('a request could not reach the database', { cause: AWAY })
    loop.error('claim failed', { error: new Error('wrapped', { cause: AWAY }) })
    time.now += 10
  }
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['the database is away'],
  )
  // Connections that were cut late belong to the same outage.
  outage.answered()
  assert.equal(lines.length, 1)
  time.now += 2_000
  outage.answered()
  outage.answered()
  assert.deepEqual(lines[1], {
    level: 'warn',
    message: 'the database is back',
    fields: {
      away_from: new Date(1_000_000).toISOString(),
      away_until: new Date(1_000_990).toISOString(),
      away_ms: 990,
      failed: { 'a request could not reach the database': 100, 'planner: claim failed': 100 },
    },
  })
  assert.equal(lines.length, 2)
})

test('errors that are no outage are written as before, also during one', () => {
  const { lines, log } = start()
  log.error('work failed', { error: AWAY })
  log.error('work failed', { error: new Error('a mistake of ours') })
  log.warn('a plain warning')
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['the database is away', 'work failed', 'a plain warning'],
  )
})
