import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { Channels } from '../../src/delivery/channels.ts'
import type { RecipientVerdict } from '../../src/delivery/outcomes.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { BRAKE_REASON, BRAKE_RULES } from '../../src/rules/push.ts'
import { saveChannelFailure } from '../../src/store/push/channel-failures.ts'
import { loadChannel, pauseChannel } from '../../src/store/push/channels.ts'
import { recipientOf } from '../../src/store/push/recipient.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const SENDER = {
  credential: 'ios',
  mainHost: null,
  hasManyHosts: false,
  hostOf: () => 'https://push.example',
  prepare: () => () => undefined,
} as const

const SUSPECT = { kind: 'gone', reason: 'DeviceTokenNotForTopic', goneAt: null, isSuspect: true } as const

async function openChannels() {
  const { brandId } = await brand()
  const ref = { brandId, platform: 'ios' } as const
  const channels = new Channels({ db: database, open: async () => SENDER })
  const find = async () => {
    const found = await channels.find(ref)
    assert.ok(found.kind === 'ready')
    return found
  }
  const judge = async (verdicts: readonly Verdict[]) =>
    channels.judge(ref, await find(), { verdicts: verdicts.map(on), now: Date.now() })
  return { ref, channels, find, judge }
}

function on(verdict: Verdict): RecipientVerdict {
  const facts = { address: '', language: null, timeZone: null, isVirtual: false, registeredAt: 0 }
  return { recipient: recipientOf({ id: 1n, ...facts }), verdict, at: Date.now() }
}

/** Time that stands still until the test moves it: a channel is remembered for a second. */
function stopTime(context: TestContext): { now: number } {
  const time = { now: Math.ceil(performance.now()) }
  context.mock.method(performance, 'now', () => time.now)
  return time
}

test('few devices that a wrong setting may have killed pause nothing; one too many pauses the channel', async () => {
  const { judge } = await openChannels()
  const few = await judge(Array.from({ length: BRAKE_RULES.devicesMax }, () => SUSPECT))
  assert.deepEqual([few.to, few.held.size], ['working', 0])
  const oneMore = await judge([SUSPECT])
  assert.deepEqual([oneMore.to, oneMore.reason, oneMore.held.size], ['paused', BRAKE_REASON, 1])
})

test('devices that a push host calls dead pause nothing, though the brake holds them', async () => {
  const { judge } = await openChannels()
  const gone = { ...SUSPECT, isSuspect: false }
  await judge(Array.from({ length: BRAKE_RULES.devicesMax }, () => gone))
  const held = await judge([gone])
  assert.deepEqual([held.to, held.reason, held.held.size], ['working', '', 1])
})

test('a refused credential pauses the channel with the reason of the refusal', async () => {
  const { ref, channels, find, judge } = await openChannels()
  const sender = await find()
  const move = await judge([{ kind: 'accepted' }, { kind: 'paused', reason: 'invalid_grant' }])
  assert.deepEqual([move.to, move.reason], ['paused', 'invalid_grant'])
  await channels.move(ref, sender, move)
  assert.deepEqual(await channels.find(ref), { kind: 'paused' })
  assert.equal((await loadChannel(database, ref))?.pausedReason, 'invalid_grant')
  assert.equal((await channels.open(ref)).kind, 'ready', 'a test may be sent on a paused channel')
})

test('a paused channel is probed when its time has come, and an acceptance ends the pause', async (context) => {
  const time = stopTime(context)
  const { ref, channels, find, judge } = await openChannels()
  assert.deepEqual([(await find()).state, (await find()).isFailing], ['working', false])
  const pause = { ...ref, version: 0, reason: 'refused' }
  await pauseChannel(database, { ...pause, pauseMs: 3_600_000 })
  time.now += 1_000
  assert.deepEqual(await channels.find(ref), { kind: 'paused' })
  await pauseChannel(database, { ...pause, pauseMs: -1 })
  time.now += 1_000
  const probing = await find()
  assert.equal(probing.state, 'probing')
  const move = await judge([{ kind: 'accepted' }])
  assert.equal(move.to, 'working')
  await channels.move(ref, probing, move)
  assert.equal((await loadChannel(database, ref))?.pausedReason, null)
  assert.equal((await find()).state, 'working')
})

test('a sender knows whether its channel is failing, and a brand without a credential has none', async (context) => {
  const time = stopTime(context)
  const { ref, find } = await openChannels()
  await saveChannelFailure(database, { ...ref, version: 0, reason: 'http_503' })
  assert.equal((await find()).isFailing, true)
  time.now += 1_000
  const none = new Channels({ db: database, open: async () => null })
  assert.deepEqual(await none.find(ref), { kind: 'no_credential' })
})
