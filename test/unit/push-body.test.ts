import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeJson, parseJson } from '../../src/domain/values/json.ts'
import { parsePushBody } from '../../src/http/push/body.ts'
import type { PushAddress } from '../../src/http/push/field-rules.ts'
import { pushBodySchema } from '../../src/http/push/field-rules.ts'
import { INT64_MAX } from '../../src/rules/fields.ts'
import { PLATFORM_NAMES } from '../../src/rules/platforms.ts'
import { PUSH_LIMITS } from '../../src/rules/push.ts'
import type { PushFieldRow } from '../../src/rules/push-field-row.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'
import { acceptedDraft, faultsFor, faultsOf, leastBody, PUSH_ADDRESSES } from '../support/push/push.ts'

const SEND = { platform: 'android', mode: 'send' } as const
const WEB_SEND = { platform: 'web', mode: 'send' } as const
const ALL = { platform: 'web', mode: 'all' } as const
const SEGMENT = { platform: 'ios', mode: 'segment' } as const

test('the least body is enough at every address, and nothing of it can be left out', () => {
  for (const address of PUSH_ADDRESSES) {
    assert.deepEqual(faultsOf(address, {}), [])
    for (const name of Object.keys(leastBody(address))) {
      const code = name === 'user_id' ? 'identifier_missing' : 'field_missing'
      assert.deepEqual(faultsOf(address, { [name]: null }), [`${name}:${code}`])
    }
  }
})

test('every fault is reported at once', () => {
  assert.deepEqual(faultsFor(SEND, { title: '', url: 'javascript:alert(1)', time: -1 }).toSorted(), [
    'message:field_missing',
    'time:field_out_of_range',
    'title:field_empty',
    'url:field_invalid',
    'user_id:identifier_missing',
  ])
})

test('a body that is no object is refused', () => {
  for (const body of [null, [], 'x', 1, true, undefined]) {
    assert.deepEqual(faultsFor(SEND, body), ['null:not_an_object'])
  }
})

test('the combined key works with and without spaces', () => {
  for (const key of [
    'user_id/subscription_id',
    'user_id / subscription_id',
    'user_id /subscription_id',
    'user_id/ subscription_id',
  ]) {
    const { target } = acceptedDraft(SEND, { user_id: null, [key]: 'x9' })
    assert.deepEqual(target, {
      kind: 'one',
      keys: { userId: null, subscriptionId: null, eitherId: 'x9', deviceId: null },
    })
  }
})

test('two spellings of one field must say the same', () => {
  const both = { schedule_date: '2030-01-01', schedule_time: '10:00', Schedule_time: '10:00:00' }
  assert.deepEqual(faultsOf(SEND, both), [])
  assert.deepEqual(faultsOf(SEND, { ...both, Schedule_time: '10:01' }), ['Schedule_time:field_conflict'])
})

test('a device is named by the field of its platform only', () => {
  const { target } = acceptedDraft(SEND, { user_id: null, android_id: 'a1' })
  assert.deepEqual(target, {
    kind: 'one',
    keys: { userId: null, subscriptionId: null, eitherId: null, deviceId: 'a1' },
  })
  assert.deepEqual(faultsOf({ platform: 'ios', mode: 'send' }, { user_id: null, android_id: 'a1' }), [
    'user_id:identifier_missing',
  ])
})

test('an identifier or a stray segment on a broadcast is refused, so that a mistake does not reach everyone', () => {
  const identifiers = ['user_id', 'subscription_id', 'user_id/subscription_id', 'android_id', 'ios_ifv']
  for (const name of identifiers) {
    assert.deepEqual(faultsOf(ALL, { [name]: 'x' }), [`${name}:field_conflict`])
    assert.deepEqual(faultsOf(SEGMENT, { [name]: 'x' }), [`${name}:field_conflict`])
  }
  assert.deepEqual(faultsOf(ALL, { segment_id: 7 }), ['segment_id:field_conflict'])
})

