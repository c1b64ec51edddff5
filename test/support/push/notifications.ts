import { randomUUIDv7 } from 'node:crypto'
import { type AudienceFacts, type Draft, planNotification } from '../../../src/domain/push/notification.ts'
import { planSchedule, type Timing } from '../../../src/domain/push/schedule.ts'
import type { Database } from '../../../src/store/db.ts'
import { countAudience, loadFilter } from '../../../src/store/push/audience.ts'
import { loadNotification, type NotificationReport } from '../../../src/store/push/notification-reads.ts'
import { saveNotifications } from '../../../src/store/push/notifications.ts'
import { loadTargetFacts } from '../../../src/store/push/targets.ts'
import { anyContent } from './content.ts'

export type NotificationSeed = Partial<Omit<Draft, 'target'>> & {
  readonly brandId: number
  readonly target: Draft['target'] | { readonly kind: 'user'; readonly userId: string }
  readonly now?: number
}

/** Accepts a notification as the endpoint would, without the endpoint. Gives its id. */
export async function acceptNotification(database: Database, seed: NotificationSeed): Promise<string> {
  const { brandId, now = Date.now(), target, ...rest } = seed
  const keys = { userId: null, subscriptionId: null, eitherId: null, deviceId: null }
  const draft: Draft = {
    platform: 'android',
    tag: null,
    topic: null,
    callerNotificationId: null,
    content: anyContent({ ttlSeconds: 3_600 }),
    alternatives: null,
    template: null,
    timing: { kind: 'now' } satisfies Timing,
    perSecond: null,
    ignoresCap: false,
    reachesVirtual: false,
    isDryRun: false,
    ...rest,
    target: target.kind === 'user' ? { kind: 'one', keys: { ...keys, userId: target.userId } } : target,
  }
  const schedule = planSchedule(draft.timing, now)
  if (!schedule.ok) throw new Error('the schedule of a test was refused')
  const plan = planNotification(draft, schedule.value, await factsOf(database, brandId, draft))
  if (!plan.ok) throw new Error(`a notification of a test was refused: ${plan.rejection.faults[0].message}`)
  const id = randomUUIDv7()
  await database.asBrand(brandId, async (tx) =>
    saveNotifications(tx, brandId, [{ id, draft, plan: plan.value, now, journey: null }]),
  )
  database.notify(draft.target.kind === 'one' ? 'send' : 'plan')
  return id
}

export async function report(
  database: Database,
  notification: { readonly brandId: number; readonly id: string },
): Promise<NotificationReport> {
  const found = await loadNotification(database, notification)
  if (found === null) throw new Error('the notification of a test is gone')
  return found
}

type Counts = Pick<
  NotificationReport,
  'audience' | 'accepted' | 'failed' | 'expired' | 'cancelled' | 'pending'
>

/** The counts of a report. The audience is the sum of the others. */
export function countsOf(found: NotificationReport): Counts {
  const { audience, accepted, failed, expired, cancelled, pending } = found
  return { audience, accepted, failed, expired, cancelled, pending }
}

/** The counts that a test expects; a count that is not given is 0. */
export function expectedCounts(counts: Partial<Counts>): Counts {
  return { audience: 0, accepted: 0, failed: 0, expired: 0, cancelled: 0, pending: 0, ...counts }
}

async function factsOf(database: Database, brandId: number, draft: Draft): Promise<AudienceFacts> {
  const { target, platform, tag, reachesVirtual } = draft
  if (target.kind === 'one') {
    const { keys } = target
    const found = (await loadTargetFacts(database, brandId, [{ platform, keys }])).get(keys)
    if (found === undefined) throw new Error('the target of a test was not looked up')
    return { kind: 'one', keys, found }
  }
  if (target.kind === 'person' || target.kind === 'campaign') return target
  const filter =
    target.kind === 'all' ? null : await loadFilter(database, { brandId, segmentId: target.segmentId })
  const audience = await countAudience(database, { brandId, platform, tag, filter, reachesVirtual })
  return { ...target, audience }
}
