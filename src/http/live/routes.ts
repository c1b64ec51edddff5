import { LIVE_LIMITS } from '../../rules/live.ts'
import type { Route } from '../route.ts'
import { LIVE_QUERY, streamLive } from './live.ts'

export const LIVE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/live',
    group: 'Live',
    summary: 'Watch subjects live',
    description: `Server-sent events about several subjects over one stream: the progress of a notification or a campaign, the people in a journey, the overview of the brand, its virtual devices, and events as they are committed. Each subject needs a scope: \`push\`, \`journeys\` or \`events\`, or its read half. Each subject is read once a second at most for all its readers. The stream has no end; a comment comes every ${LIVE_LIMITS.heartbeatMs / 1000} seconds. An event \`closed\` says why Beckon ends it. See docs/live.md.`,
    scopes: ['push', 'events', 'subscriptions', 'journeys', 'brand'],
    readScopes: [
      'push:read',
      'events:read',
      'subscriptions:read',
      'journeys:read',
      'brand:read',
      'schema:read',
    ],
    body: 'none',
    querySchema: LIVE_QUERY,
    exampleQuery: { subjects: 'overview,events' },
    replyType: 'text/event-stream',
    refusals: [
      'scope_missing',
      'too_many_streams',
      'notification_not_found',
      'campaign_not_found',
      'journey_not_found',
    ],
    isLive: true,
    takesBrandInQuery: true,
    handler: streamLive,
  },
]
