import assert from 'node:assert/strict'
import { isJsonObject, type JsonObject } from '../../../src/domain/values/json.ts'
import { PLATFORM_NAMES, PLATFORMS } from '../../../src/rules/platforms.ts'
import { WEBHOOK_EVENTS } from '../../../src/rules/webhooks.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { type Answer, call } from '../processes/server.ts'
import { until } from '../until.ts'
import { CANARY, canaryBody, canaryEntry, NAME_CANARY } from './canary-body.ts'

export type Garden = {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly publishableKey: string
  readonly sandbox: Sandbox
  /** An address that takes webhook messages, and one that refuses them. */
  readonly hooks: { readonly taking: string; readonly refusing: string }
}

/** The ids that the reads of the API need in their addresses, and marks beside the usual ones. */
export type Planted = {
  readonly ids: Readonly<Record<string, readonly string[]>>
  readonly marks: readonly string[]
}

/** The rows of the route table that this file plants through. */
export const PLANTED_ROUTES = [
  'POST /api/v1/android/send',
  'POST /api/v1/ios/send',
  'POST /api/v1/web/send',
  'POST /api/event',
  'POST /api/v1/user/create',
  'POST /api/v1/user_event/create',
  'POST /api/v1/subscriptions/import',
  'POST /api/v1/subscriptions',
  'PATCH /api/v1/subscriptions/{subscription_id}',
  'POST /api/v1/subscriptions/{subscription_id}/unsubscribe',
  'POST /api/v1/visitors',
  'POST /api/v1/visitors/commands',
  'POST /api/v1/segments/{segment_id}/import',
  'POST /api/v1/campaigns',
] as const

/** Plants canaries through every row that stores something about a person. */
export async function plantEverywhere(garden: Garden): Promise<Planted> {
  const ids = await prepare(garden)
  await plantPeople(garden)
  const marks = await plantDevices(garden)
  const visitors = await plantVisitor(garden)
  await plantLists(garden, ids)
  const notifications = await plantNotifications(garden)
  const subscriptions = PLATFORM_NAMES.map((platform) => `${CANARY}-${platform}`)
  return {
    ids: { ...ids, notifications, subscription_id: subscriptions, user_id: [`${CANARY}-u`] },
    marks: [...marks, ...visitors],
  }
}

/** A call that must work; a second call with the same Idempotency-Key is answered from the store. */
async function ask(
  { port, headers }: Garden,
  address: string,
  body?: JsonObject | string,
): Promise<JsonObject> {
  const [method = '', path = ''] = address.split(' ')
  const key = { 'idempotency-key': `${path.length}-${Math.random()}` }
  const type = typeof body === 'string' ? { 'content-type': 'text/csv' } : {}
  const answer = await call(port, {
    method,
    path,
    headers: { ...headers, ...key, ...type },
    ...(body === undefined ? {} : { body }),
  })
  assert.equal(answer.status, 200, `${address} ${JSON.stringify(body)}: ${answer.text}`)
  return answer.body
}

/** The settings of the brand, its webhooks, a segment and a journey. Nothing of a person is in them. */
async function prepare(garden: Garden): Promise<Record<string, readonly string[]>> {
  const { taking, refusing } = garden.hooks
  const settings = { profile_merging: true, allowed_origins: [SITE], identity_verification: false }
  await ask(garden, 'PATCH /api/v1/brand', settings)
  await untilMerging(garden)
  const types = Object.keys(WEBHOOK_EVENTS)
  const told = await ask(garden, 'POST /api/v1/webhooks', { url: taking, event_types: types })
  // The message about the erasure itself names the person until it is delivered.
  const others = types.filter((type) => type !== 'profile.erased')
  const failing = await ask(garden, 'POST /api/v1/webhooks', { url: refusing, event_types: others })
  const segment = await ask(garden, 'POST /api/v1/segments', {
    name: 'list',
    filter: { all: [{ tag: 'listed' }] },
  })
  const webhookId = idIn(told, 'webhook', 'id')
  const steps = [
    { id: 'hello', send: { to: 'anywhere', title: 'Hello', message: `{{ event.${NAME_CANARY}_text }}` } },
    { id: 'tell', webhook: { endpoint_id: webhookId } },
    { id: 'wait', wait: { hours: 5 } },
  ]
  const journey = await ask(garden, 'POST /api/v1/journeys', {
    name: 'journey',
    trigger: { event: `${NAME_CANARY} event` },
    steps,
  })
  const journeyId = idIn(journey, 'journey', 'journey_id')
  await ask(garden, `POST /api/v1/journeys/${journeyId}/activate`)
  return {
    webhooks: [webhookId, idIn(failing, 'webhook', 'id')],
    segment_id: [idIn(segment, 'segment', 'segment_id')],
    journey_id: [journeyId],
  }
}

const SITE = 'https://shop.example'

/** A process knows the settings of a key for some seconds. An email alone names a person when profiles merge. */
async function untilMerging({ port, headers }: Garden): Promise<void> {
  const request = { path: '/api/v1/user/create', headers, body: { nv: [{ email: 'probe@x.example' }] } }
  await until(async () => (await call(port, request)).status === 200, { what: 'the setting profile_merging' })
}

function idIn(body: JsonObject, noun: string, name: string): string {
  const found = body[noun]
  assert.ok(isJsonObject(found), JSON.stringify(body))
  return String(found[name])
}

