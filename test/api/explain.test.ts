import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OLD_EVENTS_REASON } from '../../src/rules/event-files.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { type Api, field, listIn, startJourney } from '../support/journeys/runs.ts'
import { walkers } from '../support/journeys/walkers.ts'
import { startServer } from '../support/processes/server.ts'
import { idIn, push } from '../support/push/calls.ts'

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
  assert.deepEqual(await why(), ['entered', 'sent', 'scheduled', 'completed'])
})

test('a journey tells what became of what it sent', async () => {
  const { api, brand, journeyId, run } = await walk(JOURNEY)
  await logEntries(port, brand, [entryOf({ event_name: 'signup', attributes: { plan: 'gold' } })])
  await run(1_000)
  const why = async (): Promise<readonly unknown[]> => {
    const { body } = await api('GET', `/api/v1/explain?user_id=u1&journey=${journeyId}`)
    const { explanation } = body
    const codes = listIn(field(explanation, 'reasons')).map((reason) => field(reason, 'code'))
    return [field(explanation, 'is_reached'), ...codes]
  }
  assert.deepEqual(await why(), [false, 'entered', 'sent', 'scheduled', 'completed'])

  const { database } = deps
  await database.query(
    `insert into deliveries (brand_id, notification_id, subscription_id, state, reason, attempt, at)
     select n.brand_id, n.id, s.id, 'cancelled', 'frequency_cap', 0, now() from notifications as n
     join subscriptions as s on s.brand_id = n.brand_id where n.brand_id = $1 and n.journey_id = $2`,
    [brand.brandId, journeyId],
  )
  assert.deepEqual(await why(), [false, 'entered', 'sent', 'frequency_capped', 'completed'])
  await database.query(`update deliveries set state = 'accepted', reason = null where brand_id = $1`, [
    brand.brandId,
  ])
  assert.deepEqual(await why(), [true, 'entered', 'sent', 'accepted', 'completed'])
  await database.query('delete from notifications where brand_id = $1', [brand.brandId])
  assert.deepEqual(await why(), [false, 'entered', 'sent', 'outcome_forgotten', 'completed'])
})

test('who did it again and may not enter again is told why', async () => {
  const { api, brand, log, run } = await walk(JOURNEY)
  const trigger = { event: 'again' }
  const once = await startJourney(api, { trigger, steps: [{ id: 'tag', set: { add_tag: 'done' } }] })
  const wait = { id: 'wait', wait: { days: 1 } }
  const inside = await startJourney(api, { trigger, reentry: 'after_exit', steps: [wait] })
  const tells = async (id: string) => codesFor(api, `user_id=u1&journey=${id}`)
  await log(entryOf({ event_name: 'again' }))
  await run(1_000)
  assert.deepEqual(await tells(once), ['entered', 'set', 'completed'])
  await log(entryOf({ event_name: 'again' }))
  await run(1_000)
  assert.deepEqual(await tells(once), ['entered', 'set', 'completed', 'entered_before'])
  assert.deepEqual(await tells(inside), ['entered', 'waiting', 'journey_goes_on', 'inside_already'])
  await api('POST', `/api/v1/journeys/${inside}/pause`)
  assert.deepEqual(await tells(inside), ['entered', 'waiting', 'journey_rests', 'inside_already'])
  await deps.database.query('update enrolments set entered_at = now() where brand_id = $1', [brand.brandId])
  assert.deepEqual(await tells(once), ['entered', 'set', 'completed'])
})

test('an event before the profile’s creation is named as the reason', async () => {
  const { api, brand, journeyId, run } = await walk(JOURNEY)
  await logEntries(port, brand, [
    entryOf({ userID: 'new', event_name: 'signup', attributes: { plan: 'gold' } }),
  ])
  await run(1_000)
  assert.deepEqual(await codesFor(api, `user_id=new&journey=${journeyId}`), ['trigger_before_creation'])
})

test('a journey that rests says so, to whoever is outside and to whoever is inside', async () => {
  const { api, brand, journeyId, act, run } = await walk({
    trigger: { event: 'signup' },
    steps: [{ id: 'wait', wait: { minutes: 1 } }, REMIND],
  })
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u2' }] })
  await logEntries(port, brand, [entryOf({ event_name: 'signup' })])
  await run(1_000)
  await act('pause')
  const why = async (userId: string) => codesFor(api, `user_id=${userId}&journey=${journeyId}`)
  assert.deepEqual(await why('u2'), ['journey_not_active', 'trigger_never_came'])
  await logEntries(port, brand, [entryOf({ userID: 'u2', event_name: 'signup' })])
  await run(3_600_000)
  assert.deepEqual(await why('u2'), ['journey_not_active', 'trigger_while_resting'])
  assert.deepEqual(await why('u1'), ['entered', 'waiting', 'journey_rests'])
  await deps.database.query(
    `update journeys set active_since = now() + interval '1 minute' where brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(await why('u2'), ['journey_not_active', 'trigger_before_activation'])
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

test('a notification that waits because of old events says so, also before it leaves `scheduled`', async () => {
  const { api, brand } = await walk(JOURNEY)
  const id = idIn(await push(port, brand, { mode: 'all' }))
  const why = async (state: string, reason: string | null): Promise<readonly unknown[]> => {
    await deps.database.query('update notifications set state = $2, reason = $3 where brand_id = $1', [
      brand.brandId,
      state,
      reason,
    ])
    return codesFor(api, `user_id=u1&notification=${id}`)
  }
  assert.deepEqual(await why('scheduled', null), ['scheduled'])
  for (const state of ['scheduled', 'queued', 'sending'])
    assert.deepEqual(await why(state, OLD_EVENTS_REASON), [OLD_EVENTS_REASON])
  assert.deepEqual(await why('failed', OLD_EVENTS_REASON), ['notification_failed'])
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
  await api('POST', `/api/v1/notifications/${single}/cancel`)
  assert.deepEqual(await why('u1', single), ['notification_cancelled'])
  await deps.database.query(
    `update subscriptions set created_at = now() + interval '1 hour' where brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(await why('u1', tagged), ['subscribed_later'])
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
