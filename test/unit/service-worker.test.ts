import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { WorkerScope } from '../support/browser/worker-scope.ts'

const scope = new WorkerScope()
scope.install()
// The types of a worker's globals are not those of this file, so the module is not named where types are checked.
await import(new URL('../../web/service-worker/worker.ts', import.meta.url).href)
// The first look at the database makes its stores.
await scope.dispatch('activate')

const DAY_MS = 86_400_000
const SITE = { api: 'https://beckon.example', key: 'pk', tracksPush: true }
let made = 0

/** A push of Beckon for a delivery of its own. */
function message(fields: object = {}) {
  made += 1
  return { delivery_id: `d${made}`, receipt: `r${made}`, tag: `t${made}`, title: 'Teas', ...fields }
}

beforeEach(() => {
  for (const list of [
    scope.shown,
    scope.opened,
    scope.badges,
    scope.syncs,
    scope.keys,
    scope.posts,
    scope.told,
  ])
    list.length = 0
  scope.standing.clear()
  scope.tabs = []
  scope.answer = () => 200
  setFact('site', SITE)
  setFact('visitor', 'v')
  for (const name of ['endpoint', 'pushKey', 'isOptedOut']) setFact(name, undefined)
})

function setFact(name: string, value: unknown): void {
  scope.database.set('facts', name, value)
}

function eventNames(): readonly unknown[] {
  return scope.commands().map((command) => command['event_name'])
}

test('a push is shown with what it says and nothing else, and its receipt and event are sent', async () => {
  const plain = message()
  await scope.push(plain)
  assert.deepEqual(scope.shown, [
    {
      title: 'Teas',
      body: '',
      tag: plain.tag,
      data: {
        beckon: { delivery_id: plain.delivery_id, receipt: plain.receipt, url: null, buttonUrls: [] },
      },
      actions: [],
    },
  ])
  assert.deepEqual(scope.receipts(), [{ receipt: plain.receipt, kind: 'received' }])
  assert.deepEqual(eventNames(), ['push_received'])
  assert.deepEqual(scope.badges, [])

  const rich = {
    message: 'Six new ones.',
    url: 'https://shop.example/teas',
    image_url: 'https://shop.example/i.png',
    hero_image_url: 'https://shop.example/h.png',
    badge: 0,
    data: { order: 7 },
    buttons: [
      { title: 'Look', url: null },
      { title: 'Buy', url: '/buy' },
    ],
  }
  await scope.push(message(rich))
  const { body, icon, image, actions, data } = Object(scope.shown[1])
  assert.deepEqual(
    [body, icon, image, Object(data).order, Object(data).beckon.buttonUrls],
    ['Six new ones.', rich.image_url, rich.hero_image_url, 7, [null, '/buy']],
  )
  assert.deepEqual(actions, [
    { action: 'beckon-1', title: 'Look' },
    { action: 'beckon-2', title: 'Buy' },
  ])
  assert.deepEqual(scope.badges, [0])
})

test('a push of another sender is left alone', async () => {
  for (const given of ['no json', '7', 'null', '"text"', { title: 'Teas' }, { delivery_id: 'd' }])
    await scope.push(given)
  await scope.dispatch('push', { data: null })
  assert.deepEqual([scope.shown, scope.posts], [[], []])
})

test('a delivery that comes twice is shown and reported once; one that still stands is shown again silently', async () => {
  const first = message()
  await scope.push(first)
  await scope.push(first)
  assert.deepEqual(
    scope.shown.map(({ silent }) => silent),
    [undefined, true],
  )
  assert.equal(scope.standing.size, 1)
  scope.standing.clear()
  await scope.push(first)
  assert.equal(scope.shown.length, 2, 'a dismissed one does not come back')
  assert.equal(scope.receipts().length, 1)
})

test('deliveries are remembered for four weeks', async () => {
  const { delivery_id: id, ...rest } = message()
  const { delivery_id: kept } = message()
  mock.timers.enable({ apis: ['Date'], now: 100 * DAY_MS })
  try {
    scope.database.set('shown', id, { id, at: 72 * DAY_MS - 1 })
    scope.database.set('shown', kept, { id: kept, at: 72 * DAY_MS })
    await scope.push(message())
  } finally {
    mock.timers.reset()
  }
  const ids = scope.database.rows('shown').map((row) => Object(row).id)
  assert.deepEqual([ids.includes(id), ids.includes(kept)], [false, true])
  await scope.push({ delivery_id: id, ...rest })
  assert.equal(scope.shown.length, 2)
})

test('without tracking, and after an opt-out, a receipt is sent and no event', async () => {
  setFact('site', { ...SITE, tracksPush: false })
  await scope.push(message())
  setFact('site', SITE)
  setFact('isOptedOut', true)
  await scope.push(message())
  assert.equal(scope.receipts().length, 2)
  assert.deepEqual(eventNames(), [])
})

test('a click opens the page, closes the notification, and is reported; a button has its own page', async () => {
  const buttons = [
    { title: 'Buy', url: 'https://shop.example/buy' },
    { title: 'Later', url: null },
  ]
  const url = 'https://shop.example/teas'
  await scope.push(message({ url, buttons }))
  const [one] = scope.shown
  scope.posts.length = 0
  await scope.click(one)
  await scope.click(one, 'beckon-1')
  await scope.click(one, 'beckon-2')
  await scope.click(one, 'beckon-12')
  assert.equal(scope.standing.size, 0)
  assert.deepEqual(scope.opened, [`new ${url}`, `new ${buttons[0]?.url}`, `new ${url}`, `new ${url}`])
  const receipts = scope.receipts().map((receipt) => [Object(receipt).kind, Object(receipt).button])
  const clicked = ['clicked', undefined]
  assert.deepEqual(receipts, [clicked, clicked, ['button', 1], clicked, ['button', 2], clicked])
  assert.deepEqual(
    scope.commands().map(({ event_name: name, attributes }) => [name, Object(attributes).button]),
    receipts.map(([kind, button]) => [kind === 'button' ? 'push_button_clicked' : 'push_clicked', button]),
  )
})

