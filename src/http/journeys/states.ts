import { isDeepStrictEqual } from 'node:util'
import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { JOURNEY_STATES, type JourneyState } from '../../rules/journeys.ts'
import { GOAL_READER } from '../../store/campaigns/goals.ts'
import type { Db } from '../../store/db.ts'
import { ensureReadersNow } from '../../store/events/readers.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import {
  changeJourney,
  loadJourney,
  lockJourney,
  type StoredJourney,
  saveJourneyState,
} from '../../store/journeys/journeys.ts'
import { JOURNEY_READER } from '../../store/journeys/work.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { namesSources } from '../templates/resolve.ts'
import { sendsIn } from './body.ts'
import { journeyRef, readDocument, unknownJourney } from './journeys.ts'
import { renderJourney } from './view.ts'

/** POST /api/v1/journeys/{journey_id}/activate: from now on its trigger lets people in. */
export async function activateJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  // The readers' places must stand before the first event that may count; only the engine may make them.
  await ensureReadersNow(deps.database, request.caller.brandId, [JOURNEY_READER, GOAL_READER])
  return changeState(deps, request, 'active')
}

/** POST /api/v1/journeys/{journey_id}/pause: nobody enters and nobody moves, until it is activated again. */
export async function pauseJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  return changeState(deps, request, 'paused')
}

/** POST /api/v1/journeys/{journey_id}/archive: everyone inside leaves, for good. */
export async function archiveJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  return changeState(deps, request, 'archived')
}

/** Saying it twice changes nothing. */
async function changeState(deps: Deps, request: TenantRequest, wanted: JourneyState): Promise<Reply> {
  const { database, clock } = deps
  const ref = journeyRef(request)
  if (ref === null) return refuse(unknownJourney())
  return database.asCaller(request, async (tx) => {
    const journey = await lockJourney(tx, ref)
    if (journey === null) return refuse(unknownJourney())
    const { state } = journey
    if (state === wanted) return replySuccess({ journey: renderJourney(journey) })
    const allowed: readonly string[] = JOURNEY_STATES[state].next
    if (!allowed.includes(wanted)) {
      const words = { state, wanted, allowed: allowed.length === 0 ? 'nothing else' : allowed.join(' or ') }
      return refuse({ faults: [fault('journey_state', null, words)] })
    }
    if (state === 'draft' && wanted === 'active') {
      const refreshed = await refreshMessages(deps, tx, { ...ref, journey })
      if (!refreshed.ok) return refuse(refreshed.rejection)
    }
    await saveJourneyState(tx, ref, { state: wanted, isScanned: isScanned(journey), now: clock.now() })
    const changed = (await loadJourney(tx, ref)) ?? journey
    return replySuccess({ journey: renderJourney(changed) })
  })
}

type JourneyRefresh = JourneyRef & { readonly journey: StoredJourney }

/**
 * A draft goes live with the templates and snippets of this moment. If they have changed since it was saved, it gets a
 * new version; later changes of theirs leave the journey alone.
 */
async function refreshMessages(
  deps: Deps,
  tx: Db,
  { brandId, journeyId, journey }: JourneyRefresh,
): Promise<Result<null>> {
  const { document, messages } = journey
  if (!namesSources(sendsIn(document))) return accept(null)
  const parsed = await readDocument(deps, { brandId, run: async (work) => work(tx) }, document)
  if (!parsed.ok) return parsed
  const { version } = parsed.value
  if (!isDeepStrictEqual(version.messages, messages)) {
    await changeJourney(
      tx,
      { brandId, journeyId },
      { name: null, version, scan: 'keep', now: deps.clock.now() },
    )
  }
  return accept(null)
}

/** Whether people enter this journey by a segment or a date, for which no event comes and a scan is needed. */
function isScanned({ document }: StoredJourney): boolean {
  const { trigger } = document
  return isJsonObject(trigger) && !('event' in trigger)
}
