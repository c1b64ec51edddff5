import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { advanceJourney } from '../../src/pipeline/journeys/steps.ts'
import { JourneyPlans } from '../../src/store/journeys/plans.ts'
import { freshDatabase } from '../support/database/database.ts'
import { seedJourney } from '../support/journeys/seeds.ts'
import { memoryLog } from '../support/memory-log.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

/** Two people who are due to be given a tag. */
async function twoDue() {
  const { brandId } = await brand()
  const steps = [{ id: 'mark', set: { add_tag: 'seen' } }]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const { rows } = await database.query<{ id: bigint }>(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at)
       select $1, now(), now() from generate_series(1, 2) returning id
     )
     insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at,
       visits, entered_at, path)
     select $1, $2, 1, id, 'active', 'mark', false, now(), now(), 1, now(), '[]' from person
     returning profile_id as id`,
    [brandId, ref.journeyId],
  )
  const [first, second] = rows.map(({ id }) => id)
  assert.ok(first !== undefined && second !== undefined)
  return { ref, first, second }
}

async function tagged(brandId: number): Promise<readonly bigint[]> {
  const { rows } = await database.query<{ id: bigint }>(
    `select id from profiles where brand_id = $1 and tags = '{seen}' order by id`,
    [brandId],
  )
  return rows.map(({ id }) => id)
}

test('a person whom a call is changing is changed a moment later, and nobody else waits for it', async () => {
  const { ref, first, second } = await twoDue()
  const deps = { database, plans: new JourneyPlans(memoryLog()) }
  const now = Date.now() + 1_000
  await database.asEngine(async (tx) => {
    // As a merge holds it, which may be waiting for the enrolment that the step holds.
    await tx.query('select from profiles where brand_id = $1 and id = $2 for update', [ref.brandId, first])
    assert.equal(await advanceJourney(deps, ref, { now }), 2)
    assert.deepEqual(await tagged(ref.brandId), [second])
    assert.equal(await advanceJourney(deps, ref, { now }), 0, 'it is not asked for without end')
  })
  assert.equal(await advanceJourney(deps, ref, { now: now + 1_000 }), 1)
  assert.deepEqual(await tagged(ref.brandId), [first, second])
  const { rows } = await database.query(
    `select state, path -> 0 ->> 'did' as did from enrolments where brand_id = $1`,
    [ref.brandId],
  )
  assert.deepEqual(
    rows,
    Array.from({ length: 2 }, () => ({ state: 'completed', did: 'set' })),
  )
})
