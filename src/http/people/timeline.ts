import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { flawOf } from '../../domain/values/text.ts'
import { IDENTITY_KINDS, TIMELINE_KINDS, TIMELINE_LIMITS, type TimelineKind } from '../../rules/people.ts'
import { findPersonIds, listTimeline, type TimelineMark } from '../../store/people/timeline.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parsePage } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { renderLine } from './timeline-view.ts'

/** GET /api/v1/users/{user_id}/timeline */
export async function readTimeline({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(TIMELINE_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const kinds = parseKinds(value.kinds)
  if (!kinds.ok) return refuse(kinds.rejection)
  const from = parseTimeBound('from', value.from)
  if (!from.ok) return refuse(from.rejection)
  const to = parseTimeBound('to', value.to)
  if (!to.ok) return refuse(to.rejection)
  const page = parsePage(value, parseTimelineMark)
  if (!page.ok) return refuse(page.rejection)

  const { brandId } = request.caller
  const name = { brandId, kind: value.by ?? 'user_id', value: param(request, 'user_id') }
  return database.asLookUp(brandId, async (tx) => {
    // An address may hold anything, and the database takes no NUL.
    const profileIds = flawOf(name.value) === null ? await findPersonIds(tx, name) : []
    if (profileIds.length === 0) return refuse({ faults: [fault('profile_not_found', 'user_id')] })
    const query = { brandId, profileIds, kinds: kinds.value, from: from.value, to: to.value, ...page.value }
    const lines = await listTimeline(tx, query)
    const next = nextCursor(lines, ({ atMicros, kind, key }) => `${atMicros} ${kind} ${key}`)
    const fields = { timeline: lines.rows.map(renderLine), next_cursor: next }
    return replySuccess(fields, { processed: lines.rows.length, warnings })
  })
}

/** All kinds if none is named. */
function parseKinds(text: string | undefined): Result<readonly TimelineKind[]> {
  const named = text?.split(',').map((name) => name.trim()) ?? TIMELINE_KINDS
  const known = TIMELINE_KINDS.filter((kind) => named.includes(kind))
  if (known.length === new Set(named).size) return accept(known)
  const detail = `it must be one or more of ${TIMELINE_KINDS.join(', ')}`
  return reject(fault('field_invalid', 'kinds', { detail }))
}

function parseTimelineMark(text: string): TimelineMark | null {
  const [, digits = '', word, key = ''] = /^(-?\d{1,19}) (\w+) (.*)$/su.exec(text) ?? []
  const atMicros = parseInt64(digits)
  const kind = TIMELINE_KINDS.find((known) => known === word)
  const isTime = atMicros !== null && atMicros >= -MICROS_MAX && atMicros <= MICROS_MAX
  return kind === undefined || !isTime || flawOf(key) !== null ? null : { atMicros, kind, key }
}

/** The year 9999, so that no forged cursor leaves the range of PostgreSQL's instants. */
const MICROS_MAX = 253_402_300_799_999_999n

export const TIMELINE_QUERY = Type.Object({
  by: Type.Optional(
    Type.Enum([...IDENTITY_KINDS], {
      default: 'user_id',
      description: 'The kind of the identifier in the address.',
    }),
  ),
  kinds: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Only lines of these kinds: one or more of ${TIMELINE_KINDS.join(', ')}, with commas between them.`,
    }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'At or after this instant, as ISO 8601.' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Before this instant, as ISO 8601.' })),
  ...PAGE_FIELDS,
  cursor: Type.Optional(
    Type.String({
      maxLength: TIMELINE_LIMITS.cursorCharsMax,
      description: 'The next_cursor of the previous page.',
    }),
  ),
})
