import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { entryOf } from '../support/events/events.ts'
import { field } from '../support/journeys/runs.ts'
import { ENTERED, event, OTP, REMIND, SEND, walkers } from '../support/journeys/walkers.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { deps, close } = server
after(close)
const walk = walkers(server)

const HOUR_MS = 3_600_000

test('a goal in the same batch counts when it happened after its trigger, wherever it stands', async () => {
  const walker = await walk(OTP)
  await walker.log(event('otp_verified', 20), event('signup', 10))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ['entered', 'goal'])
})

test('a goal in the same batch does not count when it happened before its trigger', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 20), event('otp_verified', 10))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ENTERED)
})

test('a goal that was told before its trigger counts when it happened after it', async () => {
  const walker = await walk(OTP)
  // So far apart that the trigger is the earlier one, however long the first run takes.
  await walker.log(event('otp_verified', 3_600))
  await walker.run(60_000)
  await walker.log(event('signup', 10))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ['entered', 'goal'])
})

test('an event from before the journey was activated starts nothing', async () => {
  const walker = await walk(OTP)
  await deps.database.query(
    `update journeys set active_since = active_since + interval '1 hour' where brand_id = $1`,
    [walker.brand.brandId],
  )
  await walker.log(event('signup', 10))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [])
})

test('an event of the very second in which the profile was made starts the journey', async () => {
  const walker = await walk(OTP)
  const second = `${new Date(Date.now() + 5_000).toISOString().slice(0, 19)}Z`
  await deps.database.query(
    `update profile_identities set profile_created_at = $2::timestamptz + interval '0.9 s' where brand_id = $1`,
    [walker.brand.brandId, second],
  )
  await walker.log(entryOf({ event_name: 'signup', event_time: second }))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ENTERED)
})

test('two triggers in one second let a person in once', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1), event('signup', 1))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ENTERED)
})

test('re-entry always lets a person in for each trigger', async () => {
  const walker = await walk({ ...OTP, reentry: 'always' })
  await walker.log(event('signup', 1), event('signup', 1))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [...ENTERED, ...ENTERED])
})

test('where decides which events start it', async () => {
  const where = [{ attribute: 'plan', is: 'eq', value: 'gold' }]
  const walker = await walk({ ...OTP, trigger: { event: 'signup', where } })
  await walker.log(event('signup', 1, { plan: 'tin' }))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [])
  await walker.log(event('signup', 2, { plan: 'gold' }))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ENTERED)
})

test('while a journey is paused nobody moves, and who came due moves when it goes on', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  await walker.act('pause')
  await walker.log(event('signup', 1))
  await walker.run(3 * HOUR_MS)
  assert.deepEqual(await walker.path(), ENTERED)
  await walker.act('activate')
  await walker.run(3 * HOUR_MS)
  assert.deepEqual(await walker.path(), [...ENTERED, 'wait:waited', 'remind:sent', 'completed'])
})

test('a goal is noted while a journey is paused', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  await walker.act('pause')
  await walker.log(event('otp_verified', 10))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [...ENTERED, 'goal'])
})

test('whoever is inside finishes on the version they entered', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  const changed = await walker.api('PATCH', `/api/v1/journeys/${walker.journeyId}`, {
    steps: [{ id: 'other', send: SEND }],
  })
  assert.equal(field(changed.body['journey'], 'version'), 2)
  await walker.run(2 * HOUR_MS)
  assert.deepEqual(await walker.path(), [...ENTERED, 'wait:waited', 'remind:sent', 'completed'])
})

test('archiving sends everyone out', async () => {
  const walker = await walk(OTP)
  await walker.log(event('signup', 1))
  await walker.run(60_000)
  await walker.act('archive')
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [...ENTERED, 'archived'])
})

