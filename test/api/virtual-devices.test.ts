import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import type { JsonObject } from '../../src/domain/values/json.ts'
import type { Platform } from '../../src/rules/platforms.ts'
import { VIRTUAL_DEVICES, VIRTUAL_KINDS, VIRTUAL_LIMITS } from '../../src/rules/virtual-devices.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn, notificationIn, push } from '../support/push/calls.ts'
import { setCredential } from '../support/push/engine.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { listIn, objectIn, openVirtualDesk, PATH } from '../support/subscriptions/virtual-desk.ts'

const virtual = await openVirtualDesk()
after(virtual.close)
const { desk, server, until, api, make, devicesOf, messagesOn, shown, receiptsOf, liveCount } = virtual
const { database } = server.deps

for (const kind of VIRTUAL_KINDS) {
  test(`a push arrives on ${kind} and is shown, and its tap is counted once`, async () => {
    const brand = await server.brand()
    const { subscription_id: id, ...device } = await make(brand, { kind, user_id: 'ada' })
    const { platform, name } = VIRTUAL_DEVICES[kind]
    assert.deepEqual(
      { ...device, created_at: null },
      { kind, name, platform, user_id: 'ada', state: 'live', created_at: null, messages: [] },
    )
    const body = {
      user_id: 'ada',
      title: 'Hi {{ user.user_id }}',
      url: 'https://shop.example/x',
      image_url: 'https://shop.example/x.png',
      button_one_title: 'Buy',
      button_one_url: 'https://shop.example/buy',
    }
    const sent = notificationIn(await push(server.port, brand, { platform, body }))
    const [message] = await shown(brand, id, 1)
    const hasButtons = kind !== 'firefox'
    assert.deepEqual(
      { ...message, arrived_at: null, shown_at: null },
      {
        message_id: sent['id'],
        title: 'Hi ada',
        message: 'World',
        url: 'https://shop.example/x',
        image_url: 'https://shop.example/x.png',
        hero_image_url: null,
        buttons: hasButtons ? [{ title: 'Buy', url: 'https://shop.example/buy' }] : [],
        is_silent: false,
        arrived_at: null,
        state: 'shown',
        shown_at: null,
        clicked_at: null,
        dismissed_at: null,
        button: null,
      },
    )
    assert.deepEqual(await receiptsOf(brand, sent['id']), {
      received: 1,
      clicked: 0,
      dismissed: 0,
      button: 0,
    })

    const tap = { message_id: sent['id'], ...(hasButtons ? { button: 1 } : {}) }
    const tapped = await api(brand, 'POST', `${PATH}/${String(id)}/tap`, tap)
    assert.deepEqual([tapped.status, tapped.body['counted']], [200, hasButtons ? 2 : 1], tapped.text)
    assert.equal(objectIn(tapped.body, 'message')['state'], 'clicked')
    const again = await api(brand, 'POST', `${PATH}/${String(id)}/tap`, tap)
    assert.equal(again.body['counted'], 0)
    const [tappedOn] = await messagesOn(brand, id)
    assert.deepEqual([tappedOn?.['state'], tappedOn?.['button']], ['clicked', hasButtons ? 1 : null])
    const buttons = hasButtons ? 1 : 0
    assert.deepEqual(await receiptsOf(brand, sent['id']), {
      received: 1,
      clicked: 1,
      dismissed: 0,
      button: buttons,
    })
  })
}

test('a message is dismissed, a replaced one is gone, and another device or brand has none of them', async () => {
  const [brand, other] = [await server.brand(), await server.brand()]
  const { subscription_id: id } = await make(brand, { kind: 'android', name: 'Left', user_id: 'ada' })
  const { subscription_id: second } = await make(brand, { kind: 'android', name: 'Right', user_id: 'ben' })
  const { subscription_id: foreign } = await make(other, { kind: 'android', user_id: 'ada' })
  for (const title of ['One', 'Two']) {
    await push(server.port, brand, { body: { user_id: 'ada', title, notification_id: 7 } })
    await until(async () => (await messagesOn(brand, id))[0]?.['title'] === title)
  }
  const [message, ...rest] = await shown(brand, id, 1)
  assert.deepEqual([message?.['title'], rest], ['Two', []])
  assert.deepEqual([await messagesOn(brand, second), await messagesOn(other, foreign)], [[], []])

  const dismiss = { message_id: message?.['message_id'] }
  for (const [caller, device] of [
    [brand, second],
    [other, foreign],
    [other, id],
  ] as const) {
    const refused = await api(caller, 'POST', `${PATH}/${String(device)}/dismiss`, dismiss)
    assert.equal(refused.status, 404, refused.text)
  }
  const dismissed = await api(brand, 'POST', `${PATH}/${String(id)}/dismiss`, dismiss)
  assert.deepEqual([dismissed.status, dismissed.body['counted']], [200, 1], dismissed.text)
  assert.equal(objectIn(dismissed.body, 'message')['state'], 'dismissed')
  assert.equal((await api(other, 'DELETE', `${PATH}/${String(id)}`)).status, 404)
})

