import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countAnswers, isBraking, type RecentAnswers, recall } from '../../src/domain/push/brake.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { BRAKE_RULES } from '../../src/rules/push.ts'

const { answersKept, suspectShareMax, suspectsMin } = BRAKE_RULES
const ACCEPTED: Verdict = { kind: 'accepted' }
const SUSPECT: Verdict = { kind: 'gone', reason: 'BadDeviceToken', goneAt: null, isSuspect: true }
const DEAD: Verdict = { kind: 'gone', reason: 'Unregistered', goneAt: null, isSuspect: false }

test('the brake holds from one suspect more than its share of the kept answers', () => {
  const share = answersKept * suspectShareMax
  assert.equal(brakes(answers(share)), false)
  assert.equal(brakes(answers(share + 1)), true)
})

test('a handful of suspects proves nothing, whatever their share', () => {
  assert.equal(brakes(recall([], times(suspectsMin - 1, SUSPECT))), false)
  assert.equal(brakes(recall([], times(suspectsMin, SUSPECT))), true)
})

test('devices that are certainly dead never brake', () => {
  assert.equal(brakes(recall([], times(answersKept, DEAD))), false)
})

test('old answers are forgotten, and silence is no answer', () => {
  const braking = recall([], times(answersKept, SUSPECT))
  assert.deepEqual(recall(braking, [{ kind: 'unknown', reason: 'timeout' }]), braking)
  assert.equal(brakes(recall(braking, times(answersKept, ACCEPTED))), false)
})

function brakes(recent: RecentAnswers): boolean {
  return isBraking(countAnswers(recent))
}

function answers(suspects: number) {
  return recall([], [...times(suspects, SUSPECT), ...times(answersKept - suspects, ACCEPTED)])
}

function times(count: number, verdict: Verdict): readonly Verdict[] {
  return Array.from({ length: count }, () => verdict)
}
