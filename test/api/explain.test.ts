import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entryOf, logEntries } from '../support/events.ts'
import { type Api, field, listIn, startJourney } from '../support/journey-runs.ts'
import { walkers } from '../support/journey-walkers.ts'
import { idIn, push } from '../support/push-calls.ts'
import { startServer } from '../support/server.ts'

const server = await startServer()
const { port, deps, close } = server
after(close)
const walk = walkers(server)

const REMIND = { id: 'remind', send: { to: 'android', title: 'Hello', message: 'World' } }
const GOLD = [{ attribute: 'plan', is: 'eq', value: 'gold' }]
const JOURNEY = { trigger: { event: 'signup', where: GOLD }, steps: [REMIND] }

async function codesFor(api: Api, query: string): Promise<readonly unknown[]> {
  const { status, text, body } = await api('GET', `/api/v1/explain?${query}`)
  assert.equal(status, 200, text)
  return listIn(field(body['explanation'], 'reasons')).map((reason) => field(reason, 'code'))
}

test('a journey explains why somebody is not in it, event by event', async () => {
  const { api, brand, journeyId, run } = await walk(JOURNEY)
  const why = async () => codesFor(api, `user_id=u1&journey=${journeyId}`)
  assert.deepEqual(await why(), ['trigger_never_came'])
  await logEntries(port, brand, [entryOf({ event_name: 'signup', attributes: { plan: 'tin' } })])
  await run(1_000)
  assert.deepEqual(await why(), ['trigger_where'])
  await logEntries(port, brand, [entryOf({ event_name: 'signup', attributes: { plan: 'gold' } })])
  assert.deepEqual(await why(), ['trigger_fresh', 'trigger_where'])
  await run(1_000)
  assert.deepEqual(await why(), ['entered', 'sent', 'completed'])
})

test('an event before the profile’s creation is named as the reason', async () => {
  const { api, brand, journeyId, run } = await walk(JOURNEY)
  await logEntries(port, brand, [
    entryOf({ userID: 'new', event_name: 'signup', attributes: { plan: 'gold' } }),
  ])
  await run(1_000)
  assert.deepEqual(await codesFor(api, `user_id=new&journey=${journeyId}`), ['trigger_before_creation'])
})

test('a journey that rests says so', async () => {
  const { api, journeyId, act } = await walk(JOURNEY)
  await act('pause')
  assert.deepEqual(await codesFor(api, `user_id=u1&journey=${journeyId}`), [
    'journey_not_active',
    'trigger_never_came',
  ])
})

test('who waits is told until when', async () => {
  const { api, brand, run } = await walk(JOURNEY)
  const id = await startJourney(api, {
    trigger: { event: 'signup' },
    steps: [{ id: 'wait', wait: { days: 1 } }],
  })
  await logEntries(port, brand, [entryOf({ event_name: 'signup' })])
  await run(1_000)
  assert.deepEqual(await codesFor(api, `user_id=u1&journey=${id}`), ['entered', 'waiting', 'journey_goes_on'])
})

test('a notification explains what kept somebody from it', async () => {
  const { api, brand } = await walk(JOURNEY)
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'other' }] })
  const why = async (userId: string, id: string) => codesFor(api, `user_id=${userId}&notification=${id}`)
  const single = idIn(await push(port, brand, { body: { user_id: 'u1' } }))
  assert.deepEqual(await why('other', single), ['not_addressed'])
  assert.deepEqual(await why('u1', single), ['pending'])

  const all = idIn(await push(port, brand, { mode: 'all' }))
  assert.deepEqual(await why('other', all), ['never_subscribed'])
  const tagged = idIn(await push(port, brand, { mode: 'all', body: { tag: 'vip' } }))
  assert.deepEqual(await why('u1', tagged), ['tag_missing'])

  const made = await api('POST', '/api/v1/segments', { name: 'VIPs', filter: { tag: 'vip' } })
  const segmentId = field(made.body['segment'], 'segment_id')
  const segment = idIn(await push(port, brand, { mode: 'segment', body: { segment_id: segmentId } }))
  assert.deepEqual(await why('u1', segment), ['not_in_segment'])

  await deps.database.query(
    `insert into deliveries (brand_id, notification_id, subscription_id, state, reason, attempt, at)
     select brand_id, $2, id, 'failed', 'THIRD_PARTY_AUTH_ERROR', 1, now() from subscriptions where brand_id = $1`,
    [brand.brandId, all],
  )
  assert.deepEqual(await why('u1', all), ['failed'])
  await deps.database.query(`update subscriptions set state = 'gone' where brand_id = $1`, [brand.brandId])
  assert.deepEqual(await why('u1', tagged), ['no_live_subscription'])
})

test('404 for whom and what nobody knows, 400 for both questions at once', async () => {
  const { api, journeyId } = await walk(JOURNEY)
  const status = async (query: string) => (await api('GET', `/api/v1/explain?${query}`)).status
  assert.equal(await status(`user_id=nobody&journey=${journeyId}`), 404)
  assert.equal(await status('user_id=u1&journey=999999'), 404)
  assert.equal(await status('user_id=u1&notification=x'), 404)
  assert.equal(await status('user_id=u1'), 400)
  assert.equal(await status(`user_id=u1&journey=${journeyId}&notification=x`), 400)
})
