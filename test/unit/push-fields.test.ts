import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { BLANK_CONTENT } from '../../src/domain/push/message.ts'
import type { Draft } from '../../src/domain/push/notification.ts'
import { unreachable } from '../../src/domain/unreachable.ts'
import { journeySendRules, type PushAddress } from '../../src/http/push/field-rules.ts'
import { renderApns } from '../../src/providers/apns/payload.ts'
import type { MessageContent } from '../../src/providers/channel.ts'
import { renderFcm } from '../../src/providers/fcm/payload.ts'
import { renderWebPush } from '../../src/providers/webpush/payload.ts'
import type { Shape } from '../../src/rules/fields.ts'
import { PLATFORM_NAMES, type Platform } from '../../src/rules/platforms.ts'
import type { PushFieldRow } from '../../src/rules/push-field-row.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'
import { acceptedDraft, PUSH_ADDRESSES } from '../support/push/push.ts'

const ROWS: readonly PushFieldRow[] = PUSH_FIELDS

test('no row of PUSH_FIELDS is read by nobody: each changes the draft wherever it is taken', () => {
  for (const row of ROWS) {
    const addresses = PUSH_ADDRESSES.filter((address) => isTaken(row, address))
    assert.ok(addresses.length > 0, `${row.name} is taken nowhere`)
    for (const address of addresses) {
      const { without, having } = draftsOf(row, address)
      assert.notDeepEqual(
        having,
        without,
        `${row.name} changes nothing at ${address.platform}/${address.mode}`,
      )
    }
  }
})

test('a row that changes the message may be set in a journey, and a provider of its platforms renders it', () => {
  for (const row of ROWS) {
    const messages = (row.platforms ?? PLATFORM_NAMES)
      .map((platform) => ({ platform, mode: 'send' }) as const)
      .filter((address) => isTaken(row, address))
      .map((address) => ({ render: RENDERERS[address.platform], ...draftsOf(row, address) }))
      .map(({ render, having, without }) => ({
        render,
        having: messageIn(having),
        without: messageIn(without),
      }))
      .filter(({ having, without }) => !isDeepStrictEqual(having, without))
    const isAllowed = row.allowedInJourney === true && !NOT_SHOWN.has(row.name)
    assert.equal(messages.length > 0, isAllowed, row.name)
    const isRendered = messages.some(
      ({ render, having, without }) => !isDeepStrictEqual(render(having), render(without)),
    )
    assert.equal(isRendered, messages.length > 0, `no provider renders ${row.name}`)
  }
})

test('a `content` key is a key of the message, and one row fills it', () => {
  const keys = ROWS.flatMap(({ content }) => content ?? [])
  assert.deepEqual(
    [...keys, 'buttons'].toSorted(),
    Object.keys(BLANK_CONTENT).toSorted(),
    'the buttons come from rows of their own',
  )
})

test('an integer of the content is exact as a number', () => {
  for (const { name, shape, content } of ROWS) {
    if (content === undefined || shape.type !== 'integer') continue
    assert.ok(
      shape.min >= BigInt(Number.MIN_SAFE_INTEGER) && shape.max <= BigInt(Number.MAX_SAFE_INTEGER),
      name,
    )
  }
})

test('a send of a journey takes the rows that allow it', () => {
  const allowed = ROWS.filter(({ allowedInJourney }) => allowedInJourney === true)
  for (const platform of PLATFORM_NAMES) {
    const { rows } = journeySendRules(platform)
    assert.deepEqual(
      rows.map(({ name }) => name),
      allowed.map(({ name }) => name),
    )
  }
})

/** Rows of a journey's send that decide who gets the message, or which one, and are no part of its default content. */
const NOT_SHOWN = new Set(['topic', 'languages', 'template_id', 'template_version'])

const RENDERERS: Readonly<Record<Platform, (content: MessageContent) => unknown>> = {
  android: renderFcm,
  ios: (content) => renderApns(content, { bundleId: 'app.example', now: 0 }),
  web: (content) => renderWebPush(content, 'chromium'),
}

function messageIn({ content, callerNotificationId }: Draft): MessageContent {
  return { ...content, callerNotificationId }
}

function isTaken(
  { platforms = PLATFORM_NAMES, modes, shape, shapeOn }: PushFieldRow,
  { platform, mode }: PushAddress,
): boolean {
  if ('trueRefusal' in (shapeOn?.[platform] ?? shape)) return false
  return platforms.includes(platform) && !['refused', 'ignored'].includes(modes[mode])
}

/** Fields that a row cannot be sent without. */
const COMPANIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  button_one_url: { button_one_title: 'One' },
  button_two_url: { button_two_title: 'Two' },
  schedule_date: { schedule_date: '2030-01-02', schedule_time: '10:00' },
  schedule_time: { schedule_date: '2030-01-02', schedule_time: '10:00' },
  time_zone: { schedule_date: '2030-01-02', schedule_time: '10:00' },
  template_id: { template_id: 1, template_version: 3 },
  template_version: { template_id: 1, template_version: 3 },
}

function draftsOf(
  row: PushFieldRow,
  address: PushAddress,
): { readonly without: Draft; readonly having: Draft } {
  const companions = COMPANIONS[row.name] ?? {}
  const without = acceptedDraft(address, companions)
  const value = valueOf(row.shapeOn?.[address.platform] ?? row.shape)
  return { without, having: acceptedDraft(address, { ...companions, [row.name]: value }) }
}

/** A good value of a shape, other than any that `leastBody` and `COMPANIONS` hold. */
function valueOf(shape: Shape): unknown {
  switch (shape.type) {
    case 'text':
    case 'template':
      return 'other'
    case 'link':
    case 'https_url':
      return 'https://other.example/x'
    case 'integer':
      return 17
    case 'number':
      return 0.5
    case 'boolean':
      return true
    case 'choice':
      return shape.oneOf.at(-1)
    case 'date':
      return '2030-03-04'
    case 'clock':
      return '11:30'
    case 'zone':
      return '+05:30'
    case 'language':
      return 'pt-BR'
    case 'list':
      return ['other']
    case 'strings':
      return { other: 'other' }
    case 'object':
      return { fr: { title: 'other' } }
    case 'objects':
      return [{}]
    default:
      return unreachable(shape)
  }
}
