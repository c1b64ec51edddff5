import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, pathOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { startServer } from '../support/processes/server.ts'
import { runPushLane, sandboxAccess } from '../support/push/engine.ts'
import { until } from '../support/until.ts'

const { port, deps, brand, close } = await startServer()
const sandbox = await startSandbox()
const stopLane = runPushLane(deps.database, sandboxAccess(sandbox))
after(async () => {
  await stopLane()
  await sandbox.close()
  await close()
})

const MINUTE_MS = 60_000

/** The example of the contract: started by signup, reminds until otp_verified. */
const OTP = {
  trigger: { event: 'signup' },
  goal: { event: 'otp_verified' },
  steps: [
    { id: 'wait', wait: { minutes: 10 } },
    {
      id: 'remind',
      send: {
        to: 'anywhere',
        title: 'Hello {{ user.name }}',
        message: 'Enter the code for {{ event.plan }}.',
      },
    },
    { id: 'pause', wait: { hours: 1 }, next: 'remind' },
  ],
}

async function newcomer(userId: string) {
  const own = await brand()
  const api = apiOf(port, own)
  const created = await api('POST', '/api/v1/user/create', {
    nv: [{ userID: userId, user_attributes: { name: 'Ada' } }],
  })
  assert.equal(created.status, 200, created.text)
  await addDevice(api, userId)
  const journeyId = await startJourney(api, OTP)
  const run = async (afterMs: number) => runJourneysAt(deps.database, own.brandId, Date.now() + afterMs)
  return { own, api, journeyId, run }
}

async function addDevice(api: ReturnType<typeof apiOf>, userId: string): Promise<void> {
  const body = { platform: 'android', token: sandbox.fcm.newToken(), user_id: userId }
  const registered = await api('POST', '/api/v1/subscriptions', body)
  assert.equal(registered.status, 200, registered.text)
}

/** What reached devices of a brand, by title and text. */
async function shown(brandId: number): Promise<readonly { title: string; accepted: number }[]> {
  const { rows } = await deps.database.query<{ title: string; accepted: number }>(
    `select content ->> 'title' as title, accepted from notifications where brand_id = $1 order by id`,
    [brandId],
  )
  return rows
}

test('signup starts the reminders, and otp_verified ends them', async () => {
  const { own, api, journeyId, run } = await newcomer('u1')
  await logEntries(port, own, [entryOf({ event_name: 'signup', attributes: { plan: 'gold' } })])
  await run(0)
  assert.deepEqual(await pathOf(api, journeyId, 'u1'), ['entered', 'wait:waiting'])

  await run(10 * MINUTE_MS + 1_000)
  await run(70 * MINUTE_MS + 5_000)
  await until(async () => (await shown(own.brandId)).filter(({ accepted }) => accepted === 1).length === 2, {
    what: 'two reminders',
  })
  const texts = sandbox.inbox
    .newest(100)
    .map(({ payload }) => JSON.stringify(payload))
    .filter((text) => text.includes('gold'))
  assert.equal(texts.length, 2)
  assert.ok(texts.every((text) => text.includes('Hello Ada') && text.includes('Enter the code for gold.')))

  await logEntries(port, own, [entryOf({ event_name: 'otp_verified', attributes: {} })])
  await run(70 * MINUTE_MS + 6_000)
  await run(300 * MINUTE_MS)
  assert.equal((await shown(own.brandId)).length, 2)
  assert.equal((await pathOf(api, journeyId, 'u1')).at(-1), 'goal')
})

test('signup through user_event/create starts it', async () => {
  const own = await brand()
  const api = apiOf(port, own)
  const journeyId = await startJourney(api, OTP)
  const body = { nv: { userID: 'new', user_params: { name: 'Ada' }, event_name: 'signup', attributes: {} } }
  const logged = await api('POST', '/api/v1/user_event/create', body)
  assert.equal(logged.status, 200, logged.text)
  await runJourneysAt(deps.database, own.brandId, Date.now())
  assert.deepEqual(await pathOf(api, journeyId, 'new'), ['entered', 'wait:waiting'])
})

test('signup of an unknown user is stored before the profile’s creation, and starts nothing', async () => {
  const own = await brand()
  const api = apiOf(port, own)
  const journeyId = await startJourney(api, OTP)
  await logEntries(port, own, [entryOf({ userID: 'stranger', event_name: 'signup', attributes: {} })])
  await runJourneysAt(deps.database, own.brandId, Date.now())
  assert.deepEqual(await pathOf(api, journeyId, 'stranger'), [])

  // Now that they are known, the next one does.
  await logEntries(port, own, [entryOf({ userID: 'stranger', event_name: 'signup', attributes: {} })])
  await runJourneysAt(deps.database, own.brandId, Date.now())
  assert.deepEqual(await pathOf(api, journeyId, 'stranger'), ['entered', 'wait:waiting'])
})
