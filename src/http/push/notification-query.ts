import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import {
  JOURNEY_FOLD,
  NOTIFICATION_SOURCES,
  NOTIFICATION_STATE_NAMES,
  type NotificationSource,
  PUSH_MODE_NAMES,
  TEXT_SEARCH_CHARS,
  TEXT_SEARCH_ROWS_MAX,
} from '../../rules/push.ts'
import type { NotificationFilter } from '../../store/push/notification-list.ts'
import { parseId } from '../lists/id.ts'
import { PAGE_FIELDS } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Static, Type } from '../schema/schema.ts'

export const NOTIFICATION_QUERY = Type.Object({
  ...PAGE_FIELDS,
  state: Type.Optional(Type.Union(NOTIFICATION_STATE_NAMES.map((name) => Type.Literal(name)))),
  platform: Type.Optional(Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name)))),
  source: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Only notifications from here: one or more of ${NOTIFICATION_SOURCES.join(', ')}, with commas between them.`,
    }),
  ),
  mode: Type.Optional(
    Type.Union(
      PUSH_MODE_NAMES.map((name) => Type.Literal(name)),
      {
        description: 'Only sends to one subscriber, to all, or to a part of them.',
      },
    ),
  ),
  segment_id: Type.Optional(
    Type.String({ maxLength: 20, description: 'Only notifications to this segment.' }),
  ),
  campaign_id: Type.Optional(
    Type.String({ maxLength: 20, description: 'Only notifications of this campaign.' }),
  ),
  journey_id: Type.Optional(
    Type.String({ maxLength: 20, description: 'Only notifications of this journey.' }),
  ),
  text: Type.Optional(
    Type.String({
      minLength: TEXT_SEARCH_CHARS.min,
      maxLength: TEXT_SEARCH_CHARS.max,
      description: `A part of the title or the message, in any letter case. The ${TEXT_SEARCH_ROWS_MAX} newest notifications that fit the other filters are searched; give to, and earlier ones are.`,
    }),
  ),
  fold: Type.Optional(
    Type.Literal('journeys', {
      description: `Leaves journey sends out of the list, and adds one line for each of their steps and days: of the range from and to, ${JOURNEY_FOLD.daysMax} days at most, or of the last ${JOURNEY_FOLD.daysDefault} days.`,
    }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Accepted at or after this instant, as ISO 8601.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Accepted before this instant, as ISO 8601.' }),
  ),
})

/** The filters of the list of notifications. */
export function parseNotificationFilter(
  query: Static<typeof NOTIFICATION_QUERY>,
): Result<NotificationFilter> {
  const from = parseTimeBound('from', query.from)
  if (!from.ok) return from
  const to = parseTimeBound('to', query.to)
  if (!to.ok) return to
  const sources = parseSources(query)
  if (!sources.ok) return sources
  const segmentId = parseId('segment_id', query.segment_id)
  if (!segmentId.ok) return segmentId
  const campaignId = parseId('campaign_id', query.campaign_id)
  if (!campaignId.ok) return campaignId
  const journeyId = parseId('journey_id', query.journey_id)
  if (!journeyId.ok) return journeyId
  const { state = null, platform = null, mode = null, text = null } = query
  return accept({
    state,
    platform,
    mode,
    text,
    from: from.value,
    to: to.value,
    sources: sources.value,
    segmentId: segmentId.value,
    campaignId: campaignId.value,
    journeyId: journeyId.value,
  })
}

/** The sources that a list is narrowed to; null for all. */
function parseSources({
  source,
  fold,
}: Static<typeof NOTIFICATION_QUERY>): Result<readonly NotificationSource[] | null> {
  const named = source?.split(',').map((name) => name.trim())
  const stray = named?.find((name) => NOTIFICATION_SOURCES.every((known) => known !== name))
  if (stray !== undefined) {
    return reject(
      fault('field_invalid', 'source', {
        detail: `it must be one or more of ${NOTIFICATION_SOURCES.join(', ')}`,
      }),
    )
  }
  if (named === undefined && fold === undefined) return accept(null)
  const wanted = NOTIFICATION_SOURCES.filter((name) => named?.includes(name) ?? true)
  return accept(fold === undefined ? wanted : wanted.filter((name) => name !== 'journey'))
}
