import { encodeJson } from '../domain/json.ts'
import type { Draft, NotificationPlan, Target } from '../domain/notification.ts'
import { CHUNK_RULES } from '../rules/chunks.ts'
import type { PushMode } from '../rules/push-modes.ts'
import type { Db } from './db.ts'

export type NewNotification = {
  readonly brandId: number
  readonly id: string
  readonly draft: Draft
  readonly plan: NotificationPlan
  readonly now: number
}

/**
 * Stores an accepted notification together with its work. What is for one subscriber now gets its chunk here, so
 * that a worker can take it at once; everything else is left to the planner.
 */
export async function saveNotification(
  tx: Db,
  { brandId, id, draft, plan, now }: NewNotification,
): Promise<void> {
  await tx.query(SAVE, [
    brandId,
    id,
    draft.platform,
    MODE_OF[draft.target.kind],
    draft.notificationId,
    encodeJson(draft.content),
    plan.lasting?.profileId ?? null,
    plan.lasting?.subscriptionIds ?? null,
    draft.target.kind === 'segment' ? draft.target.segmentId : null,
    draft.tag,
    plan.wall,
    draft.perSecond,
    plan.handOverSeconds,
    plan.recipients?.length === 0 ? 'sent' : plan.state,
    new Date(plan.sendAt),
    new Date(plan.expiresAt),
    plan.recipients === null,
    plan.audience,
    new Date(now),
    plan.recipients ?? [],
    CHUNK_RULES.recipientsMax,
    CHUNK_RULES.smallMax,
  ])
}

const MODE_OF = { one: 'send', all: 'all', segment: 'segment' } as const satisfies Record<
  Target['kind'],
  PushMode
>

/** What is due now is due by the database's clock, because that is the clock the workers go by. */
const SAVE = {
  name: 'save notification',
  text: `with saved as (
    insert into notifications (brand_id, id, platform, mode, notification_id, content, profile_id, subscription_ids,
      segment_id, tag, wall, per_second, hand_over_seconds, state, send_at, expires_at, plan_at, audience, pending,
      created_at, finished_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      case when $17::boolean then case $14 when 'queued' then least($15, clock_timestamp()) else $15 end end,
      $18::integer, coalesce($18, 0), $19::timestamptz, case when $14 = 'sent' then $19 end)
  )
  insert into chunks (brand_id, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk, ready_at,
    expires_at)
  select $1, $2, min(recipient), max(recipient), array_agg(recipient), count(*), $18 > $22, clock_timestamp(), $16
  from unnest($20::bigint[]) with ordinality as listed (recipient, place)
  group by (place - 1) / $21::integer`,
}
