import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { event, openBrowser, profilesOf, webBrand } from '../support/people/visitors.ts'
import { call, keyHeaders, LIFE_DAYS, startServer } from '../support/processes/server.ts'

const server = await startServer({ deps: { loadPushHosts: async () => new Set(['push.example']) } })
after(server.close)

const SUBSCRIPTION = {
  endpoint: 'https://push.example/one',
  keys: {
    p256dh: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}

test('200: what somebody did before they said who they are joins them, once', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('page_viewed'))
  assert.deepEqual(await profilesOf(server.deps, brand), [{ userId: null, events: ['page_viewed'] }])
  const { status, body } = await browser.tell({ do: 'user', userID: 'ann' }, event('signup'))
  assert.deepEqual([status, body['message'], body['processed']], [200, 'success', 2])
  await browser.tell({ do: 'user', userID: 'ann' })
  assert.deepEqual(await profilesOf(server.deps, brand), [
    { userId: 'ann', events: ['page_viewed', 'signup'] },
  ])
})

test('200: a person who is known already keeps their profile, and gets what the browser did', async () => {
  const brand = await webBrand(server)
  const headers = keyHeaders(brand)
  await call(server.port, { path: '/api/v1/user/create', headers, body: { nv: [{ userID: 'ann' }] } })
  const browser = await openBrowser(server, brand)
  await browser.tell(event('page_viewed'))
  await browser.tell({ do: 'user', userID: 'ann', user_attributes: { plan: 'gold' } }, event('signup'))
  assert.deepEqual(await profilesOf(server.deps, brand), [
    { userId: 'ann', events: ['page_viewed', 'signup'] },
  ])
})

test('200: an event after user in the same call is never before the profile, whatever the clock says (E1)', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const wrong = Date.UTC(2001, 0)
  const commands = [{ do: 'user', userID: 'eve' }, event('signup', { at: wrong - 5_000 })]
  const sentAt = Date.now()
  await browser.send({ visitor: browser.token(), sent_at: wrong, commands })
  const answeredAt = Date.now()
  const { rows } = await server.deps.database.query<{ early: boolean; at: number }>(
    'select is_before_creation as early, event_at as at from events where brand_id = $1',
    [brand.brandId],
  )
  assert.equal(rows[0]?.early, false)
  const at = (rows[0]?.at ?? 0) + 5_000
  assert.ok(sentAt <= at && at <= answeredAt, 'the error of the clock is taken out')
})

test('200: a clock a little behind does not put an event before a person the server made a moment ago (E1)', async () => {
  const brand = await webBrand(server)
  const headers = keyHeaders(brand)
  const browser = await openBrowser(server, brand)
  await call(server.port, { path: '/api/v1/user/create', headers, body: { nv: [{ userID: 'kim' }] } })
  const at = Date.now() - 30_000
  const commands = [{ do: 'user', userID: 'kim' }, event('signup', { at })]
  await browser.send({ visitor: browser.token(), sent_at: at, commands })
  await browser.send({ visitor: browser.token(), sent_at: at, commands: [event('welcomed', { at })] })
  const { rows } = await server.deps.database.query<{ early: boolean }>(
    'select is_before_creation as early from events where brand_id = $1',
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ early: false }, { early: false }])
})

test('200: the order of the calls is the order of the events, however long a call took', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const at = Date.now() - 2_000
  const slow = { visitor: browser.token(), sent_at: at, commands: [event('first', { at })] }
  const quick = { visitor: browser.token(), sent_at: Date.now(), commands: [event('second', { at })] }
  await browser.send(slow)
  await browser.send(quick)
  const [{ events } = { events: [] }] = await profilesOf(server.deps, brand)
  assert.deepEqual(events, ['first', 'second'])
})

test('200: the same event_id counts once, however often it is sent', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const one = event('bought', { event_id: 'e-1' })
  for (let times = 0; times < 3; times++) {
    assert.equal((await browser.tell(one)).body['processed'], 1)
  }
  assert.deepEqual(await profilesOf(server.deps, brand), [{ userId: null, events: ['bought'] }])
})

test('200: a second person on the same browser is a second person, and never merges with the first', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell({ do: 'user', userID: 'ann' }, event('one'))
  const first = browser.token()
  await browser.tell({ do: 'user', userID: 'bob' }, event('two'))
  assert.notEqual(browser.token(), first)
  assert.deepEqual(await profilesOf(server.deps, brand), [
    { userId: 'ann', events: ['one'] },
    { userId: 'bob', events: ['two'] },
  ])
})

