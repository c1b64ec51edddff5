import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownMessage } from '../../src/delivery/sandbox/shown-message.ts'

const LINKS = {
  url: 'https://a.example',
  image_url: 'https://i.example',
  hero_image_url: 'https://h.example',
}
const READ_LINKS = { url: LINKS.url, imageUrl: LINKS.image_url, heroImageUrl: LINKS.hero_image_url }
const ONE_BUTTON = { button_one_title: 'Open', button_one_url: 'https://b.example', button_two_url: 'unused' }
const READ_BUTTON = [{ title: 'Open', url: 'https://b.example' }]
const NOTHING = { receipt: null, title: null, body: null, url: null, imageUrl: null, heroImageUrl: null }

test('a browser shows the fields beside each other, and the buttons that have a title', () => {
  const payload = {
    receipt: 'r',
    title: 'T',
    message: 'M',
    ...LINKS,
    buttons: [{ title: 'Open', url: 'https://b.example' }, { url: 'https://c.example' }, 'no object'],
  }
  assert.deepEqual(shownMessage('web', { arrivedAt: 5, collapseId: 'c', payload }), {
    arrivedAt: 5,
    collapseId: 'c',
    receipt: 'r',
    title: 'T',
    body: 'M',
    ...READ_LINKS,
    buttons: READ_BUTTON,
    isSilent: false,
  })
})

test('an iPhone shows the alert, with the fields beside aps', () => {
  const alert = { title: 'T', body: 'M' }
  const payload = { aps: { alert }, data: { receipt: 'wrong' }, receipt: 'r', ...LINKS, ...ONE_BUTTON }
  assert.deepEqual(shownMessage('ios', { arrivedAt: 5, collapseId: null, payload }), {
    arrivedAt: 5,
    collapseId: null,
    receipt: 'r',
    title: 'T',
    body: 'M',
    ...READ_LINKS,
    buttons: READ_BUTTON,
    isSilent: false,
  })
})

test('an Android device shows the notification of FCM, with the fields in data', () => {
  const payload = {
    notification: { title: 'T', body: 'M' },
    aps: { alert: { title: 'wrong' } },
    receipt: 'wrong',
    data: { receipt: 'r', title: 'hidden', message: 'hidden', ...LINKS, ...ONE_BUTTON },
  }
  const { receipt, title, body, buttons, isSilent, ...rest } = shownMessage('android', { payload })
  assert.deepEqual([receipt, title, body, buttons, isSilent], ['r', 'T', 'M', READ_BUTTON, false])
  assert.deepEqual(rest, { arrivedAt: Number.NaN, collapseId: null, ...READ_LINKS })
})

test('a message that the app alone gets is silent, and has the texts of its fields', () => {
  const android = shownMessage('android', { payload: { data: { title: 'T', message: 'M' } } })
  assert.deepEqual([android.title, android.body, android.isSilent], ['T', 'M', true])
  const ios = shownMessage('ios', { payload: { aps: { 'content-available': 1 }, title: 'T', message: 'M' } })
  assert.deepEqual([ios.title, ios.body, ios.isSilent], ['T', 'M', true])
})

test('a payload that is no object shows nothing', () => {
  for (const platform of ['android', 'ios', 'web'] as const) {
    for (const payload of [null, undefined, 'text', ['list']]) {
      const shown = shownMessage(platform, { arrivedAt: 5, collapseId: 7, payload })
      const isSilent = platform !== 'web'
      assert.deepEqual(shown, { arrivedAt: 5, collapseId: null, ...NOTHING, buttons: [], isSilent })
    }
  }
})
