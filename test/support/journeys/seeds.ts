import assert from 'node:assert/strict'
import { parseDocument } from '../../../src/http/journeys/body.ts'
import { NO_SOURCE } from '../../../src/http/templates/resolve.ts'
import { renderPayload } from '../../../src/providers/payload-bytes.ts'
import { JOURNEY_LIMITS } from '../../../src/rules/journeys.ts'
import type { Database } from '../../../src/store/db.ts'
import { ensureReadersNow } from '../../../src/store/events/readers.ts'
import type { JourneyRef } from '../../../src/store/journeys/enrolments.ts'
import { createJourney, saveJourneyState } from '../../../src/store/journeys/journeys.ts'
import { JOURNEY_READER } from '../../../src/store/journeys/work.ts'
import { type SeedDevice, seedDevices } from '../subscriptions/subscriptions.ts'

/** An active journey, without the endpoint that makes one. */
export async function seedJourney(
  database: Database,
  brandId: number,
  document: object,
): Promise<JourneyRef> {
  const now = Date.now()
  const parsed = parseDocument({ ...document }, { renderPayload, source: NO_SOURCE, now })
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.rejection.faults))
  await ensureReadersNow(database, brandId, [JOURNEY_READER])
  return database.asEngine(async (tx) => {
    const { version } = parsed.value
    const { journeysMax } = JOURNEY_LIMITS
    const stored = await createJourney(tx, { brandId, name: 'seeded', journeysMax, now, ...version })
    assert.ok(stored)
    const { id: journeyId } = stored
    const isScanned = parsed.value.journey.trigger.kind !== 'event'
    await saveJourneyState(tx, { brandId, journeyId }, { state: 'active', isScanned, now })
    return { brandId, journeyId }
  })
}

export type DueEnrolments = JourneyRef & {
  readonly devices: readonly SeedDevice[]
  /** The step at which they stand, and when they fall due. */
  readonly step: string
  readonly wakeAt: number
}

/** A person for each device, all of them inside a journey and due at the same moment. */
export async function seedDueEnrolments(database: Database, due: DueEnrolments): Promise<void> {
  const { brandId, journeyId, devices, step, wakeAt } = due
  const ids = await seedDevices(database, { brandId, platform: 'android', devices })
  await database.query(
    `with person as (
       insert into profiles (brand_id, created_at, updated_at)
       select $1, now(), now() from unnest($2::bigint[]) returning id
     ), owned as (
       update subscriptions as s set profile_id = paired.profile_id
       from (
         select unnest($2::bigint[]) as id, unnest((select array_agg(id order by id) from person)) as profile_id
       ) as paired
       where s.brand_id = $1 and s.id = paired.id
     )
     insert into enrolments (brand_id, journey_id, version, profile_id, state, step, is_waiting, step_at, wake_at,
       visits, entered_at, path)
     select $1, $3, 1, id, 'active', $4, false, $5, $5, 1, $5, '[]' from person`,
    [brandId, ids, journeyId, step, new Date(wakeAt)],
  )
}

/** How many enrolments of a journey are in each state. */
export async function countStates(
  database: Database,
  { brandId, journeyId }: JourneyRef,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.query<{ state: string; count: number }>(
    `select state, count(*)::integer as count from enrolments where brand_id = $1 and journey_id = $2 group by state`,
    [brandId, journeyId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}
