import { fault } from '../../domain/fault.ts'
import type { Enrolment, JourneyEvent } from '../../domain/journeys/journey.ts'
import type { Journey } from '../../domain/journeys/plan.ts'
import {
  type EntryReason,
  type Rehearsal,
  type Rehearsed,
  type RehearsedNote,
  rehearse,
  rehearseEntry,
  rehearseFurther,
} from '../../domain/journeys/rehearsal.ts'
import { readStoredJourney } from '../../domain/journeys/stored-journey.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { timeZoneOf } from '../../domain/values/time-zone.ts'
import { EVENT_ATTRIBUTES } from '../../rules/attributes.ts'
import { JOURNEY_NOTES } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { type JourneyRef, loadEnrolment, loadKnown } from '../../store/journeys/enrolments.ts'
import { loadJourney } from '../../store/journeys/journeys.ts'
import { findInFilter, loadJourneyPeople } from '../../store/journeys/people.ts'
import { JourneyPlans } from '../../store/journeys/plans.ts'
import { findProfileId } from '../../store/journeys/reads.ts'
import { resolveFilter } from '../../store/segments/filters.ts'
import { findEnabled } from '../../store/webhooks/endpoints.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, type Static, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'
import { journeyRef, unknownJourney } from './journeys.ts'

/**
 * POST /api/v1/journeys/{journey_id}/dry_run: the way that a person would take from now on, and why. Nothing is stored
 * or sent. A person who is inside goes on from there; anybody else enters.
 */