test('200: after logout nothing reaches the person any more, not even with the old token', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell({ do: 'user', userID: 'ann' }, event('one'))
  const old = browser.token()
  await browser.tell(event('two'), { do: 'logout' }, event('three'))
  await browser.send({ visitor: old, commands: [event('four')] })
  assert.deepEqual(await profilesOf(server.deps, brand), [
    { userId: 'ann', events: ['one', 'two'] },
    { userId: null, events: ['three'] },
    { userId: null, events: ['four'] },
  ])
})

test('200: a subscription belongs to whoever uses the browser now', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const owner = async (): Promise<unknown> => {
    const { body } = await call(server.port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand) })
    const [found, ...others] = Object(body['subscriptions'])
    assert.equal(others.length, 0)
    return Object(found)['user_id']
  }
  await browser.tell({ do: 'subscribe', subscription: SUBSCRIPTION })
  assert.equal(await owner(), null)
  await browser.tell({ do: 'user', userID: 'ann' })
  assert.equal(await owner(), 'ann')
  const { endpoint } = SUBSCRIPTION
  await browser.send({ visitor: browser.token(), endpoint, commands: [{ do: 'user', userID: 'bob' }] })
  assert.equal(await owner(), 'bob')
  await browser.send({ visitor: browser.token(), endpoint, commands: [{ do: 'logout' }] })
  assert.equal(await owner(), null)
})

test('200: a renewed subscription takes the place of the one before, and unsubscribe ends it', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const renewed = { ...SUBSCRIPTION, endpoint: 'https://push.example/two' }
  await browser.tell({ do: 'subscribe', subscription: SUBSCRIPTION })
  await browser.tell({ do: 'subscribe', subscription: renewed, previous: SUBSCRIPTION.endpoint })
  const states = async (): Promise<readonly unknown[]> => {
    const { body } = await call(server.port, { path: '/api/v1/subscriptions', headers: keyHeaders(brand) })
    return Object.values(Object(body['subscriptions'])).map((one) => Object(one)['state'])
  }
  assert.deepEqual(await states(), ['unsubscribed', 'live'])
  await browser.tell({ do: 'unsubscribe', endpoint: renewed.endpoint })
  assert.deepEqual(await states(), ['unsubscribed', 'unsubscribed'])
})

test('200: email and mobile of a page are attributes and identify nobody, also where profiles merge', async () => {
  const brand = await webBrand(server, { profile_merging: true })
  const headers = keyHeaders(brand)
  const victim = { nv: [{ userID: 'victim', email: 'v@x.example' }] }
  await call(server.port, { path: '/api/v1/user/create', headers, body: victim })
  const browser = await openBrowser(server, brand)
  await browser.tell({ do: 'user', userID: 'thief', email: 'v@x.example' }, event('seen'))
  assert.deepEqual(await profilesOf(server.deps, brand), [
    { userId: 'victim', events: [] },
    { userId: 'thief', events: ['seen'] },
  ])
})

test('200: one command that is wrong is told by its place, and the others are carried out', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const { status, body } = await browser.tell(event('good'), event('b@d'), { do: 'dance' })
  assert.deepEqual([status, body['message'], body['processed']], [200, 'partial', 1])
  const places = Object.values(Object(body['unprocessed'])).map((one) => Object(one)['index'])
  assert.deepEqual(places, [1, 2])
  assert.deepEqual(await profilesOf(server.deps, brand), [{ userId: null, events: ['good'] }])
})

test('200: a brand can see which events of its pages were refused, and why', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('b@d'))
  await browser.tell({ do: 'user', userID: 'ann' }, event('w@rse'), { do: 'user', userID: '' })
  const { rows } = await server.deps.database.query<{ code: string; entry: string }>(
    'select code, entry from rejected_entries where brand_id = $1 order by id',
    [brand.brandId],
  )
  assert.deepEqual(
    rows.map(({ code, entry }) => [code, /b@d|w@rse/.exec(entry)?.[0]]),
    [
      ['field_invalid', 'b@d'],
      ['field_invalid', 'w@rse'],
    ],
  )
})

