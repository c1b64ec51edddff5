import type { JsonObject } from '../../src/domain/values/json.ts'
import { DEMO_USER } from '../../src/rules/brand.ts'
import { EVENT_READ_LIMITS } from '../../src/rules/events.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { PASSWORD } from '../../test/support/team/members.ts'

/** Words that stand in a recipe for an id or a key of the place, which is another one in each run. */
export const STANDS_FOR = {
  visitorToken: 'the token that POST /api/v1/visitors gave',
  segmentId: 'the id of a segment',
  notificationId: 'the id of a notification',
  campaignId: 'the id of a campaign',
  journeyId: 'the id of a journey',
  firstDay: 'the day on which people came first',
  firstWeek: 'the first day of that week',
  androidKey: 'a private key of a service account',
  iosKey: 'a private key of APNs',
} as const

export const ADMINISTRATOR = 'ada@example.com'

/**
 * Small requests that are accepted, for routes whose example names a row that the place does not have. Without one, a
 * search mutates refused requests only, and never meets the work that comes after the checks.
 */
export function legalOf(route: string): readonly JsonObject[] {
  return LEGAL[route] ?? []
}

const PERSON = { userID: DEMO_USER } as const
const TO_SEGMENT = { segment_id: STANDS_FOR.segmentId, title: 'For you', message: 'Thank you.' } as const
const LONG_AGO = '2025-01-01'
const PAGE = { limit: LIMITS.pageSizeMax } as const
const STEPS = Array.from({ length: EVENT_READ_LIMITS.funnelStepsMax }, () => 'read')
const FUNNEL = { steps: STEPS, within: EVENT_READ_LIMITS.funnelWithinSecondsMax, from: LONG_AGO } as const

const LEGAL: Readonly<Record<string, readonly JsonObject[]>> = {
  'POST /api/v1/android/broadcast/segment': [TO_SEGMENT],
  'POST /api/v1/ios/broadcast/segment': [TO_SEGMENT],
  'POST /api/v1/web/broadcast/segment': [TO_SEGMENT],
  'GET /api/v1/series': [
    { metric: 'events', group: 'name', by: 'day', from: LONG_AGO },
    { metric: 'sends,accepted,clicked,failed', by: 'hour', time_zone: 'Asia/Kathmandu' },
  ],
  'GET /api/v1/events/paths': [
    { event_name: 'read', depth: 10, within: 31_536_000, top: 50, from: LONG_AGO },
  ],
  'GET /api/v1/user/userdata': [PERSON],
  'GET /api/v1/user/preferences': [PERSON],
  'GET /api/v1/explain': [
    { user_id: DEMO_USER, journey: STANDS_FOR.journeyId },
    { user_id: DEMO_USER, notification: STANDS_FOR.notificationId },
    { user_id: DEMO_USER, campaign: STANDS_FOR.campaignId },
  ],
  'POST /api/v1/campaigns/explain': [
    {
      user_id: DEMO_USER,
      platforms: ['android', 'ios'],
      audience: { filter: { all: [{ event: 'read' }, { not: { users: ['u-1'] } }] } },
      content: { title: 'For you', message: 'Thank you.' },
    },
  ],
  'GET /api/v1/campaigns/{campaign_id}/audience': [
    { ...PAGE, per: 'person' },
    { ...PAGE, left_out: 'opted_out' },
    { ...PAGE, left_out: 'over_cap' },
  ],
  'GET /api/v1/campaigns/{campaign_id}/deliveries': [
    { ...PAGE, per: 'person' },
    { ...PAGE, receipt: 'received', from: `${LONG_AGO}T00:00:00Z` },
    { ...PAGE, reason: 'nobody has it' },
  ],
  'POST /api/v1/events/funnel/people': [
    { ...FUNNEL, step: STEPS.length, did: 'reached' },
    { ...FUNNEL, step: STEPS.length, did: 'stopped' },
    { ...FUNNEL, step: STEPS.length, did: 'stopped', exclude: STEPS },
  ],
  'GET /api/v1/events/retention/people': [
    { ...PAGE, cohort: STANDS_FOR.firstDay, from: LONG_AGO, period: 8, periods: 31 },
    { ...PAGE, cohort: STANDS_FOR.firstDay, from: LONG_AGO },
    { ...PAGE, cohort: STANDS_FOR.firstWeek, from: LONG_AGO, unit: 'week', period: 1 },
  ],
  'POST /api/v1/campaigns/{campaign_id}/explain': [{ user_id: DEMO_USER }],
  'POST /api/v1/templates/preview': [
    {
      content: {
        title: 'Hello {{ user.k1 | upcase }}',
        message: 'The teas {{ user.k2 }} are here.',
        languages: { de: { message: 'Die Tees {{ user.k2 }} sind da.' } },
      },
      user_id: DEMO_USER,
    },
  ],
  'POST /api/v1/events/query': [
    {
      measure: 'people',
      event_name: 'read',
      by: [{ attribute: 'k1' }, { attribute: 'k2' }, { person: 'k3' }],
      every: 'hour',
      compare: true,
      top: 50,
      where: [{ attribute: 'k4', is: 'set' }],
    },
  ],
  'PUT /api/v1/brand/channels/android': [
    {
      service_account: {
        project_id: 'my-app',
        client_email: 'beckon@my-app.iam.gserviceaccount.com',
        private_key: STANDS_FOR.androidKey,
      },
    },
  ],
  'PUT /api/v1/brand/channels/ios': [
    {
      key_p8: STANDS_FOR.iosKey,
      key_id: 'ABC123DEFG',
      team_id: 'DEF123GHIJ',
      bundle_id: 'com.example.app',
      environment: 'production',
    },
  ],
  'POST /auth/sign-in': [{ email: ADMINISTRATOR, password: PASSWORD }],
  'POST /auth/confirm': [{ password: PASSWORD }],
  'POST /auth/two-factor': [{ password: PASSWORD }],
}
