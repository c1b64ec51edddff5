import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeTags } from '../../src/domain/subscriptions/subscription.ts'
import { parseSubscriptionBody } from '../../src/http/subscriptions/body.ts'
import { parseSubscriptionChange } from '../../src/http/subscriptions/change-body.ts'
import { bodyOfCsvRecord } from '../../src/http/subscriptions/list.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/rules/subscriptions.ts'
import { iosToken, webSubscription } from '../support/subscriptions/devices.ts'

const NO_HOSTS: ReadonlySet<string> = new Set()
const WEB = webSubscription()

function registered(body: object) {
  const parsed = parseSubscriptionBody(body, NO_HOSTS)
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.rejection.faults))
  return parsed.value.registration
}

function faults(body: unknown): readonly string[] {
  const parsed = parseSubscriptionBody(body, NO_HOSTS)
  return parsed.ok ? [] : parsed.rejection.faults.map(({ field, code }) => `${field}:${code}`)
}

function iosBody(bytes: number): object {
  return { platform: 'ios', token: 'ab'.repeat(bytes) }
}

function withKeys(keys: object): object {
  return { platform: 'web', subscription: { ...WEB, keys: { ...WEB.keys, ...keys } } }
}

test('each platform registers with what its provider gave it', () => {
  assert.deepEqual(registered({ platform: 'android', token: 'fcm:token_1' }).device, {
    kind: 'android',
    token: 'fcm:token_1',
  })
  const token = iosToken()
  assert.deepEqual(registered({ platform: 'ios', token: token.toUpperCase() }).device, {
    kind: 'ios',
    token,
    environment: 'production',
  })
  assert.deepEqual(registered({ platform: 'web', subscription: WEB }).device, {
    kind: 'web',
    endpoint: WEB.endpoint,
    ...WEB.keys,
  })
})

test('everything a device may tell is kept, and what it does not tell is null', () => {
  const body = {
    platform: 'android',
    token: 't',
    subscription_id: 's1',
    user_id: 'u1',
    android_id: 'a1',
    tags: ['vip', 'beta', 'vip'],
    time_zone: 'europe/paris',
    language: 'pt_BR',
    browser: 'chrome',
    app_version: '1.2.3',
  }
  const { device: _, ...told } = registered(body)
  assert.deepEqual(told, {
    subscriptionId: 's1',
    userId: 'u1',
    deviceId: 'a1',
    tags: ['vip', 'beta'],
    facts: { timeZone: 'Europe/Paris', language: 'pt-BR', browser: 'chrome', appVersion: '1.2.3' },
  })
  const { device: __, ...untold } = registered({ platform: 'android', token: 't' })
  assert.deepEqual(untold, {
    subscriptionId: null,
    userId: null,
    deviceId: null,
    tags: null,
    facts: { timeZone: null, language: null, browser: null, appVersion: null },
  })
})

test('a body without a platform, a token or a subscription is refused', () => {
  assert.deepEqual(faults([]), ['null:not_an_object'])
  assert.deepEqual(faults({ token: 't' }), ['platform:field_missing'])
  assert.deepEqual(faults({ platform: 'fridge' }), ['platform:field_type'])
  assert.deepEqual(faults({ platform: 'android' }), ['token:field_missing'])
  assert.deepEqual(faults({ platform: 'web', token: 't' }), ['subscription:field_missing'])
  assert.deepEqual(faults({ platform: 'web', subscription: {} }), [
    'subscription.endpoint:field_missing',
    'subscription.keys:field_missing',
  ])
  assert.deepEqual(faults({ platform: 'web', subscription: { ...WEB, keys: {} } }), [
    'subscription.keys.p256dh:field_missing',
    'subscription.keys.auth:field_missing',
  ])
})

test('an iOS token is hexadecimal of a possible length', () => {
  const { iosTokenBytesMin, iosTokenBytesMax } = SUBSCRIPTION_LIMITS
  assert.deepEqual(faults(iosBody(iosTokenBytesMin)), [])
  assert.deepEqual(faults(iosBody(iosTokenBytesMax)), [])
  for (const bytes of [iosTokenBytesMin - 1, iosTokenBytesMax + 1]) {
    assert.deepEqual(faults(iosBody(bytes)), ['token:field_invalid'])
  }
  assert.deepEqual(faults({ platform: 'ios', token: `${'ab'.repeat(31)}zz` }), ['token:field_invalid'])
})

test('an Android token has no blanks and a bounded length', () => {
  assert.deepEqual(faults({ platform: 'android', token: 'a b' }), ['token:field_invalid'])
  assert.deepEqual(faults({ platform: 'android', token: 'x'.repeat(SUBSCRIPTION_LIMITS.tokenCharsMax) }), [])
  assert.deepEqual(
    faults({ platform: 'android', token: 'x'.repeat(SUBSCRIPTION_LIMITS.tokenCharsMax + 1) }),
    ['token:field_too_long'],
  )
})

