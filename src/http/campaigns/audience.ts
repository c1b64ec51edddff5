import { parseInt64 } from '../../domain/values/int64.ts'
import { audienceQueryOf } from '../../intake/campaigns/audience.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { RowPage } from '../../store/page.ts'
import { listAudience } from '../../store/push/audience-list.ts'
import { LEFT_OUT_KINDS, listLeftOut } from '../../store/push/left-out.ts'
import type { Subscription } from '../../store/subscriptions/subscriptions.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { NEXT_CURSOR } from '../schema/view.ts'
import { renderSubscription, SUBSCRIPTION_VIEW } from '../subscriptions/view.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'
import { loadStoredCampaign } from './stored.ts'

/** GET /api/v1/campaigns/{campaign_id}/audience: the devices, or the people, that its dry run counts. */
export async function readCampaignAudience(deps: Deps, request: TenantRequest): Promise<Reply> {
  const asked = parseList(parseQuery(AUDIENCE_QUERY, request.query), parseInt64)
  if (!asked.ok) return refuse(asked.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const parsed = await loadStoredCampaign(deps, ref, deps.clock.now())
  if (parsed === null) return refuse(unknownCampaign())
  if (!parsed.ok) return refuse(parsed.rejection)

  const { campaign } = parsed.value
  const { value, after, limit, warnings } = asked.value
  const { per = 'device' } = value
  const platform = campaign.platforms.filter((name) => name === (value.platform ?? name))
  const query = { ...(await audienceQueryOf(deps.database, ref, campaign)), platform }
  const wanted = { query, afterId: after ?? 0n, limit }
  const { topic, ignoresCap } = campaign
  const { left_out: kind } = value
  const page = await deps.database.asEngine(
    async (tx): Promise<RowPage<Listed>> =>
      kind === undefined
        ? listAudience(tx, { ...wanted, per })
        : listLeftOut(tx, { ...wanted, kind, topic, ignoresCap, now: deps.clock.now() }),
  )
  const rows = page.rows.filter(({ isFirst = true }) => isFirst)
  const next = nextCursor(page, ({ id }) => String(id))
  const fields = { subscriptions: rows.map(renderSubscription), next_cursor: next }
  return replySuccess(fields, { processed: rows.length, warnings })
}

/** A device, which in a list of people may be another one of somebody who is listed already. */
type Listed = Subscription & { readonly isFirst?: boolean }

export const AUDIENCE_QUERY = Type.Object({
  ...PAGE_FIELDS,
  platform: Type.Optional(
    Type.Enum([...PLATFORM_NAMES], { description: 'Only the devices of this platform.' }),
  ),
  per: Type.Optional(
    Type.Enum(['device', 'person'], {
      description:
        'A row for each device, or for each person: the first of their devices. A page of people may have fewer rows than its limit. device if absent.',
    }),
  ),
  left_out: Type.Optional(
    Type.Enum([...LEFT_OUT_KINDS], {
      description:
        'Only people who would get nothing, as left_out of the dry run counts them: one row for each, with the first of their devices.',
    }),
  ),
})

export const AUDIENCE_PAGE = Type.Object({ subscriptions: Type.Array(SUBSCRIPTION_VIEW), ...NEXT_CURSOR })
