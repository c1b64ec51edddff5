import { ENTRY_BODY_BOUNDS } from '../../domain/values/json-bytes.ts'
import { DEMO_USER } from '../../rules/brand.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { JOURNEY_RESULTS } from '../campaigns/results-view.ts'
import type { Route, TenantRoute } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, NEXT_CURSOR } from '../schema/view.ts'
import { readStepDays, STEP_DAYS_QUERY, STEP_DAYS_VIEW } from './days.ts'
import { dryRunJourney, JOURNEY_DRY_RUN, JOURNEY_DRY_RUN_BODY } from './dry-run.ts'
import { EXPLAIN_QUERY, explain } from './explain.ts'
import {
  changeOneJourney,
  createOneJourney,
  JOURNEY_QUERY,
  listAllJourneys,
  readJourney,
  validateJourney,
} from './journeys.ts'
import { INSIDER_QUERY, INSIDER_VIEW, readInsiders } from './people.ts'
import {
  COUNTS_QUERY,
  readCounts,
  readJourneyResults,
  readPath,
  readVersions,
  VERSION_QUERY,
} from './reads.ts'
import { DOCUMENT_FIELDS, JOURNEY_SCHEMAS } from './schema.ts'
import { activateJourney, archiveJourney, pauseJourney } from './states.ts'
import { JOURNEY_LINE } from './totals-view.ts'
import { COUNTS_VIEW, ENROLMENT_VIEW, EXPLANATION_REPLY, IS_READABLE, JOURNEY_VIEW } from './view.ts'

const FACTS = { group: 'Journeys', scopes: ['journeys'] } as const
const PATH = '/api/v1/journeys'
const ONE = Type.Object({ journey: JOURNEY_VIEW })

const STEPS = [
  { id: 'wait', wait: { minutes: 30 } },
  { id: 'remind', send: { to: 'anywhere', title: 'Almost there', message: 'Enter the code we sent you.' } },
]
const EXAMPLE = {
  name: 'OTP reminder',
  trigger: { event: 'signup' },
  steps: STEPS,
  goal: { event: 'otp_verified' },
}

