import { IMPORT_LIMITS } from '../../rules/limits.ts'
import { bodySchema } from '../fields/schema.ts'
import { LIST_ANSWER, NDJSON } from '../lists/answer.ts'
import type { Route } from '../route.ts'
import { Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { SUBSCRIPTION_VIEW } from '../subscriptions/view.ts'
import { SEGMENT_RULES } from './body.ts'
import { importIntoSegment } from './import.ts'
import { listSegmentMembers, MEMBER_QUERY, previewMembers } from './members.ts'
import { PREVIEW_VIEW, previewSegment } from './preview.ts'
import {
  archiveOneSegment,
  changeOneSegment,
  createOneSegment,
  listAllSegments,
  listSegmentSizes,
  readSegment,
  SEGMENT_QUERY,
  SIZE_QUERY,
} from './segments.ts'
import { SEGMENT_VIEW, SIZE_VIEW } from './view.ts'

const FACTS = { group: 'Segments', scopes: ['segments'] } as const
const ONE = Type.Object({ segment: SEGMENT_VIEW })
const MEMBERS = Type.Object({ subscriptions: Type.Array(SUBSCRIPTION_VIEW), ...NEXT_CURSOR })
const PATH = '/api/v1/segments'
const FILTER = { all: [{ tag: 'vip' }, { not: { users: ['u-1'] } }] }

export const SEGMENT_ROUTES: readonly Route[] = [
  {
    ...FACTS,
    scopes: ['segments', 'draft'],
    method: 'POST',
    path: PATH,
    summary: 'Create a segment',
    description: 'A segment is a saved filter. Beckon evaluates it each time the segment is used.',
    body: 'json',
    bodySchema: bodySchema(SEGMENT_RULES.create),
    reply: ONE,
    example: { name: 'VIPs', filter: FILTER },
    refusals: ['filter_invalid', 'segment_exists'],
    isIdempotent: true,
    lane: 'reads',
    handler: createOneSegment,
  },
  {
    ...FACTS,
    method: 'GET',
    path: PATH,
    summary: 'List segments',
    body: 'none',
    querySchema: SEGMENT_QUERY,
    reply: Type.Object({ segments: Type.Array(SEGMENT_VIEW), ...NEXT_CURSOR }),
    handler: listAllSegments,
  },
  {
    ...FACTS,
    scopes: ['segments', 'draft'],
    method: 'POST',
    path: `${PATH}/preview`,
    isRead: true,
    summary: 'Preview a filter',
    description:
      'Counts the live subscriptions that a filter finds. If counting would take long, the number is estimated from one eighth of the people; `margin` says how far it may be off.',
    body: 'json',
    bodySchema: bodySchema(SEGMENT_RULES.preview),
    reply: PREVIEW_VIEW,
    example: { filter: FILTER },
    refusals: ['filter_invalid'],
    lane: 'reads',
    handler: previewSegment,
  },
  {
    ...FACTS,
    scopes: ['segments', 'draft'],
    method: 'POST',
    path: `${PATH}/preview/members`,
    isRead: true,
    summary: 'List the live subscriptions that a filter finds',
    description:
      'The rows behind the numbers of a preview. `cursor`, `limit` and `platform` stand in the address.',
    body: 'json',
    bodySchema: bodySchema(SEGMENT_RULES.members),
    querySchema: MEMBER_QUERY,
    reply: MEMBERS,
    example: { filter: FILTER },
    refusals: ['filter_invalid'],
    lane: 'reads',
    handler: previewMembers,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{segment_id}`,
    summary: 'Read a segment with its present size',
    body: 'none',
    reply: ONE,
    refusals: ['segment_not_found'],
    lane: 'reads',
    handler: readSegment,
  },
  {
    ...FACTS,
    scopes: ['segments', 'draft'],
    method: 'PATCH',
    path: `${PATH}/{segment_id}`,
    summary: 'Change a segment',
    description: 'Only the given fields change. A broadcast that is being sent follows the new filter.',
    body: 'json',
    bodySchema: bodySchema(SEGMENT_RULES.change),
    reply: ONE,
    example: { name: 'VIPs and friends' },
    refusals: ['filter_invalid', 'segment_not_found'],
    lane: 'reads',
    handler: changeOneSegment,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{segment_id}/archive`,
    summary: 'Archive a segment',
    description: 'New pushes to it are refused; pushes that were accepted before are still sent.',
    body: 'none',
    reply: ONE,
    refusals: ['segment_not_found'],
    handler: archiveOneSegment,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{segment_id}/members`,
    summary: 'List the live subscriptions of a segment',
    body: 'none',
    querySchema: MEMBER_QUERY,
    reply: MEMBERS,
    refusals: ['segment_not_found'],
    lane: 'reads',
    handler: listSegmentMembers,
  },
  {
    ...FACTS,
    method: 'GET',
    path: `${PATH}/{segment_id}/sizes`,
    summary: 'Read the size of a segment, day by day',
    description: 'The workers count once a day in UTC. Oldest first.',
    body: 'none',
    querySchema: SIZE_QUERY,
    reply: Type.Object({ sizes: Type.Array(SIZE_VIEW) }),
    refusals: ['segment_not_found'],
    handler: listSegmentSizes,
  },
  {
    ...FACTS,
    method: 'POST',
    path: `${PATH}/{segment_id}/import`,
    summary: 'Import a list of people into a segment',
    description:
      'Send CSV with a column user_id. The listed people are in the segment, in addition to those that its filter finds: ' +
      'they get the tag segment:{segment_id}, and the filter includes that tag. Unknown user ids are refused one by ' +
      'one. The reply is NDJSON: a line of progress for every batch, and the report as the last line.',
    body: 'stream',
    bodyTypes: ['text/csv'],
    bodyBytesMax: IMPORT_LIMITS.bytesMax,
    replyType: NDJSON,
    reply: LIST_ANSWER,
    refusals: ['segment_not_found', 'unsupported_list', 'malformed_csv', 'filter_invalid'],
    handler: importIntoSegment,
  },
]
