import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { hearEvents } from '../../../src/pipeline/journeys/events.ts'
import { scanJourney } from '../../../src/pipeline/journeys/scans.ts'
import { advanceJourney } from '../../../src/pipeline/journeys/steps.ts'
import type { Log } from '../../../src/runtime/log.ts'
import type { Database } from '../../../src/store/db.ts'
import { JourneyPlans } from '../../../src/store/journeys/plans.ts'
import { findScans } from '../../../src/store/journeys/scans.ts'
import { findDueJourneys, JOURNEY_READER } from '../../../src/store/journeys/work.ts'
import type { TestBrand } from '../database/database.ts'
import { memoryLog } from '../memory-log.ts'
import { type Answer, call, keyHeaders } from '../processes/server.ts'

const WAIT_MAX_MS = 8 * 60_000

/** Lets the journeys of a brand do all there is to do at a moment: hear every event, look around, take every step. */
export async function runJourneysAt(
  database: Database,
  brandId: number,
  now: number,
  log: Log = memoryLog(),
): Promise<void> {
  const deps = { database, plans: new JourneyPlans(log) }
  const giveUpAt = performance.now() + WAIT_MAX_MS
  while (performance.now() < giveUpAt) {
    const hasHeard = await hearEvents(deps, brandId, { now })
    const scans = (await findScans(database, { now, limit: 100 })).filter((ref) => ref.brandId === brandId)
    for (const ref of scans) await scanJourney(deps, ref, { now })
    const due = (await findDueJourneys(database, { now, limit: 100 })).filter(
      (ref) => ref.brandId === brandId,
    )
    for (const ref of due) await advanceJourney(deps, ref, { now })
    if (hasHeard || scans.length > 0 || due.length > 0) continue
    if (!(await isBehind(database, brandId))) return
    // Transactions of other tests on the same server hold the horizon back for a moment.
    await wait(5)
  }
  throw new Error('the journeys did not come to rest')
}

async function isBehind(database: Database, brandId: number): Promise<boolean> {
  const { count } = await database.query(
    `select from event_batches as b join event_readers as r using (brand_id)
     where brand_id = $1 and reader = $2 and (b.tx, b.id) > (r.tx, r.batch_id) limit 1`,
    [brandId, JOURNEY_READER],
  )
  return count > 0
}

export type Api = (method: string, path: string, body?: object) => Promise<Answer>

/** Calls of one brand, with its key. */
export function apiOf(port: number, brand: TestBrand): Api {
  return async (method, path, body) =>
    call(port, { method, path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })
}

/** Creates and activates a journey, and gives its id. */
export async function startJourney(api: Api, document: object): Promise<string> {
  const created = await api('POST', '/api/v1/journeys', { name: 'test', ...document })
  assert.equal(created.status, 200, created.text)
  const id = String(field(created.body['journey'], 'journey_id'))
  const activated = await api('POST', `/api/v1/journeys/${id}/activate`)
  assert.equal(activated.status, 200, activated.text)
  return id
}

/** What happened to a person in a journey, as `step:code`, over all the times they were inside; oldest first. */
export async function pathOf(api: Api, journeyId: string, userId: string): Promise<readonly string[]> {
  const { body } = await api('GET', `/api/v1/journeys/${journeyId}/people/${userId}`)
  const enrolments = listIn(body['enrolments']).toReversed()
  return enrolments.flatMap((one) =>
    listIn(field(one, 'path')).map((note) => {
      const parts = [field(note, 'step'), field(note, 'code')]
      return parts.filter((part) => typeof part === 'string').join(':')
    }),
  )
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