test('int64 is exact to its last digit, as a number and as a string', () => {
  for (const text of [`${INT64_MAX}`, `"${INT64_MAX}"`]) {
    const body = parseJson(`{"segment_id":${text},"notification_id":${text},"title":"t","message":"m"}`)
    const parsed = parsePushBody(SEGMENT, body)
    assert.ok(parsed.ok)
    assert.equal(parsed.value.draft.callerNotificationId, INT64_MAX)
    assert.deepEqual(parsed.value.draft.target, { kind: 'segment', segmentId: INT64_MAX })
    assert.equal(encodeJson({ id: parsed.value.draft.callerNotificationId }), '{"id":9223372036854775807}')
  }
  assert.deepEqual(faultsOf(SEND, { notification_id: INT64_MAX + 1n }), [
    'notification_id:field_out_of_range',
  ])
})

test('what is not a whole number is refused', () => {
  for (const value of [1.5, '1.5', '', ' 1', '0x1', '1e3', true, [], Number.NaN]) {
    assert.deepEqual(
      faultsOf(SEND, { notification_id: value }),
      ['notification_id:field_type'],
      String(value),
    )
  }
  assert.deepEqual(faultsOf(SEND, { notification_id: parseJson('1e400') }), [
    'notification_id:field_out_of_range',
  ])
})

test('a point in time in `time` is told that it counts seconds from now', () => {
  const parsed = parsePushBody(WEB_SEND, { ...leastBody(WEB_SEND), time: 1_795_000_000 })
  assert.ok(!parsed.ok)
  assert.match(
    parsed.rejection.faults[0].message,
    /^time must be between 0 and \d+ seconds from now; for a date and time use schedule_date/,
  )
})

test('the delay may be a number or a string, and is whole seconds within a year', () => {
  const max = PUSH_LIMITS.delaySecondsMax
  for (const time of [0, '0', 60, '60', max, String(max)]) {
    assert.deepEqual(acceptedDraft(WEB_SEND, { time }).timing, {
      kind: 'after',
      delayMs: Number(time) * 1000,
    })
  }
  for (const time of [-1, '-1', max + 1, 1e300]) {
    assert.deepEqual(faultsOf(WEB_SEND, { time }), ['time:field_out_of_range'])
  }
  assert.deepEqual(faultsOf(WEB_SEND, { time: 0.5 }), ['time:field_type'])
})

test('a schedule needs its day and its time, and no delay beside them', () => {
  const schedule = { schedule_date: '2030-01-31', schedule_time: '09:30' }
  assert.deepEqual(acceptedDraft(SEND, schedule).timing, {
    kind: 'at',
    wall: '2030-01-31T09:30:00',
    zone: 'UTC',
  })
  assert.deepEqual(acceptedDraft(SEND, { ...schedule, time_zone: 5.5 }).timing, {
    kind: 'at',
    wall: '2030-01-31T09:30:00',
    zone: '+05:30',
  })
  assert.deepEqual(acceptedDraft(SEND, { ...schedule, time_zone: 'subscriber' }).timing, {
    kind: 'subscriber',
    wall: '2030-01-31T09:30:00',
  })
  assert.deepEqual(faultsOf(SEND, { schedule_date: '2030-01-31' }), ['schedule_time:field_missing'])
  assert.deepEqual(faultsOf(SEND, { Schedule_time: '09:30' }), ['schedule_date:field_missing'])
  assert.deepEqual(faultsOf(SEND, { ...schedule, time: 0 }), ['time:field_conflict'])
  assert.deepEqual(faultsOf(SEND, { time_zone: 'subscriber' }), ['time_zone:field_conflict'])
})

test('days and times that do not exist are refused', () => {
  for (const day of [
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '26-01-01',
    20260101,
  ]) {
    assert.equal(faultsOf(SEND, { schedule_date: day, schedule_time: '10:00' }).length, 1, String(day))
  }
  for (const clock of ['24:00', '10:60', '10:00:60', '1:00', '10', '10:00:00.5', '']) {
    assert.equal(faultsOf(SEND, { schedule_date: '2028-02-29', schedule_time: clock }).length, 1, clock)
  }
})

