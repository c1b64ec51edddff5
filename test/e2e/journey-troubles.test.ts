import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runJourneys } from '../../src/pipeline/journeys/journeys.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { FakeTime } from '../support/fake-time.ts'
import { apiOf, field, startJourney } from '../support/journeys/runs.ts'
import { seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'
import { startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const { port, deps, brand, close } = await startServer()
const { database } = deps
const stop = new AbortController()
const log = memoryLog()
after(async () => {
  stop.abort()
  await running
  await close()
})

const STEPS = [{ id: 'mark', set: { add_tag: 'seen' } }]

/** A journey of a brand of its own that is started by a segment. */
async function watchingJourney() {
  const { brandId, ...rest } = await brand()
  const api = apiOf(port, { brandId, ...rest })
  const made = await api('POST', '/api/v1/segments', { name: 'vip', filter: { tag: 'vip' } })
  const segmentId = field(made.body['segment'], 'segment_id')
  const journeyId = await startJourney(api, { trigger: { segment_entered: segmentId }, steps: STEPS })
  return { brandId, journeyId }
}

async function isScanned({ brandId }: { readonly brandId: number }): Promise<boolean> {
  const { count } = await database.query(
    'select from journeys where brand_id = $1 and scanned_until is not null',
    [brandId],
  )
  return count > 0
}

function failures() {
  return log.lines.filter(({ message }) => message === 'work failed')
}

const broken = await watchingJourney()
const sound = await watchingJourney()
await database.query(`update segments set filter = '{"mood": 1}' where brand_id = $1`, [broken.brandId])
const running = runJourneys(
  { database },
  { signal: stop.signal, log, meters: loopMeters(new Metrics('test')) },
)

test('a journey whose segment cannot be looked at holds up no other brand, and is named', async () => {
  await until(async () => isScanned(sound), { what: 'the look at the sound segment' })
  await until(() => failures().length > 0, { what: 'the failure at the broken segment' })
  assert.equal(await isScanned(broken), false)
  assert.deepEqual(
    new Set(failures().map(({ fields }) => fields['item'])),
    new Set([`journey ${broken.journeyId} of brand ${broken.brandId}`]),
  )
})

test('who is due and held by somebody else is not asked for without end', async () => {
  const { brandId } = await brand()
  const steps = [{ id: 'wait', wait: { days: 1 } }]
  const { journeyId } = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  await database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at) values ($1, now(), now()) returning id
     )
     insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at,
       visits, entered_at, path)
     select $1, $2, 1, id, 'active', 'wait', false, now(), now(), 1, now(), '[]' from person`,
    [brandId, journeyId],
  )
  let claimed = 0
  const meters = {
    items: ({ loop }: { readonly loop: string }) => void (claimed += loop === 'journey-steps' ? 1 : 0),
    seconds: () => undefined,
    claimSeconds: () => undefined,
    waitSeconds: () => undefined,
  }
  const end = new AbortController()
  await database.asEngine(async (tx) => {
    await tx.query('select from enrolments where brand_id = $1 for update', [brandId])
    // Time stands still here, so whoever waits before asking again waits for ever.
    const host = { signal: end.signal, log, meters, time: new FakeTime() }
    const others = runJourneys({ database }, host)
    await until(() => claimed > 0, { what: 'a first try' })
    for (let asked = 0; asked < 100; asked += 1) await database.query('select 1')
    end.abort()
    await others
  })
  assert.ok(claimed <= 4, String(claimed))
})
