import type { Decision } from '../../domain/campaigns/decision.ts'
import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import { STOPPED_BRANDS } from '../brand/brand-state.ts'
import type { Db } from '../db.ts'
import type { CampaignRef } from './campaigns.ts'
import { GOAL_READER } from './goals.ts'

/**
 * Campaigns whose variants are to be compared now: their time has come, the test is sent, and where the goal decides, it
 * is counted in all events that came by then. There is one look only, so it waits for a count that is behind.
 */
export async function findDecisions(
  db: Db,
  { now, limit }: { readonly now: number | null; readonly limit: number },
): Promise<readonly CampaignRef[]> {
  const { rows } = await db.query<CampaignRef>(
    `select c.brand_id as "brandId", c.id as "campaignId" from campaigns as c
     where c.decide_at <= coalesce($1::timestamptz, clock_timestamp()) and c.decision is null
       and c.state in ('sending', 'deciding') and not exists (select from sending_hold)
       and c.brand_id <> all ${STOPPED_BRANDS}
       and not exists (
         select from notifications as n
         where n.brand_id = c.brand_id and n.campaign_id = c.id and not n.is_test
           and n.state in ('scheduled', 'queued', 'sending'))
       and not (c.document -> 'winner' ->> 'by' = 'goal' and exists (${UNCOUNTED}))
     order by c.decide_at limit $2`,
    [now === null ? null : new Date(now), limit],
  )
  return rows
}

/** Batches that came before the comparison of the campaign `c`, unread for goals. The id of a batch begins with its time. */
const UNCOUNTED = `select from event_readers as r
  join event_batches as b on b.brand_id = r.brand_id and (b.tx, b.id) > (r.tx, r.batch_id)
  where r.brand_id = c.brand_id and r.reader = '${GOAL_READER}'
    and b.id < floor(extract(epoch from c.decide_at) * 1000)::bigint << 21`

/** Campaigns whose variants were to be compared by `now`, also while sending is held. */
export async function findOverdueDecisions(
  db: Db,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly CampaignRef[]> {
  const { rows } = await db.query<CampaignRef>(
    `select brand_id as "brandId", id as "campaignId" from campaigns
     where decide_at <= $1 and decision is null and state in ('sending', 'deciding') order by decide_at limit $2`,
    [new Date(now), limit],
  )
  return rows
}

/** The document of a campaign that is not decided, locked until the transaction ends; null when it is, or cancelled. */
export async function lockUndecided(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<JsonObject | null> {
  const { rows } = await tx.query<{ document: JsonObject }>(
    `select document from campaigns
     where brand_id = $1 and id = $2 and decision is null and decide_at is not null
       and state in ('sending', 'deciding') for update`,
    [brandId, campaignId],
  )
  return rows[0]?.document ?? null
}

/**
 * Writes the decision together with the notifications to the rest of the audience: those of the test once more, for
 * everybody else, with the chosen variant.
 */
export async function saveDecision(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
  decision: Decision & { readonly at: number },
): Promise<void> {
  await tx.query(
    `with decided as (
       update campaigns set decision = $3, state = 'sending', updated_at = $4 where brand_id = $1 and id = $2
     )
     insert into notifications (brand_id, id, platform, mode, caller_notification_id, content, alternatives, segment_id,
       tag, topic, per_second, hand_over_seconds, state, send_at, expires_at, plan_at, created_at, is_capped,
       campaign_id, filter, has_user_list, except_campaign_id, is_latest_only, reaches_virtual, template_id,
       template_version, trial)
     select brand_id, uuidv7(), platform, mode, caller_notification_id, content, alternatives, segment_id,
       tag, topic, per_second, hand_over_seconds, 'scheduled', $4, $4 + hand_over_seconds * interval '1 second', $4, $4,
       is_capped, campaign_id, filter, has_user_list, except_campaign_id, is_latest_only, reaches_virtual, template_id,
       template_version, trial || jsonb_build_object('phase',
         (trial -> 'phase') || jsonb_build_object('kind', 'rest', 'variant', $5::integer))
     from notifications
     where brand_id = $1 and campaign_id = $2 and not is_test and state <> 'cancelled'
       and trial -> 'phase' ->> 'kind' = 'test'`,
    [brandId, campaignId, encodeJson(decision), new Date(decision.at), decision.variant],
  )
}

/** The decision of a campaign; null before it is made, or when there is none to make. */
export async function loadDecision(
  tx: Db,
  { brandId, campaignId }: CampaignRef,
): Promise<(Decision & { readonly at: number }) | null> {
  const { rows } = await tx.query<{ decision: (Decision & { readonly at: number }) | null }>(
    'select decision from campaigns where brand_id = $1 and id = $2',
    [brandId, campaignId],
  )
  return rows[0]?.decision ?? null
}
