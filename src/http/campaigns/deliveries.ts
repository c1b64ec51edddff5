import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { loadCampaign } from '../../store/campaigns/campaigns.ts'
import {
  type CampaignDelivery,
  type CampaignDeliveryList,
  type DeliveryMark,
  listCampaignDeliveries,
} from '../../store/campaigns/deliveries.ts'
import type { DeliveryFilter } from '../../store/push/delivery-page-sql.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, parseList } from '../lists/page.ts'
import { DELIVERY_QUERY, parseDeliveryFilter } from '../push/delivery-query.ts'
import { DELIVERY_FIELDS, renderDelivery } from '../push/view.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, type Static, Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'

/** GET /api/v1/campaigns/{campaign_id}/deliveries: those of all its platforms, of which one list is asked. */
export async function readCampaignDeliveries({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(CAMPAIGN_DELIVERY_QUERY, request.query), parseMark)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const filter = parseFilter(value)
  if (!filter.ok) return refuse(filter.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())

  const found = await database.asBrand(ref.brandId, async (tx) => {
    if ((await loadCampaign(tx, ref)) === null) return null
    return listCampaignDeliveries(tx, { ...ref, ...filter.value, after, limit })
  })
  if (found === null) return refuse(unknownCampaign())
  const cursor = nextCursor({ rows: found, hasMore: found.length === limit }, formatMark)
  const deliveries = found.filter(({ isFirst }) => isFirst).map(renderCampaignDelivery)
  return replySuccess({ deliveries, next_cursor: cursor }, { processed: deliveries.length, warnings })
}

function renderCampaignDelivery(delivery: CampaignDelivery): object {
  const { platform, notificationId } = delivery
  return { ...renderDelivery(delivery), platform, notification: notificationId }
}

function formatMark({ id, notificationId }: DeliveryMark): string {
  return `${id} ${notificationId}`
}

function parseMark(text: string): DeliveryMark | null {
  const [digits = '', notificationId = ''] = text.split(' ')
  const id = parseInt64(digits)
  return id === null || !isUuid(notificationId) ? null : { id, notificationId }
}

export const CAMPAIGN_DELIVERY_QUERY = Type.Object({
  ...DELIVERY_QUERY.properties,
  per: Type.Optional(
    Type.Enum(['device', 'person'], {
      description:
        'A row for each device, or for each person with an accepted message, as people_reached counts them: the first of their devices. person goes with no other filter, and a page of people may have fewer rows than its limit. device if absent.',
    }),
  ),
})

type Wanted = DeliveryFilter & Pick<CampaignDeliveryList, 'per'>

function parseFilter({ per = 'device', ...query }: Static<typeof CAMPAIGN_DELIVERY_QUERY>): Result<Wanted> {
  const filter = parseDeliveryFilter(query)
  if (!filter.ok) return filter
  if (per === 'device') return accept({ ...filter.value, per })
  const other = (['state', 'reason', 'receipt'] as const).find((name) => query[name] !== undefined)
  if (other !== undefined)
    return reject(fault('field_conflict', other, { detail: 'it does not go with per' }))
  return accept({ state: 'accepted', per })
}

export const CAMPAIGN_DELIVERY_PAGE = Type.Object({
  deliveries: Type.Array(
    Type.Object({
      ...DELIVERY_FIELDS,
      platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
      notification: Type.String({
        format: 'uuid',
        description: 'Beckon’s id of the notification, used in addresses.',
      }),
    }),
  ),
  ...NEXT_CURSOR,
})
