import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alarms, planAlarms } from '../../src/runtime/loop/alarms.ts'
import { Wake } from '../../src/runtime/loop/wake.ts'
import { until } from '../support/until.ts'

test('work that is due wakes now, work that is due soon at its time, and later work is left to the next look', () => {
  const due = [
    { kind: 'late', inMs: -5_000 },
    { kind: 'now', inMs: 0 },
    { kind: 'soon', inMs: 0.2 },
    { kind: 'last', inMs: 1_200 },
    { kind: 'later', inMs: 1_200.1 },
  ]
  assert.deepEqual(planAlarms(due, { lookMs: 1_200 }), [
    { kind: 'late', afterMs: 0 },
    { kind: 'now', afterMs: 0 },
    { kind: 'soon', afterMs: 2 },
    { kind: 'last', afterMs: 1_201 },
  ])
})

test('an alarm nudges its kind alone, never before its time', async () => {
  const wakes = new Map([
    ['send', new Wake()],
    ['plan', new Wake()],
  ])
  const alarms = new Alarms(wakes)
  const counts = (): readonly (number | undefined)[] => [wakes.get('send')?.count, wakes.get('plan')?.count]
  alarms.set([{ kind: 'send', afterMs: 0 }])
  assert.deepEqual(counts(), [1, 0])
  const setAt = performance.now()
  alarms.set([
    { kind: 'plan', afterMs: 30 },
    { kind: 'nobody', afterMs: 0 },
  ])
  assert.deepEqual(counts(), [1, 0])
  await until(() => wakes.get('plan')?.count === 1, { what: 'a nudge' })
  assert.ok(performance.now() - setAt >= 29)
  assert.deepEqual(counts(), [1, 1])
})

test('a later alarm of a kind replaces the one before', async () => {
  const wakes = new Map([['plan', new Wake()]])
  const alarms = new Alarms(wakes)
  alarms.set([{ kind: 'plan', afterMs: 3_600_000 }])
  alarms.set([{ kind: 'plan', afterMs: 1 }])
  await until(() => wakes.get('plan')?.count === 1, { what: 'a nudge' })
})