/** Two profiles that merge by their email; events, and entries that are refused. */
async function plantPeople(garden: Garden): Promise<void> {
  const create = 'POST /api/v1/user/create'
  for (const userID of [`${CANARY}-u`, `${CANARY}-v`]) {
    const { email: _, mobile: __, ...alone } = canaryEntry(create)
    await ask(garden, create, { nv: [{ ...alone, userID }] })
    await ask(garden, create, { nv: [canaryEntry(create, { userID })] })
  }
  const event = 'POST /api/event'
  const mistyped = { attributes: { [`${NAME_CANARY}_text`]: 770_011_223_344 } }
  await ask(garden, event, {
    nv: [
      canaryEntry(event),
      canaryEntry(event, { ...mistyped, event_id: `${CANARY}-2`, userID: `${CANARY}-v` }),
      canaryEntry(event, { event_name: 'bad.name', event_id: `${CANARY}-3` }),
    ],
  })
  const both = 'POST /api/v1/user_event/create'
  await ask(garden, both, { nv: [canaryEntry(both, { event_id: `${CANARY}-4` })] })
}

/** A device on each platform, one of which has no person at first, and one that is unsubscribed. */
async function plantDevices(garden: Garden): Promise<readonly string[]> {
  const { sandbox } = garden
  const web = sandbox.web.newSubscription(null)
  const address = {
    android: { token: sandbox.fcm.newToken() },
    ios: { token: sandbox.apns.newToken(), environment: 'production' },
    web: { subscription: web },
  }
  for (const platform of PLATFORM_NAMES) {
    const { deviceField } = PLATFORMS[platform]
    const {
      token: _,
      android_id: __,
      ...fields
    } = canaryBody('POST /api/v1/subscriptions', {
      platform,
      subscription_id: `${CANARY}-${platform}`,
      ...(deviceField === null ? {} : { [deviceField]: CANARY }),
    })
    const { user_id: ___, ...strange } = fields
    const named = {
      ...fields,
      ...(deviceField === null ? {} : { [deviceField]: CANARY }),
      ...address[platform],
    }
    await ask(garden, 'POST /api/v1/subscriptions', { ...strange, ...address[platform] })
    await ask(garden, 'POST /api/v1/subscriptions', named)
    const change = canaryBody('PATCH /api/v1/subscriptions/{subscription_id}')
    await ask(garden, `PATCH /api/v1/subscriptions/${CANARY}-${platform}`, change)
  }
  await ask(garden, 'POST /api/v1/subscriptions', {
    platform: 'android',
    token: `${CANARY}-left`,
    subscription_id: `${CANARY}-left`,
    user_id: `${CANARY}-v`,
  })
  await ask(garden, `POST /api/v1/subscriptions/${CANARY}-left/unsubscribe`)
  return [address.android.token, address.ios.token, web.endpoint, web.keys.p256dh, web.keys.auth]
}

/** A browser that logs events, becomes known and subscribes. */
async function plantVisitor({ port, publishableKey, sandbox }: Garden): Promise<readonly string[]> {
  const headers = { origin: SITE, 'content-type': 'text/plain' }
  const speak = async (path: string, body: object): Promise<Answer> => {
    const answer = await call(port, {
      path: `/api/v1/visitors${path}?key=${publishableKey}`,
      headers,
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const { body } = await speak('', {})
  const visitor = idIn(body, 'visitor', 'token')
  const subscription = sandbox.web.newSubscription(null)
  const event = canaryEntry('POST /api/event', { event_id: `${CANARY}-5` })
  const user = canaryEntry('POST /api/v1/user/create', { userID: `${CANARY}-w` })
  const commands = [
    { ...event, do: 'event', userID: undefined, email: undefined, mobile: undefined },
    { ...user, do: 'user', email: `${CANARY}-w@x.example`, mobile: undefined },
    { do: 'subscribe', subscription, browser: CANARY, app_version: CANARY, language: 'de' },
  ]
  const answer = await speak('/commands', { visitor, endpoint: subscription.endpoint, commands })
  assert.equal(answer.body['processed'], commands.length, answer.text)
  return [visitor, subscription.endpoint, subscription.keys.p256dh, subscription.keys.auth]
}

/** Imports of people and of devices. */
async function plantLists(garden: Garden, ids: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const [segmentId] = ids['segment_id'] ?? []
  await ask(garden, `POST /api/v1/segments/${segmentId}/import`, `user_id\n${CANARY}-u\n${CANARY}-nobody\n`)
  const rows = `platform,token,user_id,subscription_id\nandroid,${CANARY}-t,${CANARY}-u,${CANARY}-i\n`
  await ask(garden, 'POST /api/v1/subscriptions/import', rows)
  await ask(garden, 'POST /api/v1/campaigns', {
    name: 'Autumn teas',
    audience: { users: [`${CANARY}-u`] },
    content: { title: 'Teas', message: 'Six new ones.' },
  })
}

/** Notifications to the person, by every name they have, now and later. Gives their ids. */
async function plantNotifications(garden: Garden): Promise<readonly string[]> {
  const ids: string[] = []
  for (const platform of PLATFORM_NAMES) {
    const { deviceField } = PLATFORMS[platform]
    const {
      user_id: _,
      subscription_id: __,
      android_id: ___,
      ios_ifv: ____,
      ...content
    } = canaryBody(`POST /api/v1/${platform}/send`)
    const addresses = [
      { user_id: `${CANARY}-u` },
      { subscription_id: `${CANARY}-${platform}` },
      { 'user_id/subscription_id': `${CANARY}-${platform}` },
      ...(deviceField === null ? [] : [{ [deviceField]: CANARY }]),
    ]
    for (const address of addresses) {
      for (const time of [{}, { time: 3_600 }]) {
        const sent = await ask(garden, `POST /api/v1/${platform}/send`, { ...content, ...address, ...time })
        ids.push(idIn(sent, 'notification', 'id'))
      }
    }
  }
  return ids
}
