import { fault } from '../../domain/fault.ts'
import { warning } from '../../domain/warning.ts'
import { sendCampaignTest } from '../../intake/campaigns/test-send.ts'
import { CAMPAIGN_LIMITS } from '../../rules/campaigns.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { TRIAL_LIMITS } from '../../rules/trials.ts'
import { loadCampaign } from '../../store/campaigns/campaigns.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'
import { readStoredDocument } from './document.ts'
import { sendingWarnings } from './states.ts'

/** POST /api/v1/campaigns/{campaign_id}/test: the message, now, to a few chosen people and devices. It counts for nothing. */
export async function testCampaign(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(TEST_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const { user_ids: users = [], subscription_ids: devices = [] } = parsed.value.value
  if (users.length + devices.length === 0) return refuse({ faults: [fault('field_missing', 'user_ids')] })
  const chosen = { userIds: [...new Set(users)], subscriptionIds: [...new Set(devices)] }
  const variant = parsed.value.value.variant ?? null
  const now = deps.clock.now()
  const reply = await replyOnce(deps, request, async (tx) => {
    const stored = await loadCampaign(tx, ref)
    if (stored === null) return refuse(unknownCampaign())
    const document = await readStoredDocument(tx, stored.document, { ...deps, now, brandId: ref.brandId })
    if (!document.ok) return refuse(document.rejection)
    const { campaign } = document.value
    const sent = await sendCampaignTest(deps.database, tx, { ref, campaign, ...chosen, variant, now })
    if (!sent.ok) return refuse(sent.rejection)
    const { people, notifications } = sent.value
    const without = people.filter(
      ({ platforms }) => !platforms.some((one) => campaign.platforms.includes(one)),
    )
    const warnings = [
      ...parsed.value.warnings,
      ...without.map(({ userId }) => warning('no_device', 'user_ids', { user: userId })),
      ...(await sendingWarnings(deps, ref.brandId, campaign)),
    ]
    const listed = notifications.map(({ id, draft: { platform } }) => ({ id, platform }))
    return replySuccess({ notifications: listed }, { processed: listed.length, warnings })
  })
  if (reply.status === 200) deps.database.notify('send')
  return reply
}

export const TEST_BODY = Type.Object({
  user_ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: CAMPAIGN_LIMITS.userCharsMax }), {
      maxItems: CAMPAIGN_LIMITS.testUsersMax,
      description:
        'The people who get it, on each of their devices. One of user_ids and subscription_ids is needed.',
    }),
  ),
  subscription_ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: CAMPAIGN_LIMITS.userCharsMax }), {
      maxItems: CAMPAIGN_LIMITS.testUsersMax,
      description: 'Single devices that get it, such as virtual ones.',
    }),
  ),
  variant: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TRIAL_LIMITS.nameCharsMax,
      description: 'The name of the variant that they get. Without it they get each variant of the campaign.',
    }),
  ),
})

export const TEST_REPLY = Type.Object({
  notifications: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
    }),
    { description: 'One for each person, platform and variant, and for each device and variant.' },
  ),
})
