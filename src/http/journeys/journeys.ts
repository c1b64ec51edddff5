import { isDeepStrictEqual } from 'node:util'
import { fault } from '../../domain/fault.ts'
import { accept, type Rejection, type Result } from '../../domain/result.ts'
import { namesOf } from '../../domain/values/checked.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import { checkJourneyReferences } from '../../intake/journeys/references.ts'
import { JOURNEY_LIMITS, JOURNEY_STATES } from '../../rules/journeys.ts'
import type { Db } from '../../store/db.ts'
import type { JourneyRef } from '../../store/journeys/enrolments.ts'
import {
  changeJourney,
  createJourney,
  type JourneyEdit,
  listJourneys,
  loadJourney,
  lockJourney,
  type StoredJourney,
} from '../../store/journeys/journeys.ts'
import { loadJourneyTotals } from '../../store/journeys/totals.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { ARCHIVED_FIELD, nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { type Caller, param, type TenantRequest } from '../request.ts'
import { parseBody, parseQuery, Type } from '../schema/schema.ts'
import { loadContentSource, type RunInBrand } from '../templates/resolve.ts'
import {
  documentIn,
  JOURNEY_BODY,
  JOURNEY_CHANGES,
  JOURNEY_CHECK,
  type ParsedJourney,
  parseDocument,
  sendsIn,
} from './body.ts'
import { renderTotals } from './totals-view.ts'
import { renderJourney } from './view.ts'

/** POST /api/v1/journeys: a draft, until it is activated. */
export async function createOneJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(JOURNEY_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const now = deps.clock.now()
  const { brandId } = request.caller
  const document = await readDocument(deps, inBrand(deps, brandId), documentIn(value))
  if (!document.ok) return refuse(document.rejection)

  const { journey, version } = document.value
  return replyOnce(deps, request, async (tx) => {
    const checked = await checkJourneyReferences(tx, brandId, journey)
    if (!checked.ok) return refuse(checked.rejection)
    const { journeysMax } = JOURNEY_LIMITS
    const stored = await createJourney(tx, { brandId, name: value.name, journeysMax, now, ...version })
    if (stored === null) return refuse({ faults: [fault('too_many_journeys', null, { max: journeysMax })] })
    return replySuccess({ journey: renderJourney(stored) }, { warnings })
  })
}

/** POST /api/v1/journeys/validate: whether a document is good, and nothing else. */
export async function validateJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(JOURNEY_CHECK, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { brandId } = request.caller
  const document = await readDocument(deps, inBrand(deps, brandId), documentIn(value))
  if (!document.ok) return refuse(document.rejection)
  const { journey, version } = document.value
  const checked = await deps.database.asBrand(brandId, async (tx) =>
    checkJourneyReferences(tx, brandId, journey),
  )
  if (!checked.ok) return refuse(checked.rejection)
  return replySuccess(
    { is_valid: true, steps: journey.steps.size, listens_to: version.listens },
    { warnings },
  )
}