const CREDENTIALS: Readonly<Record<Exclude<Platform, 'web'>, object>> = {
  android: {
    projectId: 'shop',
    clientEmail: 'push@shop.example',
    privateKeyPem: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  },
  ios: {
    keyPem: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
    keyId: 'ABCDEFGHIJ',
    teamId: 'KLMNOPQRST',
    bundleId: 'app.shop',
    environment: 'production',
  },
}

for (const kind of ['android', 'iphone'] as const) {
  test(`${kind} gets its messages from the sandbox, whatever the credentials, and while they are refused`, async () => {
    const brand = await server.brand()
    const { brandId } = brand
    const { platform } = VIRTUAL_DEVICES[kind]
    // The push service, which is the sandbox in every test, does not know this credential.
    await setCredential(database, { brandId, platform }, CREDENTIALS[platform])
    const { subscription_id: id } = await make(brand, { kind, user_id: 'ada' })
    await push(server.port, brand, { platform, body: { user_id: 'ada' } })
    await shown(brand, id, 1)
    const stateOf = async (): Promise<unknown> => {
      const { body } = await api(brand, 'GET', '/api/v1/brand/channels')
      const channel = listIn(body, 'channels').find((one) => one['platform'] === platform)
      return objectIn(objectIn({ channel }, 'channel'), 'health')['state']
    }
    assert.equal(await stateOf(), 'ok')

    const address = platform === 'android' ? desk.sandbox.fcm.newToken() : desk.sandbox.apns.newToken()
    await api(brand, 'POST', '/api/v1/subscriptions', { platform, token: address, user_id: 'ben' })
    await push(server.port, brand, { platform, body: { user_id: 'ben' } })
    await until(async () => (await stateOf()) !== 'ok')
    const refused = await stateOf()
    await push(server.port, brand, { platform, body: { user_id: 'ada', title: 'Later' } })
    assert.equal((await shown(brand, id, 2))[0]?.['title'], 'Later')
    assert.equal(await stateOf(), refused, 'the sandbox says nothing about the channel')
    assert.equal(
      desk.sandbox.inbox.newest().some((arrival) => arrival.address === address),
      false,
    )
  })
}

test('a virtual browser is reached after the sandbox got another port and the brand another key', async () => {
  const brand = await server.brand()
  const { subscription_id: id } = await make(brand, { kind: 'chrome', user_id: 'ada' })
  await server.asOwner(`update subscriptions set address = regexp_replace(address, '^https://[^/]*', 'https://localhost:1')
    where brand_id = ${brand.brandId}`)
  await api(brand, 'DELETE', '/api/v1/brand/channels/web')
  await make(brand, { kind: 'firefox' })
  await push(server.port, brand, { platform: 'web', body: { user_id: 'ada' } })
  await shown(brand, id, 1)
})