test('a link runs no code and an image comes over https', () => {
  for (const name of ['url', 'button_one_url', 'button_two_url']) {
    const titles = { button_one_title: 'a', button_two_title: 'b' }
    assert.deepEqual(faultsOf(SEND, { ...titles, [name]: 'javascript:alert(1)' }), [`${name}:field_invalid`])
    assert.deepEqual(faultsOf(SEND, { ...titles, [name]: 'myapp://x' }), [])
    assert.deepEqual(faultsOf(WEB_SEND, { ...titles, [name]: 'myapp://x' }), [`${name}:field_invalid`])
  }
  for (const name of ['image_url', 'hero_image_url']) {
    assert.deepEqual(faultsOf(SEND, { [name]: 'http://a.example/x.png' }), [`${name}:field_invalid`])
  }
})

test('a link with Liquid is checked as far as it can be', () => {
  assert.deepEqual(faultsOf(SEND, { url: 'https://a.example/{{ user.id }}?x={% if a %}1{% endif %}' }), [])
  assert.deepEqual(faultsOf(SEND, { url: '{{ user.link }}' }), [])
  assert.deepEqual(faultsOf(SEND, { url: 'javascript:{{ user.code }}' }), ['url:field_invalid'])
  assert.deepEqual(faultsOf(SEND, { url: 'https://a.example/{{ user.id' }), ['url:template_invalid'])
})

test('buttons carry an address of their own or the notification’s, and need their text', () => {
  const { content } = acceptedDraft(SEND, {
    url: 'https://a.example',
    button_one_title: 'One',
    button_two_title: 'Two',
    button_two_url: 'https://b.example',
  })
  assert.deepEqual(content.buttons, [
    { title: 'One', url: 'https://a.example' },
    { title: 'Two', url: 'https://b.example' },
  ])
  assert.deepEqual(faultsOf(SEND, { button_two_url: 'https://b.example' }), ['button_two_url:field_conflict'])
})

test('a template that does not parse is refused with its place', () => {
  const parsed = parsePushBody(SEND, { ...leastBody(SEND), title: 'Hi {{ user.name' })
  assert.ok(!parsed.ok)
  assert.match(parsed.rejection.faults[0].message, /line 1, column 4/)
})

test('a template may be longer than what it renders to', () => {
  assert.deepEqual(faultsOf(SEND, { title: `{{ user.first_name | default: "${'x'.repeat(60)}" }}` }), [])
})

test('a silent notification needs nothing to show and wakes nobody by itself', () => {
  const { content } = acceptedDraft(SEND, { title: null, message: null, silent: true, data: { a: 'b' } })
  assert.deepEqual([content.title, content.body, content.priority, content.silent], ['', '', 'normal', true])
  assert.equal(acceptedDraft(SEND, {}).content.priority, 'high')
  assert.equal(acceptedDraft(SEND, { silent: true, priority: 'high' }).content.priority, 'high')
})

test('a silent notification is refused on the web, where browsers punish it', () => {
  assert.deepEqual(faultsOf(WEB_SEND, { silent: true }), ['silent:field_conflict'])
  assert.equal(acceptedDraft(WEB_SEND, { silent: false }).content.silent, false)
})

function warned(address: PushAddress, extra: object): readonly string[] {
  const parsed = parsePushBody(address, { ...leastBody(address), ...extra })
  assert.ok(parsed.ok)
  return parsed.value.warnings.map(({ field, code }) => `${field}:${code}`)
}

