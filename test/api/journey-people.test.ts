import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/rules/subscriptions.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf } from '../support/events/events.ts'
import { field, listIn, pathOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { ENTERED, event, OTP, REMIND, walkers } from '../support/journeys/walkers.ts'
import { startServer } from '../support/processes/server.ts'
import { addEndpoint, outboxOf } from '../support/webhooks/webhooks.ts'

const server = await startServer()
const { deps, close } = server
after(close)
const walk = walkers(server)

const HOUR_MS = 3_600_000

test('of two people who turn out to be one, the first goes on', async () => {
  const walker = await walk(OTP, { isMerging: true })
  const { api, brand, journeyId } = walker
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u2', email: 'u2@example.com' }] })
  await walker.log(event('signup', 1), entryOf({ userID: 'u2', event_name: 'signup', event_time: undefined }))
  await walker.run(60_000)
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u1', email: 'u2@example.com' }] })
  await walker.run(2 * HOUR_MS)
  assert.deepEqual(await walker.path(), [
    ...ENTERED,
    'wait:waited',
    'remind:sent',
    'completed',
    ...ENTERED,
    'merged',
  ])
  const sent = await deps.database.query('select from notifications where brand_id = $1', [brand.brandId])
  assert.equal(sent.count, 1)
  assert.deepEqual(await pathOf(api, journeyId, 'u2'), await walker.path())
})

test('an erased person leaves nothing behind and is notified of nothing', async () => {
  const walker = await walk(OTP)
  const { api, brand } = walker
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  await api('POST', '/api/v1/user/delete', { nv: [{ userID: 'u1' }] })
  await walker.run(2 * HOUR_MS)
  await catchUp(deps.database, brand.brandId)
  for (const table of ['enrolments', 'notifications', 'journey_members']) {
    const { count } = await deps.database.query(`select from ${table} where brand_id = $1`, [brand.brandId])
    assert.equal(count, 0, table)
  }
})

test('who enters a segment enters the journey, but not who was in it before', async () => {
  let segment = ''
  const walker = await walk(async (api) => {
    await api('POST', '/api/v1/user/create', { nv: [{ userID: 'old', user_attributes: { plan: 'gold' } }] })
    const filter = { any: [{ tag: 'vip' }, { attribute: 'plan', is: 'eq', value: 'gold' }] }
    const made = await api('POST', '/api/v1/segments', { name: 'VIPs', filter })
    segment = String(field(made.body['segment'], 'segment_id'))
    return { trigger: { segment_entered: Number(segment) }, steps: [REMIND] }
  })
  const { api, journeyId } = walker
  await walker.addDevice('old')
  await walker.run(1_000)
  assert.deepEqual(await walker.path(), [])
  await walker.tag('vip')
  await walker.run(120_000)
  assert.deepEqual(await walker.path(), ['entered', 'remind:sent', 'completed'])
  const { body } = await api('GET', `/api/v1/segments/${segment}`)
  assert.equal(field(body['segment'], 'size'), 2, 'both are in it')
  assert.deepEqual(await pathOf(api, journeyId, 'old'), [])
})

test('a wait until nine ends at nine where the person is', async () => {
  const walker = await walk({
    trigger: { event: 'signup' },
    steps: [{ id: 'nine', wait_until: { at: '09:00' } }, REMIND],
  })
  const { api, journeyId } = walker
  const device = { platform: 'android', token: 'in-tokyo', user_id: 'u1', time_zone: 'Asia/Tokyo' }
  assert.equal((await api('POST', '/api/v1/subscriptions', device)).status, 200)
  await walker.log(event('signup', null))
  await walker.run(1_000)
  const { body } = await api('GET', `/api/v1/journeys/${journeyId}/people/u1`)
  const [enrolment] = listIn(body['enrolments'])
  assert.match(String(field(enrolment, 'next_at')), /T00:00:00\.000Z$/)
})

test('a person takes the same way at a split each time they enter', async () => {
  const walker = await walk({
    trigger: { event: 'signup' },
    reentry: 'always',
    steps: [
      {
        id: 'split',
        split: [
          { percent: 50, next: 'left' },
          { percent: 50, next: 'right' },
        ],
      },
      { id: 'left', set: { add_tag: 'left' }, next: 'end' },
      { id: 'right', set: { add_tag: 'right' } },
    ],
  })
  const rounds = 12
  for (let round = 0; round < rounds; round += 1) {
    await walker.log(event('signup', null))
    await walker.run(1_000)
  }
  const path = await walker.path()
  const taken = path.filter((note) => note.endsWith(':set'))
  assert.deepEqual([taken.length, new Set(taken).size], [rounds, 1])
})

test('who leaves a segment enters a journey that waits for that', async () => {
  const walker = await walk(async (api) => {
    const made = await api('POST', '/api/v1/segments', { name: 'others', filter: { not: { tag: 'vip' } } })
    return { trigger: { segment_left: Number(field(made.body['segment'], 'segment_id')) }, steps: [REMIND] }
  })
  await walker.run(1_000)
  await walker.tag('vip')
  await walker.run(120_000)
  assert.deepEqual(await walker.path(), ['entered', 'remind:sent', 'completed'])
})

test('a date is kept to the second in the person’s zone, once', async () => {
  const walker = await walk({ trigger: { date: 'renewal', at: '09:00', yearly: true }, steps: [REMIND] })
  await walker.api('POST', '/api/v1/user/create', {
    nv: [{ userID: 'u1', user_attributes: { renewal: '2020-06-15' } }],
  })
  const due = Date.parse(`${new Date().getUTCFullYear() + 1}-06-15T09:00:00Z`)
  await deps.database.query('update journeys set scanned_until = $2, scan_at = $2 where brand_id = $1', [
    walker.brand.brandId,
    new Date(due - HOUR_MS),
  ])
  const runAt = async (at: number) => runJourneysAt(deps.database, walker.brand.brandId, at)
  await runAt(due - 10 * 60_000)
  assert.deepEqual(await walker.path(), ['entered'])
  await runAt(due - 1)
  assert.deepEqual(await walker.path(), ['entered'])
  await runAt(due)
  // An edit of something else does not bring the day round again.
  await walker.api('PATCH', `/api/v1/journeys/${walker.journeyId}`, { reentry: 'always' })
  await runAt(due + HOUR_MS)
  assert.deepEqual(await walker.path(), ['entered', 'remind:sent', 'completed'])
})

test('a date that more people share than are looked up at a time comes to each of them once', async () => {
  const walker = await walk({ trigger: { date: 'renewal', at: '09:00' }, steps: [REMIND] })
  const { brandId } = walker.brand
  const due = Date.parse('2026-06-15T09:00:00Z')
  await deps.database.query(
    `insert into profiles (brand_id, attributes, created_at, updated_at)
     select $1, '{"renewal": "2026-06-15"}', now(), now() from generate_series(1, 10001)`,
    [brandId],
  )
  await deps.database.query('update journeys set scanned_until = $2, scan_at = $2 where brand_id = $1', [
    brandId,
    new Date(due - HOUR_MS),
  ])
  await runJourneysAt(deps.database, brandId, due - 10 * 60_000)
  const { rows } = await deps.database.query(
    `select count(*)::integer as all, count(distinct profile_id)::integer as people from enrolments
     where brand_id = $1 and entered_at = $2`,
    [brandId, new Date(due)],
  )
  assert.deepEqual(rows, [{ all: 10_001, people: 10_001 }])
})

test('of a person who enters again and again the newest times are kept', async () => {
  const walker = await walk({ ...OTP, reentry: 'after_exit' })
  const { brandId } = walker.brand
  await deps.database.query(
    `insert into enrolments (brand_id, journey_id, version, profile_id, state, is_waiting, step_at, visits, entered_at, path)
     select $1, $2, 1, profile_id, 'completed', false, now(), 1, now(), '[]'
     from profile_identities cross join generate_series(1, $3) where brand_id = $1`,
    [brandId, walker.journeyId, JOURNEY_LIMITS.enrolmentsMax + 10],
  )
  await walker.log(event('signup', null))
  await walker.run(0)
  const { rows } = await deps.database.query<{ id: bigint; state: string }>(
    'select id, state from enrolments where brand_id = $1 order by id',
    [brandId],
  )
  assert.equal(rows.length, JOURNEY_LIMITS.enrolmentsMax)
  assert.equal(rows.at(-1)?.state, 'active')
  assert.deepEqual(await walker.path(), ENTERED)
})

test('counts say what happened at each step', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  const { body } = await walker.api('GET', `/api/v1/journeys/${walker.journeyId}/counts`)
  const [step, ...others] = listIn(field(body['counts'], 'steps'))
  assert.equal(field(body['counts'], 'entered'), 1)
  assert.deepEqual(step, { id: 'wait', inside: 1, waiting: 1 })
  // In the order of the journey, those that nobody came to as well.
  assert.deepEqual(
    others.map((other) => [field(other, 'id'), field(other, 'inside')]),
    [['remind', 0]],
  )
})

