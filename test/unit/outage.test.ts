import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outageWaitSeconds } from '../../src/http/edge/outage-wait.ts'
import { Outage, withoutOutage } from '../../src/runtime/outage.ts'
import { troubleOf } from '../../src/store/unavailable.ts'
import { memoryLog } from '../support/memory-log.ts'

const FULL = Object.assign(new Error('No space left on device'), { code: '53100' })
const POOL_FULL = new Error('timeout exceeded when trying to connect')
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function start() {
  const time = { now: 1_000_000 }
  const lines = memoryLog()
  const outage = new Outage({ log: lines, clock: { now: () => time.now }, troubleOf })
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

test('a missing file begins no outage, and a missing socket file of the database does', () => {
  const { lines, log } = start()
  log.warn('a file could not be read', { cause: missing('open') })
  log.warn('a file could not be read', { cause: new Error('wrapped', { cause: missing('open') }) })
  log.warn('a request could not reach the database', { cause: missing('connect') })
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['a file could not be read', 'a file could not be read', 'the database is away'],
  )
})

test('during an outage every failure of the database belongs to it; without one, a full pool is written as before', () => {
  const { time, lines, outage, log } = start()
  log.warn('a request could not reach the database', { cause: POOL_FULL })
  assert.equal(outage.ageMs(), null)
  log.warn('a request could not reach the database', { cause: AWAY })
  time.now += 5_000
  log.warn('a request could not reach the database', { cause: POOL_FULL })
  assert.equal(outage.ageMs(), 5_000)
  outage.answered()
  time.now += 1_999
  outage.answered()
  time.now += 1
  outage.answered()
  assert.equal(outage.ageMs(), null)
  log.warn('a request could not reach the database', { cause: POOL_FULL })
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields['away_ms'], fields['failed']]),
    [
      ['a request could not reach the database', undefined, undefined],
      ['the database is away', undefined, undefined],
      ['the database is back', 5_000, { 'a request could not reach the database': 2 }],
      ['a request could not reach the database', undefined, undefined],
    ],
  )
})

test('a database that is busy after an outage does not prolong it', () => {
  const { time, lines, outage, log } = start()
  log.warn('failed', { cause: AWAY })
  for (let count = 0; count < 4; count += 1) {
    outage.answered()
    time.now += 500
    log.warn('failed', { cause: POOL_FULL })
  }
  outage.answered()
  assert.deepEqual(lines.at(-1)?.fields['failed'], { failed: 5 })
  assert.equal(lines.at(-1)?.fields['away_ms'], 0)
})

test('a full disk begins an outage, and the reads that it still answers do not end it', () => {
  const { time, lines, outage, log } = start()
  for (let count = 0; count < 3; count += 1) {
    log.warn('failed', { cause: FULL })
    time.now += 29_000
    outage.answered()
  }
  assert.equal(lines.length, 1)
  time.now += 1_000
  outage.answered()
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['the database is away', 'the database is back'],
  )
})

test('Retry-After is three or four seconds at first, then grows with the outage up to a bound, and is always spread', () => {
  const waits = [0, 1_000, 6_000, 8_000, 12_000, 20_000, 35_000, 86_400_000].map((ageMs) =>
    [0, 0.999].map((jitter) => outageWaitSeconds({ ageMs, jitter })),
  )
  assert.deepEqual(waits, [
    [3, 4],
    [3, 4],
    [3, 4],
    [4, 5],
    [6, 8],
    [10, 13],
    [10, 13],
    [10, 13],
  ])
})

function missing(syscall: string): Error {
  return Object.assign(new Error(`ENOENT, ${syscall}`), { code: 'ENOENT', syscall })
}