export async function dryRunJourney(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(JOURNEY_DRY_RUN_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const ref = journeyRef(request)
  const stored = ref === null ? null : await loadJourney(deps.database, ref)
  if (ref === null || stored === null) return refuse(unknownJourney())
  const newest = readStoredJourney(stored)
  if (!newest.ok) return refuse(newest.rejection)
  const person = await findProfileId(deps.database, { brandId: ref.brandId, userId: value.user_id })
  if (person === null) return refuse({ faults: [fault('profile_not_found', 'user_id')] })

  const who = { ...ref, profileId: person.id }
  const now = deps.clock.now()
  const events = eventsOf(value, now)
  const current = await loadEnrolment(deps.database, who)
  const inside = current === null ? null : await planOf(deps, who, current)
  const entry = await entryOf(deps, who, { journey: newest.value, attributes: value.attributes, now })
  const goesOn = inside !== null && (entry !== 'would_enter' || value.attributes === undefined)
  const journey = goesOn ? inside.journey : newest.value
  const facts = await loadFacts(deps, who, { journey, now })
  const rehearsal = { journey, facts, events, now }
  const fields = {
    user_id: value.user_id,
    version: goesOn ? inside.version : stored.version,
    entry: goesOn ? 'goes_on' : entry,
    ...renderRehearsed(rehearsedOf(rehearsal, { inside: goesOn ? inside.enrolment : null, entry })),
  }
  return replySuccess({ dry_run: fields }, { processed: 0, warnings })
}

type Who = JourneyRef & { readonly profileId: bigint }

async function planOf(
  deps: Deps,
  { brandId, journeyId }: Who,
  { version, enrolment }: { readonly version: number; readonly enrolment: Enrolment },
): Promise<{ readonly journey: Journey; readonly version: number; readonly enrolment: Enrolment } | null> {
  const planned = await new JourneyPlans(deps.log).load(deps.database, brandId, [{ journeyId, version }])
  const journey = planned({ journeyId, version })
  return journey === null ? null : { journey, version, enrolment }
}

type Asked = { readonly journey: Journey; readonly attributes: unknown; readonly now: number }

async function entryOf(deps: Deps, who: Who, { journey, attributes, now }: Asked): Promise<EntryReason> {
  const { brandId, journeyId, profileId } = who
  const known = await loadKnown(deps.database, brandId, { journeyIds: [journeyId], profileIds: [profileId] })
  const name = journey.trigger.kind === 'event' ? journey.trigger.match.event : ''
  const event = eventAt({ name, at: now, attributes })
  return rehearseEntry(journey, { inside: known[0]?.inside ?? 0, isKnown: known.length > 0, event })
}

function eventAt({
  name,
  at,
  attributes,
}: {
  readonly name: string
  readonly at: number
  readonly attributes: unknown
}): JourneyEvent {
  const given: JsonObject = isJsonObject(attributes) ? attributes : {}
  return { kind: 'event', name, at, attributes: given }
}

function eventsOf(
  { events = [] }: Static<typeof JOURNEY_DRY_RUN_BODY>,
  now: number,
): readonly JourneyEvent[] {
  return events
    .map(({ event_name: name, after, attributes }) => eventAt({ name, at: now + after * 1_000, attributes }))
    .toSorted((a, b) => a.at - b.at)
}

/** The facts of the person, for all steps of the journey at once. */
async function loadFacts(
  { database }: Deps,
  { brandId, journeyId, profileId }: Who,
  { journey, now }: { readonly journey: Journey; readonly now: number },
): Promise<Rehearsal['facts']> {
  const people = await loadJourneyPeople(database, brandId, [profileId])
  const person = people.get(profileId)
  const filtered = new Set<string>()
  const endpoints: string[] = []
  for (const step of journey.steps.values()) {
    if (step.kind === 'webhook') endpoints.push(step.endpointId)
    if (step.kind !== 'branch') continue
    const filter = await resolveFilter(database, brandId, step.filter)
    const found = await findInFilter(database, { brandId, filter, profileIds: [profileId], now })
    if (found.has(profileId)) filtered.add(step.id)
  }
  return {
    profileId,
    zone: timeZoneOf(person?.zone ?? '') ?? 'UTC',
    livePlatforms: person?.livePlatforms ?? [],
    filtered,
    callable: await findEnabled(database, brandId, endpoints),
    splitKey: String(journeyId),
  }
}

function rehearsedOf(
  rehearsal: Rehearsal,
  { inside, entry }: { readonly inside: Enrolment | null; readonly entry: EntryReason },
): Rehearsed | null {
  if (inside !== null) return rehearseFurther(rehearsal, inside)
  return entry === 'would_enter' ? rehearse(rehearsal) : null
}

function renderRehearsed(rehearsed: Rehearsed | null): object {
  if (rehearsed === null) return { path: [], ends: null, is_cut: false }
  const { notes, state, isCut } = rehearsed
  return { path: notes.map(renderNote), ends: state === 'active' ? null : state, is_cut: isCut }
}

function renderNote({ at, step, did, isCertain, wishes }: RehearsedNote): object {
  const sends = wishes.flatMap((wish) =>
    wish.kind === 'send'
      ? [
          {
            platform: wish.platform,
            title: wish.step.message.content.title,
            message: wish.step.message.content.body,
          },
        ]
      : [],
  )
  return {
    at: instantOf(at),
    step,
    code: did,
    message: JOURNEY_NOTES[did].sentence,
    is_certain: isCertain,
    ...(sends.length === 0 || did !== 'sent' ? {} : { sends }),
  }
}

/** As many as an event may have. */
const ANY_ATTRIBUTES = { additionalProperties: true, maxProperties: EVENT_ATTRIBUTES.countMax }

export const JOURNEY_DRY_RUN_BODY = Type.Object({
  user_id: Type.String({ minLength: 1, maxLength: 100, description: 'The person.' }),
  attributes: Type.Optional(
    Type.Object(
      {},
      { ...ANY_ATTRIBUTES, description: 'The attributes of the event that starts the journey.' },
    ),
  ),
  events: Type.Optional(
    Type.Array(
      Type.Object({
        event_name: Type.String({ minLength: 1, maxLength: 254 }),
        after: Type.Integer({
          minimum: 0,
          maximum: 31_536_000,
          description: 'How many seconds from now it is taken to happen.',
        }),
        attributes: Type.Optional(Type.Object({}, ANY_ATTRIBUTES)),
      }),
      { maxItems: JOURNEY_LIMITS.dryRunEventsMax, description: 'Events that are taken to happen.' },
    ),
  ),
})

export const JOURNEY_DRY_RUN = Type.Object({
  user_id: Type.String(),
  version: Type.Integer(),
  entry: Type.String({
    enum: ['would_enter', 'goes_on', 'is_inside', 'was_inside', 'no_match'],
    description:
      'would_enter: the trigger lets the person in. goes_on: the person is inside, and this is the further way. is_inside, was_inside: the journey lets nobody in again. no_match: the attributes are not those of the trigger.',
  }),
  path: Type.Array(
    Type.Object({
      at: INSTANT,
      step: TEXT_OR_NULL,
      code: Type.String(),
      message: Type.String({ description: 'Why.' }),
      is_certain: Type.Boolean({
        description:
          'False for a branch that is reached after a wait or a change: it is judged by what is true of the person now.',
      }),
      sends: Type.Optional(
        Type.Array(Type.Object({ platform: Type.String(), title: Type.String(), message: Type.String() })),
      ),
    }),
  ),
  ends: Type.Union([Type.String({ enum: ['completed', 'goal', 'exited'] }), Type.Null()]),
  is_cut: Type.Boolean({
    description: `Whether the way has more than ${JOURNEY_LIMITS.dryRunNotesMax} entries.`,
  }),
})
