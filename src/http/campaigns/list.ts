import { parseInt64 } from '../../domain/values/int64.ts'
import { CAMPAIGN_LIMITS, CAMPAIGN_STATE_NAMES } from '../../rules/campaigns.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import { loadCampaignNotifications } from '../../store/campaigns/notifications.ts'
import type { Deps } from '../deps.ts'
import { ARCHIVED_FIELD, nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { renderCampaign } from './view.ts'

/** GET /api/v1/campaigns, newest first */
export async function listAllCampaigns({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(CAMPAIGN_QUERY, query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after: before, limit, warnings } = parsed.value
  const from = parseTimeBound('from', value.from)
  if (!from.ok) return refuse(from.rejection)
  const to = parseTimeBound('to', value.to)
  if (!to.ok) return refuse(to.rejection)

  const { brandId } = caller
  const { state = null, text = null, tag = null, archived: isArchived = false } = value
  const bounds = { from: from.value, to: to.value }
  const wanted = { brandId, state, text, tag, isArchived, ...bounds, before, limit }
  const [page, notifications] = await database.asBrand(brandId, async (tx) => {
    const found = await listCampaigns(tx, wanted)
    const ids = found.rows.map(({ id }) => id)
    return [found, await loadCampaignNotifications(tx, brandId, ids)] as const
  })
  const parts = Map.groupBy(notifications, ({ campaignId }) => campaignId)
  const fields = {
    campaigns: page.rows.map((campaign) => renderCampaign(campaign, parts.get(campaign.id) ?? [])),
    next_cursor: nextCursor(page, ({ id }) => String(id)),
  }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

export const CAMPAIGN_QUERY = Type.Object({
  ...PAGE_FIELDS,
  ...ARCHIVED_FIELD,
  state: Type.Optional(Type.Union(CAMPAIGN_STATE_NAMES.map((name) => Type.Literal(name)))),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CAMPAIGN_LIMITS.nameCharsMax,
      description: 'A part of the name, in any case.',
    }),
  ),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: CAMPAIGN_LIMITS.tagCharsMax, description: 'One of the tags.' }),
  ),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Created at or after this instant, as ISO 8601.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Created before this instant, as ISO 8601.' }),
  ),
})
