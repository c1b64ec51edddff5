import { accept, type Result } from '../../domain/result.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { Database, Db } from '../../store/db.ts'
import { type NewNotification, saveNotifications } from '../../store/push/notifications.ts'
import { type PlannedPush, type Push, planPushes } from './plan.ts'

/**
 * The one way into the push lane, for a request as for a journey: plans pushes of a brand and saves those that are not
 * refused, all together, in a transaction of the caller.
 */
export async function acceptPushes(
  database: Database,
  tx: Db,
  brandId: number,
  pushes: readonly Push[],
): Promise<readonly Result<NewNotification>[]> {
  const planned = await planPushes(database, tx, brandId, pushes)
  const outcomes = planned.map((result) => (result.ok ? accept(newNotification(result.value)) : result))
  const accepted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
  await saveNotifications(tx, brandId, accepted)
  return outcomes
}

function newNotification({ push, plan }: PlannedPush): NewNotification {
  const { draft, now, journey, campaign } = push
  const origin = campaign === undefined ? {} : { campaign }
  return { id: journey?.id ?? newId(), draft, plan, now, journey, ...origin }
}