test('one profile for a browser and one for a person, however many ask at the same moment', async () => {
  const brand = await webBrand(server)
  const browsers = await Promise.all(Array.from({ length: 6 }, async () => openBrowser(server, brand)))
  const answers = await Promise.all(
    browsers.flatMap((browser, index) => [
      browser.tell(event(`a_${index}`)),
      browser.tell(event(`b_${index}`), { do: 'user', userID: 'ann' }, event(`c_${index}`)),
      browser.tell(event(`d_${index}`)),
    ]),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const people = await profilesOf(server.deps, brand)
  assert.deepEqual(
    people.map(({ userId }) => userId),
    ['ann'],
  )
  assert.equal(new Set(people[0]?.events).size, 24)
})

test('403: a token that was made up, changed, or given by another brand', async () => {
  const [brand, other] = [await webBrand(server), await webBrand(server)]
  const browser = await openBrowser(server, brand)
  const stranger = await openBrowser(server, other)
  const [id, number, day, mac] = browser.token().split('.')
  const forged = [
    stranger.token(),
    `${id}.${number}x.${day}.${mac}`,
    `${id}.${number}.zzz.${mac}`,
    `${id}.${number}.${mac}`,
    `${id}.${number}.${day}.${mac}x`,
    'nothing',
  ]
  for (const visitor of forged) {
    const { status, body } = await browser.send({ visitor, commands: [event('forged')] })
    assert.deepEqual([status, body['code']], [403, 'visitor_invalid'], visitor)
  }
  assert.deepEqual(await profilesOf(server.deps, brand), [])
})

test('a visitor keeps its name as long as it comes back, and an old token has expired', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const visitorId = browser.token().split('.')[0] ?? ''
  const { brandId } = brand
  const tell = async (days: number) => {
    const visitor = server.deps.visitors.sign({ brandId, visitorId }, Date.now() - days * 86_400_000)
    return browser.send({ visitor, commands: [event('came_back')] })
  }
  assert.equal((await tell(1)).body['visitor'], undefined)
  const aging = Object((await tell(LIFE_DAYS.visitor - 1)).body['visitor'])
  assert.equal(String(aging['token']).split('.')[0], visitorId)
  assert.deepEqual(server.deps.visitors.open(String(aging['token']), Date.now()), {
    brandId,
    visitorId,
    age: 'fresh',
  })
  const old = await tell(LIFE_DAYS.visitor + 1)
  assert.deepEqual([old.status, old.body['code']], [403, 'visitor_expired'], old.text)
})

test('partial: where identity is verified, a userID without the right user_hash is refused', async () => {
  const brand = await webBrand(server, { identity_verification: true })
  const headers = keyHeaders(brand)
  const made = await call(server.port, { method: 'POST', path: '/api/v1/brand/identity-key', headers })
  const hashOf = (userId: string): string =>
    createHmac('sha256', String(made.body['identity_key'])).update(userId).digest('hex')
  const browser = await openBrowser(server, brand)
  for (const user_hash of [undefined, hashOf('bob'), 'nothing']) {
    const { body } = await browser.tell({ do: 'user', userID: 'ann', user_hash })
    assert.equal(Object(Object(body['unprocessed'])[0])['code'], 'user_unverified')
  }
  const proved = await browser.tell({ do: 'user', userID: 'ann', user_hash: hashOf('ann') }, event('in'))
  assert.equal(proved.body['message'], 'success')
  assert.deepEqual(await profilesOf(server.deps, brand), [{ userId: 'ann', events: ['in'] }])
})

test('a publishable key opens no other row than those for pages', async () => {
  const brand = await webBrand(server)
  const headers = { authorization: `Bearer ${brand.publishableKey}`, origin: 'https://shop.example' }
  const entry = { userID: 'ann', event_name: 'x', attributes: {} }
  const answers = await Promise.all([
    call(server.port, { path: '/api/event', headers, body: { nv: [entry] } }),
    call(server.port, { path: '/api/v1/user/userData?userID=ann', headers }),
    call(server.port, { path: '/api/v1/subscriptions', headers }),
    call(server.port, { path: '/api/v1/brand', headers }),
    call(server.port, { path: '/api/v1/web-push-key', headers }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [403, 403, 403, 403, 403],
  )
})

test('200: logging out again and again makes no profiles, and a text with a NUL is refused, not our mistake', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('one'))
  await browser.tell(...Array.from({ length: 20 }, () => ({ do: 'logout' })))
  assert.deepEqual(await profilesOf(server.deps, brand), [{ userId: null, events: ['one'] }])
  const { body } = await browser.tell(event('two'), {
    do: 'unsubscribe',
    endpoint: 'https://push.example/\0',
  })
  assert.deepEqual([body['message'], Object(body['unprocessed'])[0]?.code], ['partial', 'field_invalid'])
  const nul = { visitor: browser.token(), endpoint: '\0', commands: [event('three')] }
  assert.equal((await browser.send(nul)).status, 400)
})

test('400: a call in which a crowd logs in is refused; saying again who it is changes nothing', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const crowd = await browser.tell(...logins(['a', 'b', 'a', 'b', 'a', 'b']))
  assert.deepEqual([crowd.status, crowd.body['code']], [400, 'field_invalid'])
  assert.deepEqual(await profilesOf(server.deps, brand), [])
  const same = await browser.tell(...logins(Array.from({ length: 50 }, () => 'ann')))
  assert.deepEqual([same.status, same.body['processed']], [200, 50])
})

function logins(names: readonly string[]): readonly object[] {
  return names.map((userID) => ({ do: 'user', userID }))
}
