import { fault } from '../../domain/fault.ts'
import { isObstructed } from '../../domain/push/channel-health.ts'
import { planCancel } from '../../domain/push/notification.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import {
  DELIVERY_STATES,
  JOURNEY_FOLD,
  NOTIFICATION_SOURCES,
  NOTIFICATION_STATE_NAMES,
  type NotificationSource,
} from '../../rules/push.ts'
import { cancelNotification, lockNotification } from '../../store/push/cancel.ts'
import { foldJourneySends } from '../../store/push/journey-sends.ts'
import {
  listDeliveries,
  listNotifications,
  loadNotification,
  type NotificationRef,
  type NotificationReport,
} from '../../store/push/notification-reads.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, type Static, Type } from '../schema/schema.ts'
import { foldedRange, renderJourneySends } from './journey-sends.ts'
import { renderDelivery, renderNotification } from './view.ts'

/** GET /api/v1/notifications */
export async function readNotifications(deps: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(NOTIFICATION_QUERY, query), parseUuid)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after: beforeId, limit, warnings } = parsed.value
  const from = parseTimeBound('from', value.from)
  if (!from.ok) return refuse(from.rejection)
  const to = parseTimeBound('to', value.to)
  if (!to.ok) return refuse(to.rejection)

  const sources = parseSources(value)
  if (!sources.ok) return refuse(sources.rejection)
  // A later page would show the same lines again.
  const isFolded = value.fold !== undefined && beforeId === null
  const range = isFolded ? foldedRange({ from: from.value, to: to.value }, deps.clock.now()) : accept(null)
  if (!range.ok) return refuse(range.rejection)

  const { brandId } = caller
  const { state = null, platform = null } = value
  const common = { brandId, state, platform }
  const wanted = { ...common, sources: sources.value, from: from.value, to: to.value, beforeId, limit }
  const [page, sends] = await deps.database.asBrand(brandId, async (tx) => {
    const found = await listNotifications(tx, wanted)
    if (range.value === null) return [found, null] as const
    const lines = { ...common, ...range.value, limit: JOURNEY_FOLD.linesMax }
    return [found, await foldJourneySends(tx, lines)] as const
  })
  const cursor = nextCursor(page, ({ id }) => id)
  const notifications: object[] = []
  for (const row of page.rows) notifications.push(await show(deps, caller.brandId, row))
  const folded = sends === null ? {} : { journey_sends: sends.map(renderJourneySends) }
  const fields = { notifications, ...folded, next_cursor: cursor }
  return replySuccess(fields, { processed: notifications.length, warnings })
}

/** GET /api/v1/notifications/{id} */
export async function readNotification(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = refOf(request)
  if (ref === null) return refuseUnknown()
  const found = await deps.database.asBrand(ref.brandId, async (tx) => loadNotification(tx, ref))
  if (found === null) return refuseUnknown()
  return replySuccess({ notification: await show(deps, ref.brandId, found) })
}

/** GET /api/v1/notifications/{id}/deliveries */
export async function readDeliveries({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(DELIVERY_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const ref = refOf(request)
  if (ref === null) return refuseUnknown()

  const rows = await database.asBrand(ref.brandId, async (tx) => {
    if ((await loadNotification(tx, ref)) === null) return null
    return listDeliveries(tx, { ...ref, state: value.state ?? null, afterId: after ?? 0n, limit })
  })
  if (rows === null) return refuseUnknown()
  const cursor = nextCursor({ rows, hasMore: rows.length === limit }, ({ id }) => String(id))
  const fields = { deliveries: rows.map(renderDelivery), next_cursor: cursor }
  return replySuccess(fields, { processed: rows.length, warnings })
}

/** POST /api/v1/notifications/{id}/cancel */
export async function cancel({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = refOf(request)
  if (ref === null) return refuseUnknown()
  return database.asBrand(ref.brandId, async (tx) => {
    const state = await lockNotification(tx, ref)
    if (state === null) return refuseUnknown()
    const plan = planCancel(state)
    if (!plan.ok) return refuse(plan.rejection)
    await cancelNotification(tx, ref)
    const cancelled = await loadNotification(tx, ref)
    if (cancelled === null) return refuseUnknown()
    return replySuccess({ notification: renderNotification(cancelled, null) })
  })
}

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

export const DELIVERY_QUERY = Type.Object({
  ...PAGE_FIELDS,
  state: Type.Optional(Type.Union(DELIVERY_STATES.map((name) => Type.Literal(name)))),
})

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

/** A notification, with the reason why it waits. The channels are remembered for a moment, so a page asks for few. */
async function show({ pushWarnings }: Deps, brandId: number, report: NotificationReport): Promise<object> {
  const { platform, state } = report
  const obstacle = isObstructed(state) ? await pushWarnings.obstacle({ brandId, platform }) : null
  return renderNotification(report, obstacle)
}

function refuseUnknown(): Reply {
  return refuse({ faults: [fault('notification_not_found')] })
}

/** Null for a text that cannot be an id; the caller gets the same 404 as for an unknown id. */
function refOf(request: TenantRequest): NotificationRef | null {
  const id = parseUuid(param(request, 'id'))
  return id === null ? null : { brandId: request.caller.brandId, id }
}

function parseUuid(text: string): string | null {
  return isUuid(text) ? text : null
}
