import type { SendMessage } from '../../domain/journeys/plan.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import { CHUNK_RULES } from '../../rules/push.ts'
import type { Db } from '../db.ts'

/** One notification that a journey asks for. The id follows from the enrolment and its step, so asking twice is once. */
export type JourneySend = {
  readonly id: string
  readonly journeyId: bigint
  readonly profileId: bigint
  readonly platform: Platform
  readonly message: SendMessage
  readonly event: object | null
}

/**
 * Hands sends to the push lane, as notifications to one person that are due now: the planner finds their devices and
 * lists the work, as it does for any scheduled one.
 */
export async function saveJourneySends(
  tx: Db,
  {
    brandId,
    sends,
    now,
  }: { readonly brandId: number; readonly sends: readonly JourneySend[]; readonly now: number },
): Promise<void> {
  if (sends.length === 0) return
  const rows = sends.map(({ id, journeyId, profileId, platform, message, event }) => {
    const handOverSeconds = Math.max(message.content.ttlSeconds, CHUNK_RULES.handOverSecondsMin)
    return {
      id,
      journey_id: journeyId,
      profile_id: profileId,
      platform,
      caller_notification_id: message.callerNotificationId,
      content: message.content,
      event,
      seconds: handOverSeconds,
    }
  })
  await tx.query(
    `insert into notifications (brand_id, id, platform, mode, caller_notification_id, content, profile_id,
       hand_over_seconds, state, send_at, expires_at, plan_at, created_at, journey_id, event, is_capped)
     select $1, id, platform, 'send', caller_notification_id, content, profile_id, seconds, 'scheduled',
       $3::timestamptz, $3::timestamptz + seconds * interval '1 second', least($3::timestamptz, clock_timestamp()),
       $3::timestamptz, journey_id, event, true
     from jsonb_to_recordset($2::jsonb) as given (id uuid, journey_id bigint, profile_id bigint, platform text,
       caller_notification_id bigint, content jsonb, event jsonb, seconds integer)
     on conflict (brand_id, id) do nothing`,
    [brandId, encodeJson(rows), new Date(now)],
  )
}