test('an awaited event takes its way, and what it says is compared', async () => {
  const where = [{ attribute: 'total', is: 'gte', value: 10 }]
  const steps = [
    { id: 'buy', wait_for: { event: 'purchase', where, within: { hours: 1 }, yes: 'end', no: 'remind' } },
    REMIND,
  ]
  const walker = await walk({ trigger: { event: 'signup' }, steps })
  await walker.log(event('signup', null))
  await walker.run(0)
  await walker.log(event('purchase', 5, { total: 9 }), event('purchase', 6, { total: 10 }))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ['entered', 'buy:waiting', 'buy:event_came', 'completed'])
})

test('an event that comes before the wait has begun is not missed', async () => {
  const steps = [
    { id: 'verify', wait_for: { event: 'otp_verified', within: { hours: 1 }, yes: 'end', no: 'remind' } },
    REMIND,
  ]
  const walker = await walk({ trigger: { event: 'signup' }, steps })
  await walker.log(event('signup', 1), event('otp_verified', 2))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), ['entered', 'verify:event_came', 'completed'])
})

test('a change of the person is seen by the branch that follows', async () => {
  const steps = [
    { id: 'mark', set: { add_tag: 'reminded' } },
    { id: 'stage', set: { attribute: 'stage', value: 'two' } },
    {
      id: 'look',
      branch: {
        filter: { all: [{ tag: 'reminded' }, { attribute: 'stage', is: 'eq', value: 'two' }] },
        yes: 'remind',
        no: 'end',
      },
    },
    REMIND,
  ]
  const walker = await walk({ trigger: { event: 'signup' }, steps })
  await walker.log(event('signup', null))
  await walker.run(60_000)
  assert.deepEqual(await walker.path(), [
    'entered',
    'mark:set',
    'stage:set',
    'look:branch_yes',
    'remind:sent',
    'completed',
  ])
})

test('an awaited event is answered once, although the way leads back to the wait', async () => {
  const bought = { event: 'purchase', within: { hours: 1 }, yes: 'remind', no: 'end' }
  const steps = [
    { id: 'buy', wait_for: bought },
    { ...REMIND, next: 'buy' },
  ]
  const walker = await walk({ trigger: { event: 'signup' }, steps })
  await walker.log(event('signup', null))
  await walker.run(0)
  // Events tell their time to the second, and more than one step is taken in a second.
  await walker.log(event('purchase', 0))
  await walker.run(0)
  const once = ['entered', 'buy:waiting', 'buy:event_came', 'remind:sent', 'buy:waiting']
  assert.deepEqual(await walker.path(), once)
  await walker.log(event('purchase', 5))
  await walker.run(6_000)
  assert.deepEqual(await walker.path(), [...once, 'buy:event_came', 'remind:sent', 'buy:waiting'])
})

test('an event of long ago starts a journey that ran already then, and the waits begin now', async () => {
  const walker = await walk(OTP)
  const { brandId } = walker.brand
  await deps.database.query(
    `update journeys set active_since = now() - interval '3 hours' where brand_id = $1`,
    [brandId],
  )
  await deps.database.query(
    `update profile_identities set profile_created_at = now() - interval '3 hours' where brand_id = $1`,
    [brandId],
  )
  await walker.log(event('signup', -2 * 3_600))
  await walker.run(0)
  assert.deepEqual(await walker.path(), ENTERED)
})

test('an event of before the person was known starts nothing, however late it is told', async () => {
  const walker = await walk(OTP)
  await deps.database.query(
    `update journeys set active_since = now() - interval '3 hours' where brand_id = $1`,
    [walker.brand.brandId],
  )
  await walker.log(event('signup', -3_600))
  await walker.run(0)
  assert.deepEqual(await walker.path(), [])
})

test('two triggers in one second from two callers, heard by two workers at once, let a person in once', async () => {
  const walker = await walk(OTP)
  await Promise.all([walker.log(event('signup', 1)), walker.log(event('signup', 1))])
  await Promise.all([walker.run(60_000), walker.run(60_000)])
  assert.deepEqual(await walker.path(), ENTERED)
})
