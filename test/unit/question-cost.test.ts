import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  costOf,
  readsOfFunnel,
  readsOfPaths,
  readsOfQuestion,
  readsOfRetention,
} from '../../src/domain/events/question-cost.ts'
import type { AttributeCondition } from '../../src/domain/segments/segment.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { EVENT_QUERY_LIMITS } from '../../src/rules/event-queries.ts'

const DAY_MS = 86_400_000
const RANGE = { fromAt: 0, toAt: 10 * DAY_MS }

function rowsOf(count: number) {
  return { count, inFiles: 0, alone: 0 }
}

test('a question with groups reads its events twice', () => {
  const whole = readsOfQuestion({ ...RANGE, eventName: 'buy', parts: [], where: [] })
  const { eventsPerSecond: perSecond, groupedPerSecond } = EVENT_QUERY_LIMITS
  assert.deepEqual(whole, [{ names: ['buy'], ...RANGE, perFirstMax: null, perSecond, needsRows: false }])
  const grouped = readsOfQuestion({ ...RANGE, eventName: null, parts: [{}], where: [] })
  assert.equal(grouped.length, 2)
  const counts = [rowsOf(groupedPerSecond), rowsOf(groupedPerSecond)]
  assert.equal(costOf(grouped, { counts, secondsMax: 30 }).seconds, 2)
  assert.equal(readsOfQuestion({ ...RANGE, eventName: null, parts: [], where: [] })[0]?.names, null)
})

test('the later steps of a funnel, and its excluded events, are also read after the range', () => {
  const reads = readsOfFunnel({ ...RANGE, steps: ['a', 'b'], excluded: ['c'], withinMs: DAY_MS })
  assert.deepEqual(
    reads.map(({ names, toAt }) => [names, toAt / DAY_MS]),
    [
      [['a'], 10],
      [['b'], 11],
      [['c'], 11],
    ],
  )
})

test('a retention reads the periods after the range', () => {
  const asked = { ...RANGE, startEvent: 'a', returnEvent: null, unit: 'week', periods: 2 } as const
  assert.deepEqual(
    readsOfRetention(asked).map(({ names, toAt }) => [names, toAt / DAY_MS]),
    [
      [['a'], 10],
      [null, 24],
    ],
  )
})

test('paths look up no more events than they show', () => {
  const reads = readsOfPaths({ ...RANGE, startEvent: 'a', depth: 3, withinMs: DAY_MS })
  assert.equal(costOf(reads, { counts: [rowsOf(10), rowsOf(1_000)], secondsMax: 30 }).events, 40)
  assert.equal(costOf(reads, { counts: [rowsOf(10), rowsOf(5)], secondsMax: 30 }).events, 15)
})

test('the limit is passed by the first event of its next second', () => {
  const reads = readsOfQuestion({ ...RANGE, eventName: null, parts: [], where: [] })
  const most = 30 * EVENT_QUERY_LIMITS.eventsPerSecond
  assert.deepEqual(costOf(reads, { counts: [rowsOf(most)], secondsMax: 30 }), {
    events: most,
    seconds: 30,
    secondsMax: 30,
    isAboveLimit: false,
  })
  assert.equal(costOf(reads, { counts: [rowsOf(most + 1)], secondsMax: 30 }).isAboveLimit, true)
  assert.equal(costOf(reads, { counts: [], secondsMax: 30 }).events, 0)
})

test('events in files take the time of files, also if no more of them are looked up than are shown', () => {
  const { eventsPerSecond, filedPerSecond } = EVENT_QUERY_LIMITS
  const reads = readsOfQuestion({ ...RANGE, eventName: null, parts: [], where: [] })
  const inFiles = 10 * filedPerSecond
  assert.equal(costOf(reads, { counts: [{ count: inFiles, inFiles, alone: 0 }], secondsMax: 30 }).seconds, 10)
  const both = { count: inFiles + 3 * eventsPerSecond, inFiles, alone: 0 }
  assert.equal(costOf(reads, { counts: [both], secondsMax: 30 }).seconds, 13)
  const paths = readsOfPaths({ ...RANGE, startEvent: 'a', depth: 3, withinMs: DAY_MS })
  const looked = 60 * filedPerSecond
  const counts = [rowsOf(2 * filedPerSecond), { count: looked, inFiles: looked, alone: 0 }]
  const first = (2 * filedPerSecond) / eventsPerSecond
  assert.equal(costOf(paths, { counts, secondsMax: 30 }).seconds, first + 6)
})

test('a question with dates in its conditions takes the time of rows', () => {
  const { eventsPerSecond, groupedPerSecond } = EVENT_QUERY_LIMITS
  const count = 9_000_000
  const secondsOf = (comparison: AttributeCondition['comparison'], parts: readonly object[]): number => {
    const where = [{ kind: 'attribute', attribute: 'at', comparison }] as const
    const reads = readsOfQuestion({ ...RANGE, eventName: null, parts, where })
    const counts = reads.map(() => ({ count, inFiles: count, alone: 0 }))
    return costOf(reads, { counts, secondsMax: 30 }).seconds
  }
  assert.equal(secondsOf({ kind: 'recency', days: 7 }, []), count / eventsPerSecond)
  assert.equal(
    secondsOf({ kind: 'date', is: 'before', date: '2026-01-01' }, [{}]),
    (2 * count) / groupedPerSecond,
  )
  const inFiles = count / EVENT_QUERY_LIMITS.filedPerSecond
  assert.equal(secondsOf({ kind: 'presence', is: 'exists' }, []), inFiles)
})

test('files that take longer than they may are followed by rows, but not if they have the only copy', () => {
  const { eventsPerSecond, filedPerSecond } = EVENT_QUERY_LIMITS
  const reads = readsOfQuestion({ ...RANGE, eventName: null, parts: [], where: [] })
  const secondsOf = (inFiles: number, alone: number) =>
    costOf(reads, { counts: [{ count: inFiles, inFiles, alone }], secondsMax: 30 })
  const filesMax = EVENT_FILE_LIMITS.questionMsMax / 1_000
  const most = filesMax * filedPerSecond
  assert.equal(secondsOf(most, 0).seconds, filesMax)
  const late = secondsOf(most + eventsPerSecond, 0)
  assert.equal(late.seconds, filesMax + most / eventsPerSecond + 1)
  assert.equal(late.isAboveLimit, true)
  const all = 30 * filedPerSecond
  assert.deepEqual([secondsOf(all, 1).seconds, secondsOf(all, 1).isAboveLimit], [30, false])
  assert.equal(secondsOf(all + 1, 1).isAboveLimit, true)
})

test('what only rows can answer takes the time to bring events without rows', () => {
  const where = [{ kind: 'attribute', attribute: 'at', comparison: { kind: 'recency', days: 7 } }] as const
  const reads = readsOfQuestion({ ...RANGE, eventName: null, parts: [], where })
  const count = EVENT_QUERY_LIMITS.eventsPerSecond
  const costs = (alone: number) =>
    costOf(reads, { counts: [{ count, inFiles: count, alone }], secondsMax: 30 })
  assert.equal(costs(0).seconds, 1)
  const { thawedMax, thawMsMax } = EVENT_FILE_LIMITS
  assert.equal(costs(thawedMax / 2).seconds, 1 + thawMsMax / 2_000)
  assert.equal(costs(thawedMax).isAboveLimit, true)
})
