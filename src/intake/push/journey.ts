import type { SendMessage } from '../../domain/journeys/steps.ts'
import type { Draft } from '../../domain/push/notification.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Database, Db } from '../../store/db.ts'
import type { JourneyOrigin } from '../../store/push/notifications.ts'
import { acceptPushes } from './accept.ts'
import type { Push } from './plan.ts'

/** One notification that a journey step asks for. */
type JourneyPush = {
  readonly journey: JourneyOrigin
  readonly profileId: bigint
  readonly platform: Platform
  readonly message: SendMessage
}

type JourneyPushes = {
  readonly brandId: number
  readonly pushes: readonly JourneyPush[]
  readonly now: number
}

/** Accepts the pushes of journey steps, all of them at once, in the transaction that moves the enrolments. */
export async function acceptJourneyPushes(
  database: Database,
  tx: Db,
  { brandId, pushes, now }: JourneyPushes,
): Promise<void> {
  const timing = { kind: 'now' } as const
  const schedule = planSchedule(timing, now)
  if (!schedule.ok) throw new Error('a push that is due now was refused for its time')
  const asked = pushes.map(({ journey, profileId, platform, message }): Push => {
    const draft: Draft = {
      platform,
      target: { kind: 'person', profileId },
      ...message,
      tag: null,
      timing,
      perSecond: null,
      ignoresCap: false,
      reachesVirtual: true,
      isDryRun: false,
    }
    return { brandId, draft, schedule: schedule.value, warnings: [], now, journey }
  })
  const outcomes = await acceptPushes(database, tx, brandId, asked)
  if (outcomes.some(({ ok }) => !ok)) throw new Error('a push of a journey was refused')
}