/** GET /api/v1/journeys */
export async function listAllJourneys(deps: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(JOURNEY_QUERY, query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value

  const { brandId } = caller
  const { state = null, text = null, archived: isArchived = state === 'archived' } = value
  const [page, totals] = await deps.database.asBrand(brandId, async (tx) => {
    const found = await listJourneys(tx, { brandId, after, limit, isArchived, state, text })
    const ids = found.rows.map(({ id }) => id)
    return [found, await loadJourneyTotals(tx, { brandId, ids, now: deps.clock.now() })] as const
  })
  const journeys = page.rows.map((journey) => ({
    ...renderJourney(journey),
    ...renderTotals(totals.get(journey.id)),
  }))
  const fields = { journeys, next_cursor: nextCursor(page, ({ id }) => String(id)) }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/journeys/{journey_id} */
export async function readJourney({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = journeyRef(request)
  if (ref === null) return refuse(unknownJourney())
  const journey = await database.asBrand(ref.brandId, async (tx) => loadJourney(tx, ref))
  return journey === null ? refuse(unknownJourney()) : replySuccess({ journey: renderJourney(journey) })
}

/** PATCH /api/v1/journeys/{journey_id}: a change of the trigger or the steps makes a new version. */
export async function changeOneJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(JOURNEY_CHANGES, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const ref = journeyRef(request)
  if (ref === null) return refuse(unknownJourney())
  const now = deps.clock.now()
  const changes = documentIn(value)

  return deps.database.asCaller(request, async (tx) => {
    const current = await lockJourney(tx, ref)
    if (current === null) return refuse(unknownJourney())
    const refusal = changeRefusal(current) ?? draftRefusal(current, request.caller)
    if (refusal !== null) return refuse(refusal)
    const parts = await planChange(deps, tx, { ...ref, document: current.document, changes })
    if (!parts.ok) return refuse(parts.rejection)
    const version = parts.value?.version ?? null
    const edit = { name: value.name ?? null, version, scan: scanOf(current, parts.value), now }
    const changed = await changeJourney(tx, ref, edit)
    return replySuccess({ journey: renderJourney(changed) }, { warnings })
  })
}

/** The document with the content of the templates and snippets that its sends name at this moment. */
export async function readDocument(
  { renderPayload, clock }: Pick<Deps, 'renderPayload' | 'clock'>,
  { brandId, run }: { readonly brandId: number; readonly run: RunInBrand },
  document: JsonObject,
): Promise<Result<ParsedJourney>> {
  const source = await loadContentSource(run, brandId, sendsIn(document))
  return parseDocument(document, { renderPayload, source, now: clock.now() })
}

function inBrand({ database }: Deps, brandId: number) {
  return { brandId, run: async (work: Parameters<RunInBrand>[0]) => database.asBrand(brandId, work) }
}

type DocumentChange = JourneyRef & {
  readonly document: JsonObject
  readonly changes: JsonObject
}

/** The journey after a change, if it may be saved; null when the document stays the same. */
async function planChange(
  deps: Deps,
  tx: Db,
  { brandId, document, changes }: DocumentChange,
): Promise<Result<ParsedJourney | null>> {
  if (Object.keys(changes).length === 0) return accept(null)
  const parsed = await readDocument(
    deps,
    { brandId, run: async (work) => work(tx) },
    { ...document, ...changes },
  )
  if (!parsed.ok) return parsed
  const checked = await checkJourneyReferences(tx, brandId, parsed.value.journey)
  return checked.ok ? parsed : checked
}

/** The scan for people to let in goes on after a change, as long as the trigger stays the same. */
function scanOf(current: StoredJourney, changed: ParsedJourney | null): JourneyEdit['scan'] {
  const isSame = isDeepStrictEqual(changed?.version.document['trigger'], current.document['trigger'])
  if (changed === null || isSame) return 'keep'
  return SCANS[changed.journey.trigger.kind]
}

const SCANS = { event: 'none', segment: 'watch', date: 'from_now' } as const

function changeRefusal({
  state,
  version,
}: {
  readonly state: string
  readonly version: number
}): Rejection | null {
  if (state === 'archived') {
    return { faults: [fault('journey_state', null, { state, wanted: 'changed', allowed: 'nothing else' })] }
  }
  if (version < JOURNEY_LIMITS.versionsMax) return null
  const detail = `a journey may have at most ${JOURNEY_LIMITS.versionsMax} versions; make a new one`
  return { faults: [fault('journey_invalid', 'version', { detail })] }
}

/** A caller that may only draft changes nothing that runs or ran. */
function draftRefusal({ state }: StoredJourney, { scopes }: Caller): Rejection | null {
  if (state === 'draft' || scopes.includes('journeys')) return null
  return { faults: [fault('scope_missing', null, { scope: 'journeys' })] }
}

export const JOURNEY_QUERY = Type.Object({
  ...PAGE_FIELDS,
  ...ARCHIVED_FIELD,
  state: Type.Optional(Type.Enum([...namesOf(JOURNEY_STATES)])),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: JOURNEY_LIMITS.nameCharsMax,
      description: 'A part of the name, in any case.',
    }),
  ),
})

export function journeyRef(request: TenantRequest): JourneyRef | null {
  const journeyId = parseInt64(param(request, 'journey_id'))
  return journeyId === null ? null : { brandId: request.caller.brandId, journeyId }
}

export function unknownJourney(): Rejection {
  return { faults: [fault('journey_not_found', 'journey_id')] }
}
