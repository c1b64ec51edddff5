import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CredentialSender } from '../../src/delivery/channel-sender.ts'
import { CoolDowns } from '../../src/delivery/health/cool-downs.ts'
import type { RetryScope, Verdict } from '../../src/domain/push/verdict.ts'
import { COOL_DOWN_RULES, PAUSE_RULES } from '../../src/rules/push.ts'
import type { Recipient } from '../../src/store/push/recipient.ts'
import { FakeTime } from '../support/fake-time.ts'

const ACCEPTED: Verdict = { kind: 'accepted' }
const REFUSED: Verdict = { kind: 'paused', reason: 'http_403' }

function busy(scope: RetryScope, waitMs = 0): Verdict {
  return { kind: 'retry', reason: 'http_503', waitMs, scope }
}

function hostOf({ address }: Recipient): string {
  return address
}

function senderOf(credential: string, hasManyHosts = true): CredentialSender {
  return { credential, mainHost: null, hasManyHosts, hostOf, prepare: () => () => undefined }
}

function recipientAt(host: string): Recipient {
  return {
    id: 1n,
    person: 1n,
    subscriptionId: '1',
    address: host,
    webP256dh: null,
    webAuth: null,
    vapidKeyId: null,
    environment: null,
    language: null,
    timeZone: null,
    browser: null,
    appVersion: null,
    tags: [],
    isVirtual: false,
    createdAt: 0,
    registeredAt: 0,
    absence: null,
    user: null,
    personLanguage: null,
  }
}

/** Two credentials and two push hosts, and how long a message of each pair must wait. */
function openCoolDowns() {
  const time = new FakeTime()
  const coolDowns = new CoolDowns({ time })
  const senders = { a: senderOf('a'), b: senderOf('b') }
  return {
    time,
    coolDowns,
    learn: (credential: 'a' | 'b', host: string, verdict: Verdict) =>
      coolDowns.learn(senders[credential], recipientAt(host), verdict),
    waits: () =>
      (['a', 'b'] as const).map((credential) =>
        ['one', 'two'].map((host) => coolDowns.waitMs(senders[credential], recipientAt(host))),
      ),
  }
}

test('a provider that asks for a wait gets it, for as many messages as it asked', () => {
  const address = openCoolDowns()
  address.learn('a', 'one', busy('address', 500))
  assert.deepEqual(address.waits(), [
    [0, 0],
    [0, 0],
  ])
  const credential = openCoolDowns()
  credential.learn('a', 'one', busy('credential', 500))
  assert.deepEqual(credential.waits(), [
    [500, 500],
    [0, 0],
  ])
  const host = openCoolDowns()
  host.learn('a', 'one', busy('host', 500))
  assert.deepEqual(host.waits(), [
    [500, 0],
    [0, 0],
  ])
})

test('messages without an answer cool a credential down at their push host, and nowhere else', () => {
  const { learn, waits } = openCoolDowns()
  for (let done = 0; done < COOL_DOWN_RULES.failuresInRow; done += 1) {
    learn('a', 'one', { kind: 'unknown', reason: 'timeout' })
  }
  assert.deepEqual(waits(), [
    [COOL_DOWN_RULES.failuresMs, 0],
    [0, 0],
  ])
})

test('messages in flight that ask for the wait that began already are no further failures', () => {
  const { learn, waits } = openCoolDowns()
  for (let done = 0; done < COOL_DOWN_RULES.failuresInRow; done += 1) learn('a', 'one', busy('host', 500))
  assert.equal(waits()[0]?.[0], 500)
})

test('no provider stops us for longer than the bound', () => {
  const { learn, waits } = openCoolDowns()
  learn('a', 'one', busy('host', 10 * COOL_DOWN_RULES.waitMsMax))
  assert.equal(waits()[0]?.[0], COOL_DOWN_RULES.waitMsMax)
})

test('a push host rests after a row of failures, and an accepted message breaks the row', () => {
  const { learn, waits } = openCoolDowns()
  const fail = (count: number): void => {
    for (let done = 0; done < count; done += 1) learn('a', 'one', busy('host'))
  }
  fail(COOL_DOWN_RULES.failuresInRow - 1)
  learn('a', 'one', ACCEPTED)
  fail(COOL_DOWN_RULES.failuresInRow - 1)
  assert.equal(waits()[0]?.[0], 0)
  fail(1)
  assert.equal(waits()[0]?.[0], COOL_DOWN_RULES.failuresMs)
})

test('a push host that goes on failing rests longer each time, up to a bound', async () => {
  const { learn, waits, time } = openCoolDowns()
  const { failuresInRow, failuresMs, failuresMsMax } = COOL_DOWN_RULES
  for (let row = 0; row < 8; row += 1) {
    // All messages that were in flight fail together, and count as one row.
    for (let done = 0; done < failuresInRow * 10; done += 1) learn('a', 'one', busy('host'))
    assert.equal(waits()[0]?.[0], Math.min(failuresMs * 2 ** row, failuresMsMax))
    await time.pass(failuresMsMax)
  }
  learn('a', 'one', ACCEPTED)
  for (let done = 0; done < failuresInRow; done += 1) learn('a', 'one', busy('host'))
  assert.equal(waits()[0]?.[0], failuresMs)
})

