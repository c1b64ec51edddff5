import { SERIES_LIMITS } from '../../rules/series.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { SERIES_QUERY } from './query.ts'
import { readSeries } from './series.ts'
import { SERIES_VIEW } from './view.ts'

export const SERIES_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/series',
    group: 'Series',
    summary: 'Count over time',
    description: `How often something happened in each minute, hour, day or week of a zone, whole and by part. Each metric needs the scope of its subject. Single minutes are kept for ${SERIES_LIMITS.minutesHours} hours, everything else for ${SERIES_LIMITS.keptDays} days; a reply has at most ${SERIES_LIMITS.spansMax} spans. Sends and receipts are counted in the commit that stores them, events a moment later. An erasure takes nothing off, because the numbers name nobody; only goals and the receipts of a single notification are counted from rows, which an erasure and the retention remove.`,
    scopes: ['push', 'events', 'profiles', 'subscriptions', 'journeys'],
    body: 'none',
    querySchema: SERIES_QUERY,
    exampleQuery: { metric: 'accepted,failed,clicked', by: 'day', group: 'platform' },
    reply: Type.Object({ series: SERIES_VIEW }),
    refusals: ['field_conflict', 'scope_missing'],
    lane: 'reads',
    handler: readSeries,
  },
]
