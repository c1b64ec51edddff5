import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelHealth, isObstructed, obstacleOf } from '../../src/domain/push/channel-health.ts'
import { REFUSED_HOSTS } from '../../src/rules/channels.ts'

const NOW = Date.parse('2026-05-06T07:08:09Z')
const CALM = {
  pausedReason: null,
  pausedSince: null,
  retryAt: null,
  failingReason: null,
  failingSince: null,
  failingAt: null,
  refusedHosts: [],
} as const

function health(troubles: object) {
  return channelHealth({
    platform: 'web',
    credentials: 'own',
    troubles: { ...CALM, ...troubles },
    now: NOW,
  })
}

test('a failure counts for as long as refusals are kept, and not one millisecond longer', () => {
  const failing = {
    failingReason: 'timeout',
    failingSince: NOW - 5,
    failingAt: NOW - REFUSED_HOSTS.keepMs + 1,
  }
  assert.equal(health(failing).state, 'failing')
  assert.equal(health({ ...failing, failingAt: NOW - REFUSED_HOSTS.keepMs }).state, 'ok')
  assert.equal(health({ failingAt: NOW }).state, 'ok', 'without a reason nothing fails')
})

test('only a channel that sends nothing is an obstacle, and a hold is one whatever the channel', () => {
  const failing = health({ failingReason: 'timeout', failingSince: NOW, failingAt: NOW })
  assert.equal(obstacleOf(failing, { isHeld: false })?.reason, 'timeout')
  const paused = health({ pausedReason: 'InvalidProviderToken', pausedSince: NOW, retryAt: NOW })
  assert.equal(obstacleOf(paused, { isHeld: false })?.reason, 'InvalidProviderToken')
  const partial = health({
    refusedHosts: [{ host: 'push.example', reason: 'http_403', since: NOW, at: NOW }],
  })
  for (const state of [health({}), partial]) assert.equal(obstacleOf(state, { isHeld: false }), null)
  assert.equal(obstacleOf(health({}), { isHeld: true })?.reason, 'sending_held')
  assert.equal(obstacleOf(paused, { isHeld: true })?.reason, 'sending_held')
})

test('an obstacle keeps back what is not sent yet', () => {
  assert.deepEqual([isObstructed('queued'), isObstructed('sending')], [true, true])
  assert.deepEqual([isObstructed('scheduled'), isObstructed('sent')], [false, false])
})
