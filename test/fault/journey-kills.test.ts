import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { countStates, seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { startKillable } from '../support/processes/killable-worker.ts'
import { newDevices } from '../support/push/engine.ts'
import { until } from '../support/until.ts'

const { engine, workers, close } = await startKillable()
after(close)

async function startWorker() {
  return workers.start(0, ['--journeys'])
}

const KILLS = 3
const PEOPLE = 1_000

test('workers killed in the middle leave nobody stuck, and nobody sees a notification twice', async () => {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const send = { to: 'anywhere', title: 'Hello', message: 'World' }
  const steps = [
    { id: 'first', send },
    { id: 'wait', wait: { seconds: 1 } },
    { id: 'second', send },
  ]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = newDevices(engine, { platform: 'android', count: PEOPLE })
  await seedDueEnrolments(database, { ...ref, devices, step: 'first', wakeAt: Date.now() })

  let victim = await startWorker()
  for (let kills = 0; kills < KILLS; kills += 1) {
    const arrived = sandbox.inbox.total
    await until(() => sandbox.inbox.total > arrived + 50 || sandbox.inbox.total >= 2 * PEOPLE, {
      what: 'arrivals',
    })
    await workers.kill(victim)
    victim = await startWorker()
  }
  await until(async () => (await countStates(database, ref))['completed'] === PEOPLE, { what: 'the end' })
  const isSent = async () =>
    (
      await database.query(
        `select from notifications where brand_id = $1 and state = 'sent' and accepted = 1`,
        [brandId],
      )
    ).count ===
    2 * PEOPLE
  await until(isSent, { what: 'every notification' })

  const { count } = await database.query('select from notifications where brand_id = $1', [brandId])
  assert.equal(count, 2 * PEOPLE, 'each step asked once for each person')
  const seen = new Set(sandbox.inbox.newest().map(({ address, collapseId }) => `${address} ${collapseId}`))
  assert.equal(seen.size, 2 * PEOPLE, 'what arrived twice replaced itself on the device')
})