export const JOURNEY_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    scopes: ['journeys', 'draft'],
    method: 'POST',
    path: PATH,
    summary: 'Create a journey',
    description: 'The new journey is a draft until you activate it. docs/journeys.md describes the document.',
    body: 'json',
    bodySchema: JOURNEY_SCHEMAS.create,
    reply: ONE,
    example: EXAMPLE,
    refusals: [
      'journey_invalid',
      'filter_invalid',
      'template_invalid',
      'payload_too_large',
      'too_many_journeys',
    ],
    isIdempotent: true,
    handler: createOneJourney,
  },
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'List journeys',
    description:
      'Oldest first, with the numbers of each. A state and a part of the name narrow the list; archived journeys are listed apart.',
    body: 'none',
    querySchema: JOURNEY_QUERY,
    reply: Type.Object({ journeys: Type.Array(JOURNEY_LINE), ...NEXT_CURSOR }),
    lane: 'reads',
    handler: listAllJourneys,
  },
  {
    ...FACTS,
    scopes: ['journeys', 'draft'],
    method: 'POST',
    path: `${PATH}/validate`,
    isRead: true,
    summary: 'Validate a journey',
    body: 'json',
    bodySchema: JOURNEY_SCHEMAS.check,
    reply: Type.Object({
      is_valid: Type.Boolean(),
      steps: Type.Integer(),
      listens_to: Type.Array(Type.String(), {
        description: 'The names of the events that the journey listens to.',
      }),
    }),
    example: EXAMPLE,
    refusals: ['journey_invalid', 'filter_invalid', 'template_invalid', 'payload_too_large'],
    handler: validateJourney,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}`,
    summary: 'Read a journey',
    body: 'none',
    reply: ONE,
    refusals: ['journey_not_found'],
    handler: readJourney,
  },
  {
    ...FACTS,
    scopes: ['journeys', 'draft'],
    method: 'PATCH',
    path: `${PATH}/{journey_id}`,
    summary: 'Change a journey',
    description:
      'A given field replaces the stored one. A change of the document makes a new version; people who are inside finish on the version they entered with.',
    body: 'json',
    bodySchema: JOURNEY_SCHEMAS.change,
    reply: ONE,
    example: { name: 'OTP reminder, kinder' },
    refusals: ['journey_not_found', 'journey_invalid', 'filter_invalid', 'template_invalid', 'journey_state'],
    handler: changeOneJourney,
  },
  actionRoute(
    'activate',
    'Activate a journey',
    'People can enter from now on. Earlier events do not count.',
    activateJourney,
  ),
  actionRoute(
    'pause',
    'Pause a journey',
    'Nobody enters and nobody takes a step until the journey is activated again. Goals and exits still count.',
    pauseJourney,
  ),
  actionRoute(
    'archive',
    'Archive a journey',
    'Everybody inside leaves, and the journey cannot be activated again.',
    archiveJourney,
  ),
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/versions`,
    summary: 'List the versions of a journey',
    body: 'none',
    querySchema: VERSION_QUERY,
    reply: Type.Object({
      versions: Type.Array(
        Type.Object({
          version: Type.Integer(),
          inside: Type.Integer(),
          is_readable: IS_READABLE,
          created_at: INSTANT,
          ...DOCUMENT_FIELDS,
        }),
      ),
      ...NEXT_CURSOR,
    }),
    refusals: ['journey_not_found'],
    handler: readVersions,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/counts`,
    summary: 'Count what happened at each step',
    body: 'none',
    querySchema: COUNTS_QUERY,
    reply: Type.Object({ counts: COUNTS_VIEW }),
    refusals: ['journey_not_found'],
    handler: readCounts,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/days`,
    summary: 'Count what happened at each step on each day',
    description: `All versions together, with the messages of each step and their receipts, by the day on which they happened; ${JOURNEY_LIMITS.stepDaysMax} days at most.`,
    body: 'none',
    querySchema: STEP_DAYS_QUERY,
    reply: Type.Object({ days: STEP_DAYS_VIEW }),
    refusals: ['journey_not_found'],
    lane: 'reads',
    handler: readStepDays,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/results`,
    summary: 'Read the results of a journey',
    description:
      'The goal events that count for the last message of the journey before them, by step and by platform.',
    body: 'none',
    reply: Type.Object({ results: JOURNEY_RESULTS }),
    refusals: ['journey_not_found'],
    lane: 'reads',
    handler: readJourneyResults,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/people`,
    summary: 'List the people in a journey',
    description:
      'Those who entered last come first. A step, a state and the beginning of an identifier narrow the list.',
    body: 'none',
    querySchema: INSIDER_QUERY,
    reply: Type.Object({ people: Type.Array(INSIDER_VIEW), ...NEXT_CURSOR }),
    refusals: ['journey_not_found'],
    lane: 'reads',
    handler: readInsiders,
  },
  {
    ...FACTS,
    scopes: ['journeys', 'draft'],
    method: 'POST',
    path: `${PATH}/{journey_id}/dry_run`,
    isRead: true,
    summary: 'Try a journey out with a person',
    description:
      'What would happen to a person from now on, when, and why; by the rules of the engine itself. Nothing is stored or sent. Opt-outs, the frequency cap and the quiet hours of the brand decide when a message is sent, and are not asked here.',
    body: 'json',
    bodyBounds: ENTRY_BODY_BOUNDS,
    bodySchema: JOURNEY_DRY_RUN_BODY,
    reply: Type.Object({ dry_run: JOURNEY_DRY_RUN }),
    example: { user_id: DEMO_USER, events: [{ event_name: 'otp_verified', after: 600 }] },
    refusals: ['journey_not_found', 'profile_not_found', 'journey_invalid'],
    lane: 'reads',
    handler: dryRunJourney,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{journey_id}/people/{user_id}`,
    summary: 'Read a person’s path through a journey',
    body: 'none',
    reply: Type.Object({ enrolments: Type.Array(ENROLMENT_VIEW) }),
    refusals: ['journey_not_found', 'profile_not_found'],
    handler: readPath,
  },
  {
    method: 'GET',
    path: '/api/v1/explain',
    group: 'Journeys',
    summary: 'Explain why a person did or did not get it',
    scopes: ['push', 'journeys'],
    body: 'none',
    querySchema: EXPLAIN_QUERY,
    reply: EXPLANATION_REPLY,
    refusals: [
      'profile_not_found',
      'notification_not_found',
      'campaign_not_found',
      'journey_not_found',
      'field_conflict',
    ],
    handler: explain,
  },
]

function actionRoute(
  action: string,
  summary: string,
  description: string,
  handler: TenantRoute['handler'],
): TenantRoute {
  return {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{journey_id}/${action}`,
    summary,
    description,
    body: 'none',
    reply: ONE,
    refusals: ['journey_not_found', 'journey_state'],
    handler,
  }
}
