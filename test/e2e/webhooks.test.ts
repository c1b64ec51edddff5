import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { until } from '../support/until.ts'
import {
  addHook,
  api,
  endpoint,
  happen,
  hasten,
  hooks,
  listOf,
  log,
  objectOf,
  server,
  signedHeaders,
  untilTried,
} from '../support/webhooks/hook-calls.ts'

test('an event arrives signed, so that the library of the standard accepts it and nothing else', async () => {
  const hook = await addHook()
  await happen(hook)
  await until(() => hooks.arrived.length === 1, { what: 'the call' })
  const [arrived] = hooks.arrived
  assert.ok(arrived !== undefined)
  const { body } = arrived
  const signed = signedHeaders(arrived)
  const event = objectOf(new Webhook(hook.secret).verify(body, signed))
  assert.equal(event['type'], 'journey.entered')
  assert.equal(event['id'], signed['webhook-id'])
  assert.deepEqual(event['data'], { number: 0 })
  assert.throws(() => new Webhook(hook.secret).verify(`${body} `, signed))
  assert.throws(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, signed))
  const [message] = await untilTried(hook)
  assert.deepEqual([message?.['state'], message?.['id']], ['delivered', signed['webhook-id']])
})

test('after a rotation both secrets sign, and without an overlap only the new one', async () => {
  const hook = await addHook()
  const rotated = objectOf((await api(hook.brand, 'POST', `/${hook.id}/rotate`, {}))['webhook'])
  const second = String(rotated['secret'])
  await happen(hook)
  await until(() => hooks.arrived.length === 1, { what: 'the call' })
  const third = String(
    objectOf((await api(hook.brand, 'POST', `/${hook.id}/rotate`, { overlap_hours: 0 }))['webhook'])[
      'secret'
    ],
  )
  await happen(hook)
  await until(() => hooks.arrived.length === 2, { what: 'the second call' })
  const verdicts = hooks.arrived.map((arrived) =>
    [hook.secret, second, third].map((secret) => {
      try {
        new Webhook(secret).verify(arrived.body, signedHeaders(arrived))
        return true
      } catch {
        return false
      }
    }),
  )
  assert.deepEqual(verdicts, [
    [true, true, false],
    [false, false, true],
  ])
})

test('batches carry many events in one signed array, and never more than was asked', async () => {
  const hook = await addHook({ batch_max: 10 })
  await happen(hook, 25)
  await until(async () => (await log(hook)).every(({ state }) => state === 'delivered'), { what: 'delivery' })
  const sizes = hooks.arrived.map(
    (arrived) => listOf(new Webhook(hook.secret).verify(arrived.body, signedHeaders(arrived))).length,
  )
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    25,
  )
  assert.ok(sizes.length < 25 && sizes.every((size) => size <= 10), String(sizes))
  const ids = new Set(hooks.arrived.map((arrived) => signedHeaders(arrived)['webhook-id']))
  assert.equal(ids.size, sizes.length, 'each batch has an id of its own')
  const events = new Set((await log(hook)).map(({ id }) => id))
  assert.ok(ids.isDisjointFrom(events), 'which is none of an event')
})

test('one message, or all that failed in a span of time, is sent again', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(500).end())
  await happen(hook, 2)
  await untilTried(hook)
  const { failing_since: since } = await endpoint(hook)
  // The last attempt of the schedule.
  await server.deps.database.query('update webhook_messages set attempt = 9 where brand_id = $1', [
    hook.brand.brandId,
  ])
  await hasten(hook)
  await until(async () => (await log(hook)).every(({ state }) => state === 'failed'), { what: 'the end' })
  assert.equal((await endpoint(hook))['failing_since'], since, 'it fails since the first time, not the last')
  hooks.answer((response) => void response.writeHead(200).end('thanks'))
  const [first] = await log(hook)
  assert.equal(
    (await api(hook.brand, 'POST', `/${hook.id}/messages/${String(first?.['id'])}/redrive`))['count'],
    1,
  )
  await until(async () => (await log(hook))[0]?.['state'] === 'delivered', { what: 'the redriven one' })
  const from = new Date(Date.now() - 600_000).toISOString()
  assert.equal((await api(hook.brand, 'POST', `/${hook.id}/redrive`, { from }))['count'], 1)
  await until(async () => (await log(hook)).every(({ state }) => state === 'delivered'), { what: 'both' })
  const [message] = await log(hook)
  assert.deepEqual(
    listOf(message?.['attempts']).map(({ status, answer }) => [status, answer]),
    [
      [500, ''],
      [500, ''],
      [200, 'thanks'],
    ],
  )
})

test('what failed and waits for its next attempt need not wait for it', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(500).end())
  await happen(hook, 3)
  await untilTried(hook)
  await server.deps.database.query(
    `update webhook_messages set ready_at = now() + interval '5 hours' where brand_id = $1`,
    [hook.brand.brandId],
  )
  hooks.answer((response) => void response.writeHead(200).end())
  const [first] = await log(hook)
  const one = await api(hook.brand, 'POST', `/${hook.id}/messages/${String(first?.['id'])}/redrive`)
  assert.equal(one['count'], 1)
  await until(async () => (await log(hook))[0]?.['state'] === 'delivered', { what: 'the first' })
  const [before, from, later, end] = [1_200_000, 600_000, -600_000, -1_200_000].map((ms) =>
    new Date(Date.now() - ms).toISOString(),
  )
  const redrive = async (span: object) =>
    (await api(hook.brand, 'POST', `/${hook.id}/redrive`, span))['count']
  assert.deepEqual(
    [await redrive({ from: before, to: from }), await redrive({ from: later, to: end })],
    [0, 0],
  )
  assert.equal(await redrive({ from }), 2)
  await until(async () => (await log(hook)).every(({ state }) => state === 'delivered'), {
    what: 'the others',
  })
})

test('the test button tells what the endpoint answered, and stores nothing', async () => {
  const hook = await addHook()
  hooks.answer((response) => void response.writeHead(418).end('no coffee'))
  const attempt = objectOf((await api(hook.brand, 'POST', `/${hook.id}/test`))['attempt'])
  assert.deepEqual([attempt['status'], attempt['answer']], [418, 'no coffee'])
  assert.equal(objectOf(JSON.parse(hooks.arrived[0]?.body ?? ''))['type'], 'webhook.test')
  assert.deepEqual(await log(hook), [])
  assert.equal((await endpoint(hook))['failing_since'], null)
})

test('of an erased person nothing is kept once it was delivered', async () => {
  const hook = await addHook({ event_types: ['profile.erased'] })
  await happen(hook, 1, 'profile.erased')
  const [message] = await untilTried(hook)
  assert.deepEqual([message?.['state'], message?.['data']], ['delivered', {}])
})
