import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ChannelEvent,
  type ChannelState,
  channelAfter,
  channelEvent,
  failureCoolDownMs,
  refusalCoolDownMs,
} from '../../src/domain/push/health.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { COOL_DOWN_RULES, PAUSE_RULES } from '../../src/rules/push.ts'

const ACCEPTED: Verdict = { kind: 'accepted' }
const SUSPECT: Verdict = { kind: 'gone', reason: 'BadDeviceToken', goneAt: null, isSuspect: true }
const DEAD: Verdict = { kind: 'gone', reason: 'Unregistered', goneAt: null, isSuspect: false }

const REFUSED: Verdict = { kind: 'paused', reason: 'InvalidProviderToken' }
const BUSY: Verdict = { kind: 'retry', reason: 'TooManyRequests', waitMs: 0, scope: 'address' }

/** The table above `ChannelState`, as far as verdicts move a channel. */
const CHANNEL_TABLE: readonly [ChannelState & ('working' | 'probing'), ChannelEvent, ChannelState][] = [
  ['working', 'none', 'working'],
  ['working', 'accepted', 'working'],
  ['working', 'suspect', 'working'],
  ['working', 'braking', 'paused'],
  ['working', 'refused', 'paused'],
  ['probing', 'none', 'probing'],
  ['probing', 'accepted', 'working'],
  ['probing', 'suspect', 'probing'],
  ['probing', 'braking', 'paused'],
  ['probing', 'refused', 'paused'],
]

for (const [state, event, next] of CHANNEL_TABLE)
  test(`a ${state} channel is ${next} after ${event}`, () => {
    assert.equal(channelAfter(state, event), next)
  })

test('one refusal is about the credential if there is one push host, or if all refuse', () => {
  const verdicts = [REFUSED, ...times(9, ACCEPTED)]
  assert.equal(channelEvent(verdicts, { state: 'working', isRefusedByAll: true }), 'refused')
  assert.equal(channelEvent(verdicts, { state: 'working', isRefusedByAll: false }), 'accepted')
  assert.equal(channelEvent([REFUSED], { state: 'working', isRefusedByAll: false }), 'none')
})

test('a working channel is judged by its suspect answers, a probing one by what most answers say', () => {
  const mixed = [SUSPECT, ACCEPTED, ACCEPTED]
  const even = [SUSPECT, ACCEPTED]
  assert.equal(channelEvent(mixed, { state: 'working', isRefusedByAll: true }), 'suspect')
  assert.equal(channelEvent(mixed, { state: 'probing', isRefusedByAll: true }), 'accepted')
  assert.equal(channelEvent(even, { state: 'probing', isRefusedByAll: true }), 'suspect')
  assert.equal(channelEvent([BUSY, DEAD], { state: 'probing', isRefusedByAll: true }), 'none')
})

test('a row of failures makes a short cool-down, a row of refusals a long one', () => {
  const { failuresInRow, failuresMs, refusalsInRow } = COOL_DOWN_RULES
  assert.deepEqual([failuresInRow - 1, failuresInRow, failuresInRow + 1].map(failureCoolDownMs), [
    0,
    failuresMs,
    0,
  ])
  const { pauseMs } = PAUSE_RULES
  assert.deepEqual([refusalsInRow - 1, refusalsInRow, refusalsInRow + 1].map(refusalCoolDownMs), [
    0,
    pauseMs,
    pauseMs,
  ])
})

function times(count: number, verdict: Verdict): readonly Verdict[] {
  return Array.from({ length: count }, () => verdict)
}
