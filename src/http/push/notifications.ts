import { fault } from '../../domain/fault.ts'
import { isObstructed } from '../../domain/push/channel-health.ts'
import { planCancel } from '../../domain/push/notification.ts'
import { accept } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { DELIVERY_REASONS, JOURNEY_FOLD } from '../../rules/push.ts'
import { cancelNotification, lockNotification } from '../../store/push/cancel.ts'
import { foldJourneySends } from '../../store/push/journey-sends.ts'
import { listNotifications } from '../../store/push/notification-list.ts'
import {
  countDeliveryReasons,
  listDeliveries,
  loadNotification,
  type NotificationRef,
  type NotificationReport,
} from '../../store/push/notification-reads.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery } from '../schema/schema.ts'
import { DELIVERY_QUERY, parseDeliveryFilter } from './delivery-query.ts'
import { foldedRange, renderJourneySends } from './journey-sends.ts'
import { NOTIFICATION_QUERY, parseNotificationFilter } from './notification-query.ts'
import { renderDelivery, renderNotification } from './view.ts'

/** GET /api/v1/notifications */
export async function readNotifications(deps: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(NOTIFICATION_QUERY, query), parseUuid)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after: beforeId, limit, warnings } = parsed.value
  const filter = parseNotificationFilter(value)
  if (!filter.ok) return refuse(filter.rejection)
  // A later page would show the same lines again.
  const isFolded = value.fold !== undefined && beforeId === null
  const range = isFolded ? foldedRange(filter.value, deps.clock.now()) : accept(null)
  if (!range.ok) return refuse(range.rejection)

  const { brandId } = caller
  const wanted = { brandId, ...filter.value, beforeId, limit }
  const [page, sends] = await deps.database.asBrand(brandId, async (tx) => {
    const found = await listNotifications(tx, wanted)
    if (range.value === null) return [found, null] as const
    const lines = { ...wanted, ...range.value, limit: JOURNEY_FOLD.linesMax }
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
  const filter = parseDeliveryFilter(value)
  if (!filter.ok) return refuse(filter.rejection)
  const ref = refOf(request)
  if (ref === null) return refuseUnknown()

  const rows = await database.asBrand(ref.brandId, async (tx) => {
    if ((await loadNotification(tx, ref)) === null) return null
    return listDeliveries(tx, { ...ref, ...filter.value, afterId: after ?? 0n, limit })
  })
  if (rows === null) return refuseUnknown()
  const cursor = nextCursor({ rows, hasMore: rows.length === limit }, ({ id }) => String(id))
  const fields = { deliveries: rows.map(renderDelivery), next_cursor: cursor }
  return replySuccess(fields, { processed: rows.length, warnings })
}

/** GET /api/v1/notifications/{id}/reasons */
export async function readReasons({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = refOf(request)
  if (ref === null) return refuseUnknown()
  const reasons = await database.asBrand(ref.brandId, async (tx) => {
    if ((await loadNotification(tx, ref)) === null) return null
    return countDeliveryReasons(tx, { ...ref, ...DELIVERY_REASONS })
  })
  if (reasons === null) return refuseUnknown()
  const counted = reasons.reduce((sum, { devices }) => sum + devices, 0)
  return replySuccess({ reasons, is_complete: counted < DELIVERY_REASONS.rowsMax })
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
