import { attributedBy } from '../../domain/campaigns/figures.ts'
import { fault } from '../../domain/fault.ts'
import { flawOf } from '../../domain/values/text.ts'
import type { JourneyNote } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { loadFigures } from '../../store/campaigns/results.ts'
import type { Db } from '../../store/db.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import { loadJourney } from '../../store/journeys/journeys.ts'
import {
  countInside,
  findProfileId,
  listEnrolments,
  listSteps,
  listVersions,
  loadCounts,
} from '../../store/journeys/reads.ts'
import { renderPlatforms, renderShare } from '../campaigns/results-view.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { instantOf } from '../schema/view.ts'
import { journeyRef, unknownJourney } from './journeys.ts'
import { renderCounts, renderEnrolment, renderVersion } from './view.ts'

/** GET /api/v1/journeys/{journey_id}/versions */
export async function readVersions(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(VERSION_QUERY, request.query), parseVersion)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { after: before, limit, warnings } = parsed.value
  return ofJourney(deps, request, async (tx, ref) => {
    const page = await listVersions(tx, { ...ref, before, limit })
    const next = nextCursor(page, ({ version }) => String(version))
    const fields = { versions: page.rows.map(renderVersion), next_cursor: next }
    return replySuccess(fields, { processed: page.rows.length, warnings })
  })
}

/** GET /api/v1/journeys/{journey_id}/counts */
export async function readCounts(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(COUNTS_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  return ofJourney(deps, request, async (tx, ref) => {
    const wanted = { ...ref, version: value.version ?? null }
    const counted = {
      steps: await listSteps(tx, wanted),
      counts: await loadCounts(tx, wanted),
      inside: await countInside(tx, wanted),
    }
    return replySuccess({ counts: renderCounts(counted) }, { warnings })
  })
}

/** GET /api/v1/journeys/{journey_id}/results: the goal events that count for its messages. */
export async function readJourneyResults(deps: Deps, request: TenantRequest): Promise<Reply> {
  return ofJourney(deps, request, async (tx, ref) => {
    const source = { kind: 'journey', id: ref.journeyId } as const
    const figures = await loadFigures(tx, { brandId: ref.brandId, source })
    const counts = await loadCounts(tx, { ...ref, version: null })
    const timesOf = (wanted: string, note: JourneyNote): number =>
      Number(counts.find(({ step, did }) => step === wanted && did === note)?.count ?? 0)
    const results = {
      as_of: instantOf(deps.clock.now()),
      attributed: renderShare(attributedBy(figures, 'all').get(''), timesOf('', 'entered')),
      steps: [...attributedBy(figures, 'step')].map(([step, found]) => ({
        step,
        ...renderShare(found, timesOf(step, 'sent')),
      })),
      platforms: renderPlatforms(figures),
    }
    return replySuccess({ results })
  })
}

/** GET /api/v1/journeys/{journey_id}/people/{user_id}: one person's path, with reasons. */
export async function readPath(deps: Deps, request: TenantRequest): Promise<Reply> {
  const userId = param(request, 'user_id')
  return ofJourney(deps, request, async (tx, ref) => {
    // An address may hold anything, and the database takes no NUL.
    const person = flawOf(userId) === null ? await findProfileId(tx, { ...ref, userId }) : null
    if (person === null) return refuse({ faults: [fault('profile_not_found', 'user_id')] })
    const limit = JOURNEY_LIMITS.enrolmentsMax
    const enrolments = await listEnrolments(tx, { ...ref, profileId: person.id, limit })
    return replySuccess({ enrolments: enrolments.map(renderEnrolment) }, { processed: enrolments.length })
  })
}

export const VERSION_QUERY = Type.Object(PAGE_FIELDS)
export const COUNTS_QUERY = Type.Object({
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: JOURNEY_LIMITS.versionsMax,
      description: 'Only this version; all versions together if absent.',
    }),
  ),
})

function parseVersion(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Reads something of a journey, if there is one. */
export async function ofJourney(
  { database }: Deps,
  request: TenantRequest,
  read: (tx: Db, ref: JourneyRef) => Promise<Reply>,
): Promise<Reply> {
  const ref = journeyRef(request)
  if (ref === null) return refuse(unknownJourney())
  return database.asBrand(ref.brandId, async (tx) => {
    const journey = await loadJourney(tx, ref)
    return journey === null ? refuse(unknownJourney()) : read(tx, ref)
  })
}
