import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { ApnsChannel } from '../../src/providers/apns/client.ts'
import { FcmChannel } from '../../src/providers/fcm/client.ts'
import type { PoolLimits } from '../../src/providers/pool-limits.ts'
import { WebPushChannel } from '../../src/providers/webpush/client.ts'
import { EncryptPool } from '../../src/providers/webpush/encrypt-pool.ts'
import { SANDBOX_FAULT_LIMITS, SANDBOX_HOSTS, type SandboxHost } from '../../src/rules/sandbox.ts'
import { createReceiptSigner } from '../../src/runtime/secrets/receipt-token.ts'
import { FaultDial, type FaultDraft } from '../../src/sandbox/fault-dial.ts'
import { TOKEN_PATH } from '../../src/sandbox/fcm/fcm-sandbox.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { CONTENT, openBench, recipientOf, testClock, until } from './support.ts'

const DRAFT: FaultDraft = {
  brandId: 7,
  fault: 'hang',
  status: 503,
  retryAfter: null,
  delayMs: 1,
  share: 1,
  host: null,
  token: null,
  times: null,
  seconds: 60,
}

const receipts = createReceiptSigner({
  secret: 'the secret of a test, which is long enough',
  oldSecrets: [],
  lifeDays: 90,
})

function receiptOf(brandId: number): string {
  const delivery = { brandId, notificationId: '018f3f3e-0000-7000-8000-000000000000', subscriptionId: 1n }
  return receipts.sign(delivery, Date.now())
}

/** Sends one message of a brand through a channel of each push service. */
async function openChannels(t: TestContext, limits: Partial<PoolLimits> = {}) {
  const bench = await openBench(t, limits)
  const { sandbox } = bench
  const { fcm, apns, web, servers } = sandbox
  const encryptor = new EncryptPool(1)
  t.after(async () => encryptor.close())
  const { origin } = servers.fcm
  const android = new FcmChannel(bench, fcm.newCredential(), { origin, tokenUrl: `${origin}${TOKEN_PATH}` })
  const at = { production: servers.apns.origin, sandbox: servers.apns.origin }
  const ios = new ApnsChannel(bench, { ...apns.newCredential(), environment: 'production' }, at)
  const pair = createECDH('prime256v1')
  const key = { publicKey: pair.generateKeys('base64url'), privateKey: pair.getPrivateKey('base64url') }
  const browsers = new WebPushChannel(
    { ...bench, encryptor },
    { subject: 'mailto:push@shop.example', keys: [key] },
  )
  const subscription = web.newSubscription(key.publicKey)
  const addresses = { fcm: fcm.newToken(), apns: apns.newToken(), webpush: subscription.endpoint }
  const browser = { ...subscription.keys, endpoint: subscription.endpoint, family: null, vapidKey: null }
  const send: Readonly<Record<SandboxHost, (brandId: number) => Promise<Verdict>>> = {
    fcm: async (brandId) =>
      android
        .prepare(CONTENT)
        .send({ ...recipientOf({ token: addresses.fcm }), receipt: receiptOf(brandId) }),
    apns: async (brandId) =>
      ios.prepare(CONTENT).send({
        ...recipientOf({ token: addresses.apns, environment: null }),
        receipt: receiptOf(brandId),
      }),
    webpush: async (brandId) =>
      browsers.prepare(CONTENT).send({ ...recipientOf(browser), receipt: receiptOf(brandId) }),
  }
  return { ...bench, addresses, send, dial: sandbox.dial, inbox: sandbox.inbox }
}

