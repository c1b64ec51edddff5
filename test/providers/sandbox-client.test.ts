import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { sandboxClient } from '../../src/delivery/sandbox/client.ts'
import { faultRulesIn } from '../../src/delivery/sandbox/faults.ts'
import { SANDBOX_FAULT_LIMITS, type SandboxFaultDraft } from '../../src/rules/sandbox.ts'
import { openSandboxDesk } from '../support/push/sandbox-desk.ts'

const BRAND = 7
const RULE: SandboxFaultDraft = {
  fault: 'answer',
  status: 503,
  retryAfter: 5,
  delayMs: 1,
  share: 0.5,
  host: 'fcm',
  token: 'a-token',
  times: 3,
  seconds: 60,
}

async function openDesk(context: TestContext) {
  const desk = await openSandboxDesk()
  context.after(desk.close)
  return desk
}

test('a rule of the dial comes back as it was asked for, is listed for its brand, and is removed', async (context) => {
  const { deps } = await openDesk(context)
  const { seconds: _, ...asked } = RULE
  const any = { ...RULE, fault: 'late', retryAfter: null, host: null, token: null, times: null } as const
  const [first, second] = [await deps.addFault(BRAND, RULE), await deps.addFault(BRAND, any)]
  assert.ok(first !== null && first !== 'too_many' && second !== null && second !== 'too_many')
  const { id, endsAt, count, ...rule } = first
  assert.deepEqual([rule, count], [asked, 0])
  assert.ok(id !== second.id && endsAt > 0)
  assert.deepEqual(await deps.faults(BRAND), [first, second])
  assert.deepEqual([second.retryAfter, second.host, second.token, second.times], [null, null, null, null])
  assert.deepEqual(await deps.faults(BRAND + 1), [])
  assert.equal(await deps.clearFaults(BRAND), 2)
  assert.deepEqual(await deps.faults(BRAND), [])
})

test('a brand with as many rules as it may have is told so, and a rule that the dial refuses is null', async (context) => {
  const { deps } = await openDesk(context)
  for (let count = 0; count < SANDBOX_FAULT_LIMITS.brandRulesMax; count += 1) await deps.addFault(BRAND, RULE)
  assert.equal(await deps.addFault(BRAND, RULE), 'too_many')
  assert.equal(await deps.addFault(BRAND, { ...RULE, share: 2 }), null)
})

test('a strange rule in an answer is left out', () => {
  const good = { id: 1, fault: 'hang', status: 0, delayMs: 0, share: 1, host: null, endsAt: 5, count: 0 }
  assert.deepEqual(
    faultRulesIn([good, { ...good, fault: 'melt' }, { ...good, host: 'mars' }, 'text', null]).map(
      ({ id }) => id,
    ),
    [1],
  )
  assert.deepEqual(faultRulesIn('no list'), [])
})

test('messages are listed with their collapse ids, for all devices and for each of some', async (context) => {
  const { deps, sandbox } = await openDesk(context)
  const add = (address: string, collapseId: string | null): void =>
    sandbox.inbox.add({
      platform: 'android',
      address,
      arrivedAt: 5,
      collapseId,
      headers: {},
      payload: { notification: { title: address } },
    })
  add('one', 'c')
  add('two', null)
  assert.deepEqual(await deps.arrivals(), [
    {
      platform: 'android',
      address: 'one',
      arrivedAt: 5,
      collapseId: 'c',
      payload: { notification: { title: 'one' } },
    },
    {
      platform: 'android',
      address: 'two',
      arrivedAt: 5,
      collapseId: null,
      payload: { notification: { title: 'two' } },
    },
  ])
  const devices = ['two', 'none', 'one'].map((address) => ({ platform: 'android' as const, address }))
  const lists = await deps.messagesOf(devices)
  assert.deepEqual(
    lists?.map((list) => list.map(({ title, collapseId }) => [title, collapseId])),
    [[['two', null]], [], [['one', 'c']]],
  )
  assert.deepEqual(await deps.messagesOf([]), [])
  assert.equal(await deps.isPresent(), true)
})

test('a browser is asked for with its key, and an app without one', async (context) => {
  const { access } = await openDesk(context)
  const asked: string[] = []
  const controlUrl = await answering(context, '{"platform":"any"}', asked)
  const client = sandboxClient(async () => ({ ...access, controlUrl }))
  assert.deepEqual(await client.newDevice('web', 'a-key'), { platform: 'any' })
  await client.newDevice('ios', null)
  assert.deepEqual(asked, ['POST /devices/web?vapid_key=a-key', 'POST /devices/ios'])
})

test('without a sandbox every answer is null', async () => {
  const client = sandboxClient(async () => null)
  assert.equal(await client.isPresent(), false)
  await assertAllNull(client)
  assert.equal(await client.messagesOf([]), null)
})

test('a sandbox that does not answer, or answers anything else, is as none', async (context) => {
  const { access } = await openDesk(context)
  await assertAllNull(sandboxClient(async () => ({ ...access, controlUrl: 'http://127.0.0.1:1' })))
  await assertAllNull(sandboxClient(async () => ({ ...access, controlToken: 'guessed' })))
  const controlUrl = await answering(context, 'null')
  const odd = sandboxClient(async () => ({ ...access, controlUrl }))
  assert.equal(await odd.arrivals(), null)
  assert.deepEqual(await odd.messagesOf([{ platform: 'ios', address: 'a' }]), [[]])
  assert.deepEqual(await odd.faults(BRAND), [])
  assert.equal(await odd.addFault(BRAND, RULE), null)
})

async function assertAllNull(client: ReturnType<typeof sandboxClient>): Promise<void> {
  assert.equal(await client.arrivals(), null)
  assert.equal(await client.messagesOf([{ platform: 'ios', address: 'a' }]), null)
  assert.equal(await client.newDevice('android', null), null)
  assert.equal(await client.faults(BRAND), null)
  assert.equal(await client.addFault(BRAND, RULE), null)
  assert.equal(await client.clearFaults(BRAND), null)
}

/** A server with one answer to everything, which notes what it is asked. */
async function answering(context: TestContext, body: string, asked: string[] = []): Promise<string> {
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end(body)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  context.after(() => server.close())
  return `http://127.0.0.1:${Object(server.address()).port}`
}