test('a click focuses the tab that shows the page, and without an address any tab of the site', async () => {
  await scope.push(message({ url: '/teas' }))
  await scope.push(message())
  const [teas, any] = scope.shown
  scope.tabs = [scope.tab('https://shop.example/'), scope.tab('https://shop.example/teas#reviews')]
  await scope.click(teas)
  await scope.click(any)
  scope.tabs = [{ url: 'https://shop.example/' }]
  await scope.click(any)
  scope.tabs = [scope.tab('https://shop.example/other')]
  await scope.click(teas)
  assert.deepEqual(scope.opened, [
    'tab https://shop.example/teas#reviews',
    'tab https://shop.example/',
    'new /',
    'new /teas',
  ])
})

test('notifications of another sender are neither opened nor reported', async () => {
  for (const data of [
    null,
    'text',
    {},
    { beckon: null },
    { beckon: { receipt: 'r' } },
    { beckon: { buttonUrls: [] } },
  ]) {
    const one = { title: 'x', tag: 'x', body: '', data: Object(data), actions: [] }
    await scope.click(data === null ? undefined : one)
    await scope.close(one)
  }
  assert.deepEqual([scope.opened, scope.posts], [[], []])
})

test('a dismissal is reported once: not for a click, nor for a notification that another replaced', async () => {
  await scope.push(message())
  await scope.push(message({ tag: 'same' }))
  await scope.push(message({ tag: 'same' }))
  await scope.push(message())
  const [first, replaced, , clicked] = scope.shown
  scope.posts.length = 0
  await scope.close(first)
  await scope.close(replaced)
  await scope.click(clicked)
  await scope.close(clicked)
  const receipts = [first, clicked].map((one) => Object(one?.data).beckon.receipt)
  assert.deepEqual(scope.receipts(), [
    { receipt: receipts[0], kind: 'dismissed' },
    { receipt: receipts[1], kind: 'clicked' },
  ])
  assert.deepEqual(eventNames(), ['push_dismissed', 'push_clicked'])
})

test('a subscription that the browser replaced is sent with the one before it', async () => {
  await scope.dispatch('pushsubscriptionchange', {
    newSubscription: scope.subscription('https://push.example/b'),
  })
  assert.deepEqual(scope.commands(), [], 'this browser was never subscribed')

  setFact('endpoint', 'https://push.example/a')
  await scope.dispatch('pushsubscriptionchange')
  assert.deepEqual(scope.commands(), [], 'it does not know the key yet')

  setFact('pushKey', { value: 'key', askedAt: 0 })
  const given = scope.subscription('https://push.example/b')
  for (const newSubscription of [given, given, null]) {
    await scope.dispatch('pushsubscriptionchange', { newSubscription })
  }
  assert.deepEqual(
    scope.commands().map((command) => [Object(command['subscription']).endpoint, command['previous']]),
    [
      ['https://push.example/b', 'https://push.example/a'],
      ['https://push.example/b', undefined],
      ['https://push.example/made', 'https://push.example/b'],
    ],
  )
  assert.deepEqual(scope.keys, ['key'])
})

/** Lets the pauses of a report pass until it is over. */
async function patiently(work: Promise<void>): Promise<void> {
  const end = work.then(() => 'over')
  while ((await Promise.race([end, turn()])) === undefined) mock.timers.tick(1_000)
}

test('what cannot be sent is tried three times, then left for the next moment the browser is online', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    scope.answer = (url) => (url.endsWith('/receipts') ? 503 : 200)
    await patiently(scope.push(message()))
    assert.deepEqual([scope.receipts().length, scope.commands().length], [3, 1])
    assert.deepEqual(scope.syncs, ['beckon'])

    for (const sync of [undefined, null, {}, { register: 7 }, { register: refuse }]) {
      scope.sync = sync
      scope.answer = () => 0
      await patiently(scope.push(message()))
    }
    assert.equal(scope.syncs.length, 1)
  } finally {
    mock.timers.reset()
  }
  scope.posts.length = 0
  scope.answer = () => 200
  await scope.dispatch('sync')
  assert.deepEqual([scope.receipts().length, scope.commands().length], [6, 5], 'what is left is sent')
  await scope.dispatch('activate')
  assert.equal(scope.receipts().length, 6)
  scope.give('sync', { waitUntil: null })
})

async function refuse(): Promise<never> {
  throw new Error('not allowed')
}

test('a report tells the pages, and pauses only when something is left', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    // Nothing here moves the clock, so a report that paused would not end.
    await scope.push(message())
    scope.answer = (url) => (url.includes('/commands') && scope.commands().length === 2 ? 503 : 200)
    await patiently(scope.push(message()))
    assert.equal(scope.commands().length, 3, 'the event is tried again, and not its receipt')
    assert.equal(scope.receipts().length, 2)
  } finally {
    mock.timers.reset()
  }
  assert.equal(scope.told.length, 2)
  assert.deepEqual(scope.syncs, [])
})
