import {
  type AudienceFacts,
  type Draft,
  type NotificationPlan,
  planNotification,
} from '../domain/notification.ts'
import { payloadFault } from '../domain/payload.ts'
import { accept, type Result, reject } from '../domain/result.ts'
import { sampleMessage, strangerScope } from '../domain/sample.ts'
import { planSchedule, type Schedule } from '../domain/schedule.ts'
import type { TargetFacts, TargetKeys } from '../domain/target.ts'
import { unreachable } from '../domain/unreachable.ts'
import type { Warning } from '../domain/warning.ts'
import { countAudience, hasSegment, loadFilter } from '../store/audience.ts'
import type { Db } from '../store/db.ts'
import { loadTargetFacts, type TargetQuery } from '../store/targets.ts'
import type { Deps } from './deps.ts'
import type { TenantRequest } from './request.ts'
import { parsePushBody } from './wire/push-body.ts'
import type { PushAddress } from './wire/push-rules.ts'

/** A request of which everything is known that its own words can tell. */
export type Push = {
  readonly brandId: number
  readonly draft: Draft
  readonly schedule: Schedule
  readonly warnings: readonly Warning[]
  readonly now: number
}

export type PlannedPush = { readonly push: Push; readonly plan: NotificationPlan }

export function parsePush(deps: Deps, { caller, body }: TenantRequest, address: PushAddress): Result<Push> {
  const parsed = parsePushBody(address, body)
  if (!parsed.ok) return parsed
  const { draft, warnings } = parsed.value
  const now = deps.clock.now()
  const schedule = planSchedule(draft.timing, now)
  if (!schedule.ok) return schedule
  const fits = checkPayload(deps, draft, now)
  if (!fits.ok) return fits
  return accept({ brandId: caller.brandId, draft, schedule: schedule.value, warnings, now })
}

/** What is personal is measured for a stranger; a person's longer text is cut when it is sent. */
function checkPayload(
  { renderPayload }: Deps,
  { platform, content, notificationId }: Draft,
  now: number,
): Result<null> {
  const message = sampleMessage({ platform, content, notificationId, scope: strangerScope(now) })
  if (message === null) return accept(null)
  const fault = payloadFault(platform, renderPayload(platform, message).bytes)
  return fault === null ? accept(null) : reject(fault)
}

/**
 * Loads what the store knows of the targets, and decides on each push. Sends are looked up all together; a broadcast
 * counts its audience by itself.
 */
export async function planPushes(
  deps: Pick<Deps, 'database'>,
  tx: Db,
  brandId: number,
  pushes: readonly Push[],
): Promise<readonly Result<PlannedPush>[]> {
  const targets = await loadTargetFacts(tx, brandId, pushes.flatMap(targetQueries))
  const planned: Result<PlannedPush>[] = []
  for (const push of pushes) {
    const facts = await loadFacts(deps, tx, push, targets)
    const plan = planNotification(push.draft, push.schedule, facts)
    planned.push(plan.ok ? accept({ push, plan: plan.value }) : plan)
  }
  return planned
}

function targetQueries({ draft: { platform, target } }: Push): readonly TargetQuery[] {
  return target.kind === 'one' ? [{ platform, keys: target.keys }] : []
}

/** Audiences are counted as the engine: row-level security would keep them from their indexes (decision 0003). */
async function loadFacts(
  { database }: Pick<Deps, 'database'>,
  tx: Db,
  { brandId, draft, schedule }: Push,
  targets: ReadonlyMap<TargetKeys, TargetFacts>,
): Promise<AudienceFacts> {
  const { target, platform, tag } = draft
  const isCounted = schedule.isDue && schedule.wall === null
  switch (target.kind) {
    case 'one': {
      const { keys } = target
      return { kind: 'one', keys, found: targets.get(keys) ?? NOTHING_FOUND }
    }
    case 'all': {
      const query = { brandId, platform, tag, filter: null }
      return { kind: 'all', audience: isCounted ? await countAudience(database, query) : null }
    }
    case 'segment': {
      const { segmentId } = target
      if (!(await hasSegment(tx, { brandId, segmentId }))) return { kind: 'unknown_segment', segmentId }
      if (!isCounted) return { kind: 'segment', segmentId, audience: null }
      const filter = await loadFilter(tx, { brandId, segmentId })
      const audience = await countAudience(database, { brandId, platform, tag, filter })
      return { kind: 'segment', segmentId, audience }
    }
    default:
      return unreachable(target)
  }
}

const NOTHING_FOUND: TargetFacts = { userProfileId: null, eitherProfileId: null, candidates: [] }