test('a journey is told to whoever asked, and a step calls its endpoint', async () => {
  const walker = await walk(async (_, { brandId }) => {
    const id = await addEndpoint(deps.database, brandId, ['journey.entered'])
    return { trigger: { event: 'signup' }, steps: [{ id: 'tell', webhook: { endpoint_id: id } }] }
  })
  await walker.log(event('signup', null, { plan: 'gold' }))
  await walker.run(60_000)
  const { rows } = await deps.database.query<{ type: string; data: object }>(
    `select event_type as type, data from webhook_messages where brand_id = $1 order by event_type desc`,
    [walker.brand.brandId],
  )
  const seen = rows.filter(({ type }) => type.startsWith('journey.'))
  assert.deepEqual(
    seen.map(({ type }) => type),
    ['journey.entered', 'journey.called'],
  )
  assert.equal(field(seen[1]?.data, 'user_id'), 'u1')
  assert.deepEqual(field(seen[1]?.data, 'event'), { plan: 'gold' })
})

test('a step whose endpoint was deleted calls nobody, says so and goes on', async () => {
  let endpoint = ''
  const walker = await walk(async (_, { brandId }) => {
    endpoint = await addEndpoint(deps.database, brandId, ['journey.goal'])
    const step = { id: 'tell', webhook: { endpoint_id: endpoint.toUpperCase() } }
    return { trigger: { event: 'signup' }, reentry: 'always', steps: [step, REMIND] }
  })
  await walker.log(event('signup', null))
  await walker.run(0)
  const called = ['entered', 'tell:called', 'remind:sent', 'completed']
  assert.deepEqual(await walker.path(), called)
  assert.equal((await walker.api('DELETE', `/api/v1/webhooks/${endpoint}`)).status, 200)
  await walker.log(event('signup', null))
  await walker.run(0)
  assert.deepEqual(await walker.path(), [...called, 'entered', 'tell:not_called', 'remind:sent', 'completed'])
})