test('a push host that refuses a credential is left alone with it, and with no other', async () => {
  const { coolDowns, learn, waits, time } = openCoolDowns()
  for (let done = 0; done < COOL_DOWN_RULES.refusalsInRow; done += 1) learn('a', 'one', REFUSED)
  assert.deepEqual(waits(), [
    [PAUSE_RULES.pauseMs, 0],
    [0, 0],
  ])
  assert.equal(coolDowns.isRefused('a', 'one'), true)
  await time.pass(PAUSE_RULES.pauseMs)
  assert.deepEqual(waits(), [
    [0, 0],
    [0, 0],
  ])
  learn('a', 'one', REFUSED)
  assert.deepEqual(waits(), [
    [PAUSE_RULES.pauseMs, 0],
    [0, 0],
  ])
})

test('the credential is at fault when every push host that answered refuses it', () => {
  const { coolDowns, learn } = openCoolDowns()
  assert.equal(coolDowns.isRefusedByAll('a'), false)
  learn('a', 'two', ACCEPTED)
  for (let done = 0; done < COOL_DOWN_RULES.refusalsInRow; done += 1) learn('a', 'one', REFUSED)
  assert.equal(coolDowns.isRefusedByAll('a'), false)
  for (let done = 0; done < COOL_DOWN_RULES.refusalsInRow; done += 1) learn('a', 'two', REFUSED)
  assert.equal(coolDowns.isRefusedByAll('a'), true)
  learn('a', 'one', ACCEPTED)
  assert.equal(coolDowns.isRefusedByAll('a'), false)
})

test('with one push host a refusal cools nothing down: it pauses the channel', () => {
  const coolDowns = new CoolDowns()
  const sender = senderOf('a', false)
  for (let done = 0; done < COOL_DOWN_RULES.refusalsInRow; done += 1)
    coolDowns.learn(sender, recipientAt('one'), REFUSED)
  assert.equal(coolDowns.waitMs(sender, recipientAt('one')), 0)
})

/** As many push hosts as are remembered for a credential. */
const HOSTS_MAX = 1_000

function refuseAt(learn: (credential: 'a', host: string, verdict: Verdict) => void, host: string): void {
  for (let done = 0; done < COOL_DOWN_RULES.refusalsInRow; done += 1) learn('a', host, REFUSED)
}

test('one push host that refuses is not every one, however many others accepted', () => {
  const { coolDowns, learn } = openCoolDowns()
  for (let host = 0; host < HOSTS_MAX; host += 1) learn('a', `host ${host}`, ACCEPTED)
  refuseAt(learn, 'angry')
  assert.equal(coolDowns.isRefused('a', 'angry'), true)
  assert.equal(coolDowns.isRefusedByAll('a'), false)
})

test('an acceptance is not forgotten because of any number of push hosts that refuse', () => {
  const { coolDowns, learn } = openCoolDowns()
  learn('a', 'calm', ACCEPTED)
  for (let host = 0; host < HOSTS_MAX; host += 1) refuseAt(learn, `angry ${host}`)
  assert.equal(coolDowns.isRefusedByAll('a'), false)
})

test('an acceptance counts, though as many push hosts as are remembered refuse', () => {
  const { coolDowns, learn } = openCoolDowns()
  for (let host = 0; host < HOSTS_MAX; host += 1) refuseAt(learn, `angry ${host}`)
  assert.equal(coolDowns.isRefusedByAll('a'), true)
  learn('a', 'calm', ACCEPTED)
  assert.equal(coolDowns.isRefusedByAll('a'), false)
})

test('a push host that accepts makes no other one forgotten before the list is full, and then the oldest', () => {
  const few = openCoolDowns()
  few.learn('a', 'one', ACCEPTED)
  few.learn('a', 'two', ACCEPTED)
  refuseAt(few.learn, 'two')
  assert.equal(few.coolDowns.isRefusedByAll('a'), false)
  const { coolDowns, learn } = openCoolDowns()
  for (let host = 0; host <= HOSTS_MAX; host += 1) learn('a', `host ${host}`, ACCEPTED)
  learn('a', 'host 500', ACCEPTED)
  for (let host = 2; host <= HOSTS_MAX; host += 1) refuseAt(learn, `host ${host}`)
  assert.equal(coolDowns.isRefusedByAll('a'), false, 'the second host is remembered')
  refuseAt(learn, 'host 1')
  assert.equal(coolDowns.isRefusedByAll('a'), true, 'the first host is not')
})
