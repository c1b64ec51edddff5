import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runJourneys } from '../../src/pipeline/journeys/journeys.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, pathOf, startJourney } from '../support/journeys/runs.ts'
import { memoryLog } from '../support/memory-log.ts'
import { startServer } from '../support/processes/server.ts'
import { runPushLane, sandboxAccess } from '../support/push/engine.ts'
import { until } from '../support/until.ts'

const { port, deps, brand, close } = await startServer()
const sandbox = await startSandbox()
const stopLane = runPushLane(deps.database, sandboxAccess(sandbox))
const stop = new AbortController()
const log = memoryLog()
const running = runJourneys(
  { database: deps.database },
  { signal: stop.signal, log, meters: loopMeters(new Metrics('test')) },
)
after(async () => {
  stop.abort()
  await running
  await stopLane()
  await sandbox.close()
  await close()
})

test('from an event to a shown notification by the loops of a worker alone, and no further than the goal', async () => {
  const own = await brand()
  const api = apiOf(port, own)
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u1' }] })
  await api('POST', '/api/v1/subscriptions', {
    platform: 'ios',
    token: sandbox.apns.newToken(),
    user_id: 'u1',
  })
  const steps = [
    { id: 'wait', wait: { seconds: 1 } },
    {
      id: 'remind',
      send: { to: 'anywhere', title: 'Hello', message: 'About your {{ event.plan }} plan' },
      next: 'pause',
    },
    { id: 'pause', wait: { hours: 1 }, next: 'remind' },
  ]
  const journeyId = await startJourney(api, {
    trigger: { event: 'signup' },
    goal: { event: 'otp_verified' },
    steps,
  })
  await logEntries(port, own, [entryOf({ event_name: 'signup', attributes: { plan: 'gold' } })])
  await until(() => sandbox.inbox.total === 1, { what: 'the reminder' })
  assert.match(JSON.stringify(sandbox.inbox.newest()), /About your gold plan/)

  await logEntries(port, own, [entryOf({ event_name: 'otp_verified' })])
  await until(async () => (await pathOf(api, journeyId, 'u1')).at(-1) === 'goal', { what: 'the goal' })
  assert.deepEqual(await pathOf(api, journeyId, 'u1'), [
    'entered',
    'wait:waiting',
    'wait:waited',
    'remind:sent',
    'pause:waiting',
    'goal',
  ])
})