test('a change that cannot be made is not said to have been made', async () => {
  const walker = await walk(async (api) => {
    await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u1', user_attributes: { age: 5 } }] })
    const steps = [
      { id: 'word', set: { attribute: 'age', value: 'old' } },
      { id: 'number', set: { attribute: 'age', value: 6 } },
      { id: 'many', set: { add_tag: 'one too many' } },
      { id: 'gone', set: { attribute: 'age', value: null } },
    ]
    return { trigger: { event: 'signup' }, steps }
  })
  await deps.database.query(
    `update profiles set tags = array(select 't' || n from generate_series(1, $2::integer) as n) where brand_id = $1`,
    [walker.brand.brandId, SUBSCRIPTION_LIMITS.tagsMax],
  )
  await walker.log(event('signup', null))
  await walker.run(0)
  const path = ['entered', 'word:not_set', 'number:set', 'many:not_set', 'gone:set', 'completed']
  assert.deepEqual(await walker.path(), path)
})

test('whoever an archive sends out is told to have left', async () => {
  const walker = await walk(async (_, { brandId }) => {
    await addEndpoint(deps.database, brandId, ['journey.exited'])
    return OTP
  })
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  await walker.act('archive')
  await walker.run(60_000)
  const [told, ...more] = await outboxOf(deps.database, walker.brand.brandId)
  assert.deepEqual([told?.type, more], ['journey.exited', []])
  const { journey_id: journeyId, ...data } = told?.data ?? {}
  assert.equal(String(journeyId), walker.journeyId)
  assert.deepEqual(data, { version: 1, reason: 'archived', user_id: 'u1' })
})

test('a journey needs a segment and an endpoint that are there', async () => {
  const { api } = await walk(OTP)
  const missing = await api('POST', '/api/v1/journeys', {
    name: 'x',
    trigger: { segment_entered: 99 },
    steps: [REMIND],
  })
  assert.deepEqual(
    [missing.status, field(listIn(missing.body['errors'])[0], 'field')],
    [400, 'trigger.segment_entered'],
  )
  await assert.rejects(startJourney(api, { trigger: { segment_left: 99 }, steps: [REMIND] }))
})