test('a field without effect is warned of: on a silent notification, without a schedule, on another platform', () => {
  const IOS_SEND = { platform: 'ios', mode: 'send' } as const
  const shown = { badge: 1, sound: 'ding', category: 'ORDER', thread_id: 't', relevance_score: 1 }
  assert.deepEqual(
    warned(IOS_SEND, { ...shown, interruption_level: 'active', silent: true }).toSorted(),
    ['badge', 'category', 'interruption_level', 'relevance_score', 'sound', 'thread_id'].map(
      (name) => `${name}:no_effect`,
    ),
  )
  assert.deepEqual(warned(IOS_SEND, shown), [])
  assert.deepEqual(warned(SEND, { android_channel: 'x', silent: true }), ['android_channel:no_effect'])
  assert.deepEqual(warned(SEND, { time_zone: 'Europe/Paris' }), ['time_zone:no_effect'])
  assert.deepEqual(warned(SEND, { time_zone: 'Europe/Paris', time: 60 }), ['time_zone:no_effect'])
  const schedule = { schedule_date: '2030-01-02', schedule_time: '10:00' }
  assert.deepEqual(warned(SEND, { time_zone: 'Europe/Paris', ...schedule }), [])
  assert.deepEqual(warned(WEB_SEND, { sound: 'ding', category: 'x' }), [
    'sound:unused_field',
    'category:unused_field',
  ])
})

test('what is unknown or has no meaning at an address is warned of and changes nothing', () => {
  const body = {
    ...leastBody(WEB_SEND),
    colour: 'red',
    segment_id: 7,
    per_second: 5,
    android_channel: 'x',
    ['__proto__']: { title: 'x' },
  }
  const withProto: unknown = parseJson(`${encodeJson(body).slice(0, -1)},"__proto__":{"isDryRun":true}}`)
  const parsed = parsePushBody(WEB_SEND, withProto)
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.value.draft, acceptedDraft(WEB_SEND, {}))
  assert.deepEqual(parsed.value.warnings.map(({ field, code }) => `${field}:${code}`).toSorted(), [
    '__proto__:unknown_field',
    'android_channel:unused_field',
    'colour:unknown_field',
    'per_second:unused_field',
    'segment_id:unused_field',
  ])
})

test('warnings are bounded in number and length', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => ['x'.repeat(10_000) + at, 1]))
  const parsed = parsePushBody(SEND, { ...leastBody(SEND), ...many })
  assert.ok(parsed.ok)
  assert.equal(parsed.value.warnings.length, PUSH_LIMITS.warningsMax)
  assert.ok(parsed.value.warnings.every(({ field }) => field.length <= PUSH_LIMITS.warningFieldCharsMax))
})

test('data is an object of strings without reserved keys', () => {
  assert.deepEqual(acceptedDraft(SEND, { data: { a: 'b', empty: '' } }).content.data, { a: 'b', empty: '' })
  for (const key of ['from', 'message_type', 'google.x', 'gcm_y', 'beckon_z', '']) {
    assert.deepEqual(faultsOf(SEND, { data: { [key]: 'x' } }), ['data:field_invalid'], key)
  }
  assert.deepEqual(faultsOf(SEND, { data: parseJson('{"__proto__":"x"}') }), ['data:field_invalid'])
  assert.deepEqual(faultsOf(SEND, { data: { a: 1, b: null } }), ['data.a:field_type', 'data.b:field_type'])
  assert.deepEqual(faultsOf(SEND, { data: ['a'] }), ['data:field_type'])
})

test('the schema of every address shows its fields and needs what the parser needs', () => {
  for (const address of PUSH_ADDRESSES) {
    const schema = JSON.parse(encodeJson(pushBodySchema(address)))
    const rows: readonly PushFieldRow[] = PUSH_FIELDS
    const shown = rows.filter(({ platforms = PLATFORM_NAMES, modes }) => {
      return platforms.includes(address.platform) && !['refused', 'ignored'].includes(modes[address.mode])
    })
    assert.deepEqual(
      Object.keys(schema.properties),
      shown.map(({ name }) => name),
    )
    const [texts] = schema.allOf[0].anyOf
    const identifier = schema.anyOf === undefined ? [] : ['user_id']
    const needed = new Set([...schema.required, ...identifier, ...texts.required])
    assert.deepEqual(needed, new Set(Object.keys(leastBody(address))))
  }
})
