import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadySender } from '../../src/delivery/channel-sender.ts'
import { writerOf } from '../../src/delivery/writer.ts'
import { contentKey } from '../../src/domain/push/alternatives.ts'
import type { Content } from '../../src/domain/push/message.ts'
import type { MessageContent } from '../../src/providers/channel.ts'
import { PLATFORMS } from '../../src/rules/platforms.ts'
import { type Recipient, recipientOf } from '../../src/store/push/recipient.ts'
import { anyContent } from '../support/push/content.ts'

const NOW = Date.UTC(2026, 10, 15)
const IDS = { deliveryId: 'd', collapseId: 'c', receipt: 'r' }
const SECOND = contentKey({ variant: 1, language: null })

function recipient(id: bigint): Recipient {
  const facts = { address: '', language: null, timeZone: null, isVirtual: false, registeredAt: 0 }
  return recipientOf({ id, ...facts, user: { name: 'Ann' } })
}

type Writing = {
  readonly content: Content
  readonly second?: Content
  /** The bytes of a payload with a body of this length. */
  readonly bytes?: (bodyLength: number) => number
}

/** A writer, and the contents that it had prepared. Recipient 2 gets the second content, if there is one. */
function openWriter({ content, second, bytes = () => 100 }: Writing) {
  const prepared: MessageContent[] = []
  const sender: ReadySender = {
    kind: 'ready',
    credential: '',
    version: 0,
    state: 'working',
    isFailing: false,
    refusedHosts: new Set(),
    mainHost: null,
    hasManyHosts: false,
    hostOf: () => '',
    prepare: (message) => {
      prepared.push(message)
      return () => undefined
    },
  }
  const write = writerOf({
    claimed: { expiresAt: NOW + 3_600_000 },
    chunk: {
      platform: 'android',
      content,
      contents: new Map(second === undefined ? [] : [[SECOND, second]]),
      choices: new Map(second === undefined ? [] : [[2n, { key: SECOND, variant: 1, language: null }]]),
      callerNotificationId: null,
      event: null,
      perSecond: null,
      attempt: 1,
      unknowns: 0,
      zone: null,
      isCancelled: false,
      recipients: [],
    },
    sender,
    measure: ({ body }) => bytes(body.length),
  })
  return { prepared, write: (id: bigint, now = NOW) => write({ recipient: recipient(id), ids: IDS, now }) }
}

test('a text for all is rendered once, and again when its time to live is a second less', () => {
  const { prepared, write } = openWriter({ content: anyContent({ ttlSeconds: 3_600 }) })
  const first = write(1n)
  assert.equal(write(2n), first)
  assert.equal(prepared.length, 1)
  write(3n, NOW + 1_000)
  assert.deepEqual(
    prepared.map(({ ttlSeconds }) => ttlSeconds),
    [3_600, 3_599],
  )
})

test('each recipient gets the content that was chosen for them, and each content is rendered once', () => {
  const { prepared, write } = openWriter({
    content: anyContent({ title: 'One' }),
    second: anyContent({ title: 'Two' }),
  })
  for (const id of [1n, 2n, 3n, 2n]) write(id)
  assert.deepEqual(
    prepared.map(({ title }) => title),
    ['One', 'Two'],
  )
})

test('a personal text is rendered for each, and shortened until it fits', () => {
  const room = PLATFORMS.android.payloadBytesMax
  const content = anyContent({ title: '{{ user.name }}', body: 'aa bb' })
  const whole = openWriter({ content, bytes: (length) => (length <= 5 ? room : room + 1) })
  const { kind, ...rest } = whole.write(1n)
  assert.deepEqual([kind, 'cuts' in rest && rest.cuts, whole.prepared[0]?.title], ['ready', 0, 'Ann'])
  assert.equal(whole.prepared[0]?.body, 'aa bb')
  const cut = openWriter({ content, bytes: (length) => (length < 5 ? room : room + 1) })
  const written = cut.write(1n)
  assert.deepEqual([written.kind, 'cuts' in written && written.cuts], ['ready', 1])
  assert.notEqual(cut.prepared[0]?.body, 'aa bb')
  cut.write(2n)
  assert.equal(cut.prepared.length, 2)
})

test('a message that cannot be written says why', () => {
  const personal = anyContent({ title: '{{ user.nothing }}', body: '' })
  assert.deepEqual(openWriter({ content: personal }).write(1n), { kind: 'unwritable', reason: 'text_empty' })
  const large = openWriter({ content: anyContent({ title: '{{ user.name }}' }), bytes: () => 1_000_000 })
  assert.deepEqual(large.write(1n), { kind: 'unwritable', reason: 'payload_too_large' })
})
