import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { JourneyPlans, UNREADABLE_EVERY_MS } from '../../src/store/journeys/plans.ts'
import { field, listIn, pathOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { ENTERED, event, OTP, type Walker, walkers } from '../support/journeys/walkers.ts'
import { memoryLog } from '../support/memory-log.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { deps, close } = server
after(close)
const walk = walkers(server)

const HOUR_MS = 3_600_000

/** Makes a stored version say something else. Nobody may change one, so it is written anew. */
async function rewrite({ brand, journeyId }: Walker, document: object): Promise<void> {
  await deps.database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ messages: object; listens: readonly string[] }>(
      'delete from journey_versions where brand_id = $1 and journey_id = $2 returning messages, listens',
      [brand.brandId, journeyId],
    )
    await tx.query(
      `insert into journey_versions (brand_id, journey_id, version, document, messages, listens, created_at)
       values ($1, $2, 1, $3, $4, $5, now())`,
      [
        brand.brandId,
        journeyId,
        JSON.stringify(document),
        JSON.stringify(rows[0]?.messages),
        rows[0]?.listens,
      ],
    )
  })
}

const DAMAGED = { trigger: { event: 'signup' }, steps: [{ id: 'wait', wait: 'a while' }] }

test('a journey that was saved under looser rules goes on', async () => {
  const walker = await walk(OTP)
  await rewrite(walker, { ...OTP, steps: [{ id: 'wait', wait: { days: 1_000 } }] })
  await walker.log(event('signup', null))
  await walker.run(0)
  assert.deepEqual(await walker.path(), ENTERED)
  await walker.run(1_001 * 24 * HOUR_MS)
  assert.deepEqual(await walker.path(), [...ENTERED, 'wait:waited', 'completed'])
})

test('a damaged journey holds up nobody but those in it, and is named', async () => {
  const walker = await walk(OTP)
  const { api, brand, journeyId } = walker
  await walker.log(event('signup', null))
  await walker.run(0)
  await rewrite(walker, DAMAGED)
  const other = await startJourney(api, OTP)
  const log = memoryLog()
  await walker.log(event('signup', null))
  await runJourneysAt(deps.database, brand.brandId, Date.now(), log)
  await runJourneysAt(deps.database, brand.brandId, Date.now() + 2 * HOUR_MS, log)
  assert.deepEqual(await walker.path(), ENTERED)
  assert.deepEqual(await pathOf(api, other, 'u1'), [...ENTERED, 'wait:waited', 'remind:sent', 'completed'])
  const said = log.lines.filter(({ message }) => message.includes('cannot be read'))
  assert.ok(said.length > 0)
  for (const { level, fields } of said) {
    assert.equal(level, 'error')
    assert.deepEqual([fields['brandId'], fields['journeyId']], [brand.brandId, BigInt(journeyId)])
  }
})

test('a damaged journey says so where one looks, and goes on when it can be read again', async () => {
  const walker = await walk(OTP)
  const { api, journeyId } = walker
  const isReadable = async () =>
    field((await api('GET', `/api/v1/journeys/${journeyId}`)).body['journey'], 'is_readable')
  assert.equal(await isReadable(), true)
  await walker.log(event('signup', null))
  await walker.run(0)
  await rewrite(walker, DAMAGED)
  await walker.run(2 * HOUR_MS)
  assert.equal(await isReadable(), false)
  const { body } = await api('GET', `/api/v1/journeys/${journeyId}/versions`)
  assert.deepEqual(
    listIn(body['versions']).map((one) => field(one, 'is_readable')),
    [false],
  )
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'u2' }] })
  const why = await api('GET', `/api/v1/explain?user_id=u2&journey=${journeyId}`)
  const reasons = listIn(field(why.body['explanation'], 'reasons'))
  assert.deepEqual(
    reasons.map((one) => field(one, 'code')),
    ['journey_unreadable'],
  )
  await rewrite(walker, OTP)
  await walker.run(4 * HOUR_MS)
  assert.deepEqual(await walker.path(), [...ENTERED, 'wait:waited', 'remind:sent', 'completed'])
})

test('a damaged journey makes nobody wait less than they were told to', async () => {
  const walker = await walk({ ...OTP, reentry: 'always' })
  await walker.log(event('signup', null))
  await walker.run(0)
  await walker.log(event('signup', null))
  await walker.run(HOUR_MS / 2)
  await rewrite(walker, DAMAGED)
  const wakes = async () => {
    const { rows } = await deps.database.query<{ at: number }>(
      'select wake_at as at from enrolments where brand_id = $1 order by id',
      [walker.brand.brandId],
    )
    return rows.map(({ at }) => at)
  }
  const before = await wakes()
  await walker.run(HOUR_MS * 1.25)
  const later = await wakes()
  assert.ok((before[0] ?? 0) < (later[0] ?? 0))
  assert.equal(before[1], later[1])
})

test('a damaged journey that is started by a date is left alone for an hour', async () => {
  const trigger = { date: 'birth_date', at: '09:00' }
  const walker = await walk({ ...OTP, trigger })
  await rewrite(walker, { ...DAMAGED, trigger })
  await walker.run(0)
  assert.deepEqual(await walker.path(), [])
})

test('a damaged journey that was mended goes on within the hour, without a restart', async () => {
  const walker = await walk(OTP)
  await rewrite(walker, DAMAGED)
  let elapsed = 0
  const log = memoryLog()
  const plans = new JourneyPlans(log, () => elapsed)
  const ref = { journeyId: BigInt(walker.journeyId), version: 1 }
  const isReadable = async () => (await plans.load(deps.database, walker.brand.brandId, [ref]))(ref) !== null
  assert.equal(await isReadable(), false)
  await rewrite(walker, OTP)
  elapsed = UNREADABLE_EVERY_MS - 1
  assert.equal(await isReadable(), false)
  assert.equal(log.lines.length, 1, 'it is told once, not each time')
  elapsed = UNREADABLE_EVERY_MS
  assert.equal(await isReadable(), true)
})