test('broadcasts, campaigns, segments and the count of subscriptions leave them out, unless they are asked for', async () => {
  const brand = await server.brand()
  const { brandId } = brand
  const [real = 0n] = await seedSubscriptions(database, { brandId, userId: 'ada' })
  // A token that FCM would accept: the first push would retire any other, and the second reach one device fewer.
  const token = `${'i'.repeat(22)}:APA91b${'s'.repeat(134)}`
  await database.query(
    'update subscriptions set address = $3::text, address_hash = sha256($3::text::bytea) where brand_id = $1 and id = $2',
    [brandId, real, token],
  )
  const { subscription_id: id } = await make(brand, { kind: 'android', user_id: 'ada' })
  const { body: made } = await api(brand, 'POST', '/api/v1/segments', {
    name: 'Ada',
    filter: { users: ['ada'] },
  })
  const { segment_id: segmentId } = objectIn(made, 'segment')
  const audience = async (body: object): Promise<unknown> => {
    const mode = 'segment_id' in body ? 'segment' : 'all'
    return notificationIn(await push(server.port, brand, { mode, body: { dry_run: true, ...body } }))[
      'audience'
    ]
  }
  const include = { include_virtual_devices: true }
  assert.deepEqual([await audience({}), await audience(include)], [1, 2])
  const inSegment = { segment_id: segmentId }
  assert.deepEqual([await audience(inSegment), await audience({ ...inSegment, ...include })], [1, 2])

  const { body: preview } = await api(brand, 'POST', '/api/v1/segments/preview', {
    filter: { users: ['ada'] },
  })
  assert.match(JSON.stringify(preview), /"android":1|"count":1|"size":1/)
  assert.doesNotMatch(JSON.stringify(preview), new RegExp(String(id)))
  const members = await api(brand, 'GET', `/api/v1/segments/${String(segmentId)}/members`)
  assert.equal(members.body['processed'], 1, members.text)

  for (const [fields, devices] of [
    [{}, 1],
    [include, 2],
    [{ reach: 'latest_device' }, 1],
  ] as const) {
    const { body } = await api(brand, 'POST', '/api/v1/campaigns', {
      name: 'Hello',
      platforms: ['android'],
      content: { title: 'Hello', message: 'World' },
      audience: { users: ['ada'] },
      ...fields,
    })
    const { campaign_id: campaign } = objectIn(body, 'campaign')
    const counted = await api(brand, 'POST', `/api/v1/campaigns/${String(campaign)}/dry_run`)
    assert.match(counted.text, new RegExp(`"devices":${devices}\\b`), JSON.stringify(fields))
  }
  assert.equal(await liveCount(brand), 1)

  const left = notificationIn(await push(server.port, brand, { mode: 'all', body: { title: 'Without' } }))
  const reached = notificationIn(
    await push(server.port, brand, { mode: 'all', body: { title: 'With', ...include } }),
  )
  await shown(brand, id, 1)
  const report = async (one: unknown): Promise<JsonObject> =>
    objectIn((await api(brand, 'GET', `/api/v1/notifications/${String(one)}`)).body, 'notification')
  await until(
    async () => (await report(left['id']))['pending'] === 0 && (await report(reached['id']))['pending'] === 0,
  )
  assert.deepEqual(
    [(await report(left['id']))['accepted'], (await report(reached['id']))['accepted']],
    [1, 2],
  )
  assert.deepEqual(
    (await messagesOn(brand, id)).map(({ title }) => title),
    ['With'],
  )

  await database.asSystem(brandId, async (tx) =>
    tx.query('delete from subscriptions where brand_id = $1 and id = $2', [brandId, real]),
  )
  const explained = await api(brand, 'GET', `/api/v1/explain?user_id=ada&notification=${String(left['id'])}`)
  assert.match(explained.text, /only_virtual_devices/)
})

test('a virtual device is a flagged subscription that no registration takes over, and it can be deleted', async () => {
  const brand = await server.brand()
  const { subscription_id: id } = await make(brand, { kind: 'android' })
  const read = await api(brand, 'GET', `/api/v1/subscriptions/${String(id)}`)
  assert.equal(objectIn(read.body, 'subscription')['is_virtual'], true)
  const taken = await api(brand, 'POST', '/api/v1/subscriptions', {
    platform: 'android',
    token: 'a-real-token',
    subscription_id: id,
  })
  assert.deepEqual([taken.status, codesIn(taken)], [400, ['field_conflict']], taken.text)
  assert.equal((await api(brand, 'DELETE', `${PATH}/${String(id)}`)).status, 200)
  assert.deepEqual(await devicesOf(brand), [])
  assert.deepEqual(codesIn(await api(brand, 'DELETE', `${PATH}/${String(id)}`)), ['virtual_device_not_found'])
  assert.equal(await liveCount(brand), 0)
})

test('400 for a kind that there is not, 409 for one device too many', async () => {
  const brand = await server.brand()
  assert.equal((await api(brand, 'POST', PATH, { kind: 'fax' })).status, 400)
  assert.equal((await api(brand, 'POST', PATH, { kind: 'android', name: '' })).status, 400)
  for (let count = 0; count < VIRTUAL_LIMITS.devicesMax; count += 1) await make(brand, { kind: 'android' })
  const refused = await api(brand, 'POST', PATH, { kind: 'android' })
  assert.deepEqual([refused.status, codesIn(refused)], [409, ['too_many_virtual_devices']])
})

test('404 without a sandbox, where the subscriptions hide them too', async () => {
  const brand = await server.brand()
  const { subscription_id: id } = await make(brand, { kind: 'android' })
  const bare = await startServer({ deps: { database }, hasSandbox: false })
  const ask = async (method: string, path: string, body?: object) =>
    call(bare.port, { method, path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })
  const tap = [`${PATH}/${String(id)}/tap`, { message_id: 'x' }] as const
  for (const answer of [
    await ask('GET', PATH),
    await ask('POST', PATH, { kind: 'iphone' }),
    await ask('POST', ...tap),
  ])
    assert.deepEqual([answer.status, codesIn(answer)], [404, ['sandbox_missing']])
  const { body } = await ask('GET', '/api/v1/subscriptions')
  assert.deepEqual(listIn(body, 'subscriptions'), [])
  await bare.close()
})