for (const host of SANDBOX_HOSTS) {
  test(`${host}: an answer is given with its Retry-After, and the message is not taken`, async (t) => {
    const { dial, send, inbox } = await openChannels(t)
    dial.add({ ...DRAFT, fault: 'answer', status: 503, retryAfter: 77 })
    const verdict = await send[host](7)
    assert.equal(verdict.kind === 'retry' && verdict.waitMs, 77_000)
    for (const status of [302, 408, 421, 425, 429]) {
      dial.clear(7)
      dial.add({ ...DRAFT, fault: 'answer', status })
      assert.equal((await send[host](7)).kind, status === 302 ? 'paused' : 'retry', String(status))
    }
    assert.equal(inbox.total, 0)
    dial.clear(7)
    assert.deepEqual(await send[host](7), { kind: 'accepted' })
    assert.equal(inbox.total, 1)
  })

  test(`${host}: reset takes nothing, close takes the message and says nothing`, async (t) => {
    const { dial, send, inbox } = await openChannels(t)
    dial.add({ ...DRAFT, fault: 'reset' })
    assert.equal((await send[host](7)).kind, 'unknown')
    assert.equal(inbox.total, 0)
    dial.clear(7)
    dial.add({ ...DRAFT, fault: 'close' })
    assert.equal((await send[host](7)).kind, 'unknown')
    assert.equal(inbox.total, 1)
    dial.clear(7)
    assert.deepEqual(await send[host](7), { kind: 'accepted' })
  })

  test(`${host}: late answers late, and a caller that hangs up before does no harm`, async (t) => {
    const { dial, send, inbox } = await openChannels(t)
    dial.add({ ...DRAFT, fault: 'late', delayMs: 50 })
    assert.deepEqual(await send[host](7), { kind: 'accepted' })
    assert.equal(inbox.total, 1)
    const impatient = await openChannels(t, { answerMs: 200 })
    // The access token and the connections are there before the patience matters.
    await until(async () => (await impatient.send[host](8)).kind === 'accepted')
    impatient.dial.add({ ...DRAFT, fault: 'late', delayMs: 1000 })
    assert.equal((await impatient.send[host](7)).kind, 'unknown')
    await until(async () => (await impatient.send[host](8)).kind === 'accepted')
  })

  test(`${host}: hang answers nobody, drip takes the message and gives its status`, async (t) => {
    const { dial, send, inbox } = await openChannels(t, { answerMs: 300 })
    await until(async () => (await send[host](8)).kind === 'accepted')
    const before = inbox.total
    dial.add({ ...DRAFT, fault: 'hang' })
    assert.deepEqual(await send[host](7), { kind: 'unknown', reason: 'timeout' })
    assert.equal(inbox.total, before)
    dial.clear(7)
    dial.add({ ...DRAFT, fault: 'drip' })
    // A slow machine may not even have the status in time.
    await until(async () => (await send[host](7)).kind === 'accepted')
    assert.ok(inbox.total > before)
  })

  test(`${host}: a rule is for its brand, its push service and its device alone`, async (t) => {
    const { dial, send, addresses } = await openChannels(t)
    const kindOf = async (brandId: number): Promise<string> => (await send[host](brandId)).kind
    const other = SANDBOX_HOSTS.find((one) => one !== host) ?? null
    const answer: FaultDraft = { ...DRAFT, fault: 'answer' }
    const cases: readonly [FaultDraft, string][] = [
      [{ ...answer, brandId: 8 }, 'accepted'],
      [{ ...answer, host: other }, 'accepted'],
      [{ ...answer, token: `${addresses[host]}x` }, 'accepted'],
      [{ ...answer, host }, 'retry'],
      [{ ...answer, token: addresses[host] }, 'retry'],
      [{ ...answer, brandId: null }, 'retry'],
    ]
    for (const [draft, kind] of cases) {
      dial.add(draft)
      assert.equal(await kindOf(7), kind, JSON.stringify(draft))
      assert.deepEqual(
        dial.list(draft.brandId).map(({ count }) => count),
        [kind === 'retry' ? 1 : 0],
      )
      dial.clear(draft.brandId)
    }
  })
}

const CALL = { host: 'fcm', address: 'a', brandOf: () => 7 } as const

test('a share of the messages fails, by chance', () => {
  const dice = new SeededRandom(1)
  const dial = new FaultDial({ clock: testClock(), random: () => dice.next() })
  dial.add({ ...DRAFT, share: 0.1 })
  const failed = Array.from({ length: 10_000 }, () => dial.pick(CALL)).filter((rule) => rule !== undefined)
  assert.ok(failed.length > 900 && failed.length < 1100, String(failed.length))
  assert.equal(dial.list(7)[0]?.count, failed.length)
})

test('a rule happens as many times as it was told', () => {
  const dial = new FaultDial({ clock: testClock(), random: () => 0 })
  dial.add({ ...DRAFT, times: 3 })
  const failed = Array.from({ length: 10 }, () => dial.pick(CALL)).filter((rule) => rule !== undefined)
  assert.equal(failed.length, 3)
  assert.equal(dial.list(7)[0]?.count, 3)
})

test('a rule ends by itself', () => {
  const clock = testClock()
  const dial = new FaultDial({ clock, random: () => 0 })
  dial.add({ ...DRAFT, seconds: 5 })
  clock.advance(4_999)
  assert.ok(dial.pick(CALL))
  clock.advance(1)
  assert.equal(dial.pick(CALL), undefined)
  assert.deepEqual(dial.list(7), [])
})

test('rules are bounded by brand and in all, and a brand clears its own', () => {
  const { brandRulesMax, rulesMax } = SANDBOX_FAULT_LIMITS
  const dial = new FaultDial({ clock: testClock(), random: () => 0 })
  for (let count = 0; count < brandRulesMax; count += 1) assert.ok(dial.add(DRAFT))
  assert.equal(dial.add(DRAFT), null)
  for (let brandId = 8; brandId < 8 + rulesMax / brandRulesMax - 1; brandId += 1) {
    for (let count = 0; count < brandRulesMax; count += 1) assert.ok(dial.add({ ...DRAFT, brandId }))
  }
  assert.equal(dial.add({ ...DRAFT, brandId: 6 }), null)
  assert.equal(dial.clear(7), brandRulesMax)
  assert.ok(dial.add({ ...DRAFT, brandId: 6 }))
  assert.equal(dial.list(8).length, brandRulesMax)
})
