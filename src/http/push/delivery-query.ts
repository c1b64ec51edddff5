import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { DELIVERY_STATES, RECEIPT_KINDS } from '../../rules/push.ts'
import type { DeliveryFilter } from '../../store/push/delivery-page-sql.ts'
import { PAGE_FIELDS } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Static, Type } from '../schema/schema.ts'

/** The query of a list of deliveries. */
export const DELIVERY_QUERY = Type.Object({
  ...PAGE_FIELDS,
  state: Type.Optional(Type.Union(DELIVERY_STATES.map((name) => Type.Literal(name)))),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only deliveries with this reason.' }),
  ),
  receipt: Type.Optional(
    Type.Union(
      RECEIPT_KINDS.map((name) => Type.Literal(name)),
      { description: 'Only deliveries of which the device reported this.' },
    ),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Reported at or after this instant, as ISO 8601. It goes with receipt.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Reported before this instant, as ISO 8601. It goes with receipt.',
    }),
  ),
})

export function parseDeliveryFilter(query: Static<typeof DELIVERY_QUERY>): Result<DeliveryFilter> {
  const from = parseTimeBound('from', query.from)
  if (!from.ok) return from
  const to = parseTimeBound('to', query.to)
  if (!to.ok) return to
  const { state = null, reason = null, receipt = null } = query
  const hasTime = from.value !== null || to.value !== null
  if (hasTime && receipt === null) return reject(fault('field_missing', 'receipt'))
  return accept({ state, reason, receipt, reportedFrom: from.value, reportedTo: to.value })
}
