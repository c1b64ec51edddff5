import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, messageOf } from '../../src/domain/push/message.ts'
import { fitPayload, payloadFault } from '../../src/domain/push/payload.ts'
import { personaliser } from '../../src/domain/push/personalise.ts'
import { countChars } from '../../src/domain/values/text.ts'
import { PLATFORM_NAMES, PLATFORMS } from '../../src/rules/platforms.ts'
import { anyContent } from '../support/push/content.ts'

const NOBODY = { user: {}, subscription: {}, now: 0 }
const BYTES = new TextEncoder()
const measure = ({ title, body }: Message): number => BYTES.encode(title + body).length

test('a content without Liquid is the same for everybody', () => {
  const content = anyContent({})
  const { isPersonal, personalFor } = personaliser(content, 'ios')
  assert.equal(isPersonal, false)
  assert.equal(personalFor(NOBODY)?.content, content)
})

test('a rendered title past the limit is cut and counted', () => {
  const content = anyContent({ title: '{{ user.story }}' })
  const scope = { ...NOBODY, user: { story: 'word '.repeat(40) } }
  const personal = personaliser(content, 'android').personalFor(scope)
  assert.ok(personal)
  assert.ok(countChars(personal.content.title) <= PLATFORMS.android.titleCharsMax)
  assert.match(personal.content.title, /word…$/)
  assert.equal(personal.cuts, 1)
})

test('a rendered title at the limit is left alone, and the web has none', () => {
  const content = anyContent({ title: '{{ user.story }}' })
  const story = '😀'.repeat(PLATFORMS.ios.titleCharsMax)
  const onPhone = personaliser(content, 'ios').personalFor({ ...NOBODY, user: { story } })
  assert.deepEqual([onPhone?.content.title, onPhone?.cuts], [story, 0])
  const onWeb = personaliser(content, 'web').personalFor({ ...NOBODY, user: { story: story + story } })
  assert.deepEqual([onWeb?.content.title, onWeb?.cuts], [story + story, 0])
})

test('a link that a person’s attributes turn bad is left out and counted', () => {
  const content = anyContent({
    url: '{{ user.link }}',
    buttons: [{ title: 'Go', url: 'https://a.example/{{ user.path }}' }],
  })
  const scope = { ...NOBODY, user: { link: 'javascript:alert(1)', path: 'x' } }
  const personal = personaliser(content, 'android').personalFor(scope)
  assert.equal(personal?.content.url, null)
  assert.deepEqual(personal?.content.buttons, [{ title: 'Go', url: 'https://a.example/x' }])
  assert.equal(personal?.cuts, 1)
})

test('half a character left by a slice is replaced', () => {
  const content = anyContent({ title: '{{ user.face | slice: 0, 1 }}' })
  const personal = personaliser(content, 'web').personalFor({ ...NOBODY, user: { face: '😀' } })
  assert.equal(personal?.content.title.isWellFormed(), true)
})

test('a template that runs away leaves no message', () => {
  const content = anyContent({ body: '{% for i in (1..1000000000) %}x{% endfor %}' })
  assert.equal(personaliser(content, 'web').personalFor(NOBODY), null)
})

test('the caller’s id replaces on the device; without one the delivery’s own does', () => {
  const content = anyContent({})
  assert.equal(
    messageOf(content, { deliveryId: 'd1', callerNotificationId: 9_223_372_036_854_775_807n }).collapseId,
    '9223372036854775807',
  )
  assert.equal(messageOf(content, { deliveryId: 'd1', callerNotificationId: null }).collapseId, 'd1')
})

test('a payload of exactly the platform’s bytes fits, one more does not', () => {
  for (const platform of PLATFORM_NAMES) {
    const { payloadBytesMax } = PLATFORMS[platform]
    assert.equal(payloadFault(platform, payloadBytesMax), null)
    assert.equal(payloadFault(platform, payloadBytesMax + 1)?.code, 'payload_too_large')
  }
})

test('a message that fits to the byte is left as it is, and one byte more costs a word', () => {
  const ids = { deliveryId: 'd1', callerNotificationId: null }
  const room = PLATFORMS.web.payloadBytesMax - measure(messageOf(anyContent({ body: '' }), ids))
  const full = messageOf(anyContent({ body: 'x'.repeat(room) }), ids)
  assert.equal(measure(full), PLATFORMS.web.payloadBytesMax)
  assert.equal(fitPayload(full, 'web', measure), full)
  const over = { ...full, body: `${full.body}x` }
  const cut = fitPayload(over, 'web', measure)
  assert.notEqual(cut?.body, over.body)
  assert.equal(cut && measure(cut), PLATFORMS.web.payloadBytesMax, 'not a byte is given away')
  // Even without a body it fits only to the byte.
  const title = messageOf(anyContent({ title: 'x'.repeat(room), body: '' }), ids)
  const spare = PLATFORMS.web.payloadBytesMax - measure(title)
  const tight = { ...title, title: title.title + 'x'.repeat(spare), body: 'more' }
  assert.equal(measure({ ...tight, body: '' }), PLATFORMS.web.payloadBytesMax)
  assert.notEqual(fitPayload(tight, 'web', measure), null)
})

test('a message too large for the wire loses the end of its body and nothing else', () => {
  const message = messageOf(anyContent({ body: 'größer '.repeat(2_000) }), {
    deliveryId: 'd1',
    callerNotificationId: null,
  })
  const fitted = fitPayload(message, 'web', measure)
  assert.ok(fitted)
  assert.ok(measure(fitted) <= PLATFORMS.web.payloadBytesMax)
  assert.ok(measure(fitted) > PLATFORMS.web.payloadBytesMax - 20)
  assert.match(fitted.body, /größer…$/)
  assert.equal(fitPayload({ ...message, title: 'x'.repeat(5_000) }, 'web', measure), null)
})