test('the keys of a browser are a point of the curve and sixteen bytes, in either base64', () => {
  const bytes = Buffer.from(WEB.keys.p256dh, 'base64url')
  assert.deepEqual(registered(withKeys({ p256dh: bytes.toString('base64') })), registered(withKeys({})))
  assert.deepEqual(faults(withKeys({ p256dh: bytes.subarray(1).toString('base64url') })), [
    'subscription.keys.p256dh:field_invalid',
  ])
  assert.deepEqual(faults(withKeys({ p256dh: '%%%' })), ['subscription.keys.p256dh:field_invalid'])
  for (const length of [SUBSCRIPTION_LIMITS.authBytes - 1, SUBSCRIPTION_LIMITS.authBytes + 1]) {
    assert.deepEqual(faults(withKeys({ auth: Buffer.alloc(length).toString('base64url') })), [
      'subscription.keys.auth:field_invalid',
    ])
  }
})

test('an endpoint that is no push service is refused', () => {
  const inside = webSubscription('https://169.254.169.254/latest')
  assert.deepEqual(faults({ platform: 'web', subscription: inside }), ['subscription.endpoint:field_invalid'])
  assert.ok(parseSubscriptionBody({ platform: 'web', subscription: inside }, new Set(['169.254.169.254'])).ok)
})

test('a subscription has a bounded number of tags', () => {
  const tags = Array.from({ length: SUBSCRIPTION_LIMITS.tagsMax }, (_, at) => `t${at}`)
  assert.deepEqual(faults({ platform: 'android', token: 't', tags }), [])
  assert.deepEqual(faults({ platform: 'android', token: 't', tags: [...tags, 'one more'] }), [
    'tags:field_too_long',
  ])
  assert.deepEqual(faults({ platform: 'android', token: 't', tags: ['a', 5, ''] }), [
    'tags[1]:field_type',
    'tags[2]:field_empty',
  ])
  assert.ok(!changeTags(tags, { kind: 'edit', add: ['one more'], remove: [] }).ok)
  assert.ok(changeTags(tags, { kind: 'edit', add: ['one more'], remove: ['t0'] }).ok)
  const listed = [...tags, 'segment:1', 'segment:2']
  assert.ok(changeTags(listed, { kind: 'edit', add: [], remove: ['t0'] }).ok, 'what is too much can get less')
  assert.ok(!changeTags(listed, { kind: 'edit', add: ['one more'], remove: [] }).ok)
})

test('a field of another platform is warned of', () => {
  const parsed = parseSubscriptionBody(
    { platform: 'android', token: 't', ios_ifv: 'x', nonsense: 1 },
    NO_HOSTS,
  )
  assert.ok(parsed.ok)
  assert.deepEqual(
    parsed.value.warnings.map(({ field, code }) => `${field}:${code}`),
    ['ios_ifv:unused_field', 'nonsense:unknown_field'],
  )
})

function changed(body: object) {
  const parsed = parseSubscriptionChange(body)
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.rejection.faults))
  return parsed.value.change
}

test('a change touches only what it names, and null takes away', () => {
  assert.deepEqual(changed({}), { facts: {} })
  assert.deepEqual(changed({ user_id: null, language: null, time_zone: 2 }), {
    userId: null,
    facts: { language: null, timeZone: '+02:00' },
  })
  assert.deepEqual(changed({ user_id: 'u2' }), { userId: 'u2', facts: {} })
})

test('tags are set, or added and removed', () => {
  assert.deepEqual(changed({ tags: ['a'] }).tags, { kind: 'set', tags: ['a'] })
  assert.deepEqual(changed({ tags: { set: [] } }).tags, { kind: 'set', tags: [] })
  const edit = changed({ tags: { add: ['a', 'b'], remove: ['c'] } }).tags
  assert.deepEqual(edit, { kind: 'edit', add: ['a', 'b'], remove: ['c'] })
  assert.ok(edit)
  assert.deepEqual(changeTags(['b', 'c', 'd'], edit), { ok: true, value: ['b', 'd', 'a'] })
  assert.ok(!parseSubscriptionChange({ tags: { set: ['a'], add: ['b'] } }).ok)
  assert.ok(!parseSubscriptionChange({ tags: 'a' }).ok)
})

test('a line of CSV is the body of the same device', () => {
  assert.deepEqual(bodyOfCsvRecord({ platform: 'android', token: ' t ', user_id: '', tags: 'vip; beta ;' }), {
    platform: 'android',
    token: 't',
    tags: ['vip', 'beta'],
  })
  const { endpoint, keys } = WEB
  assert.ok(
    parseSubscriptionBody(bodyOfCsvRecord({ platform: 'web', endpoint, ...keys, token: '' }), NO_HOSTS).ok,
  )
})
