import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadAmong, ofChannel, outcomesOf, type RecipientVerdict } from '../../src/delivery/outcomes.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { type Recipient, recipientOf } from '../../src/store/push/recipient.ts'

const NOW = Date.UTC(2026, 10, 15)
const TRY = { attempt: 1, unknowns: 0, now: NOW, jitter: 0, expiresAt: NOW + 86_400_000, choices: new Map() }

function recipient(id: bigint, isVirtual = false): Recipient {
  return recipientOf({ id, address: '', language: null, timeZone: null, isVirtual, registeredAt: 7 })
}

function verdictOn(id: bigint, verdict: Verdict): RecipientVerdict {
  return { recipient: recipient(id), verdict, at: NOW }
}

test('messages without an answer come back apart from those that a provider did not take', () => {
  const verdicts = [
    verdictOn(1n, { kind: 'unknown', reason: 'timeout' }),
    verdictOn(2n, { kind: 'retry', reason: 'http_503', waitMs: 0, scope: 'host' }),
    verdictOn(3n, { kind: 'unknown', reason: 'timeout' }),
  ]
  const instants = outcomesOf(verdicts, TRY).map(({ retryAt }) => retryAt)
  assert.equal(instants.length, 3)
  assert.equal(new Set(instants).size, 3)
})

test('only an address that its provider calls dead is dead', () => {
  const verdicts = [
    verdictOn(1n, { kind: 'accepted' }),
    verdictOn(2n, { kind: 'gone', reason: 'Unregistered', goneAt: 5, isSuspect: false }),
    verdictOn(3n, { kind: 'refused', reason: 'BadTopic' }),
  ]
  assert.deepEqual(deadAmong(verdicts), [{ id: 2n, registeredAt: 7, reason: 'Unregistered', goneAt: 5 }])
})

test('an answer to a virtual device says nothing about the channel', () => {
  const own = verdictOn(1n, { kind: 'accepted' })
  assert.deepEqual(ofChannel([own, { ...own, recipient: recipient(2n, true) }]), [own])
})
