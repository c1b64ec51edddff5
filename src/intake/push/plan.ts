import { fault } from '../../domain/fault.ts'
import { mapContents } from '../../domain/push/alternatives.ts'
import { type Content, withSound } from '../../domain/push/message.ts'
import {
  type AudienceFacts,
  type Draft,
  isCountedAtOnce,
  type NotificationPlan,
  planNotification,
} from '../../domain/push/notification.ts'
import type { Schedule } from '../../domain/push/schedule.ts'
import type { TargetFacts, TargetKeys } from '../../domain/push/target.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import type { Warning } from '../../domain/warning.ts'
import { TRANSACTIONAL } from '../../rules/topics.ts'
import { loadDefaultSound } from '../../store/brand/brands.ts'
import type { Database, Db } from '../../store/db.ts'
import { findUnknownTopics } from '../../store/preferences/topics.ts'
import { countAudience, hasSegment, loadFilter } from '../../store/push/audience.ts'
import type { CampaignOrigin, JourneyOrigin } from '../../store/push/notifications.ts'
import { loadTargetFacts, type TargetQuery } from '../../store/push/targets.ts'

/** A push that was parsed and scheduled; its targets are not looked up yet. */
export type Push = {
  readonly brandId: number
  readonly draft: Draft
  readonly schedule: Schedule
  readonly warnings: readonly Warning[]
  readonly now: number
  /** The journey step that asks for it; null for a request of a caller. */
  readonly journey: JourneyOrigin | null
  /** The campaign that asks for it; absent for everything else. */
  readonly campaign?: CampaignOrigin
}

export type PlannedPush = { readonly push: Push; readonly plan: NotificationPlan }

/**
 * Loads what the store knows of the targets, and decides on each push. Sends are looked up all together; a broadcast
 * counts its audience by itself.
 */
export async function planPushes(
  database: Database,
  tx: Db,
  brandId: number,
  pushes: readonly Push[],
): Promise<readonly Result<PlannedPush>[]> {
  const targets = await loadTargetFacts(tx, brandId, pushes.flatMap(targetQueries))
  const defaultSound = await loadDefaultSound(tx, brandId)
  const unknownTopics = await findUnknownTopics(tx, brandId, pushes.flatMap(askedTopics))
  const planned: Result<PlannedPush>[] = []
  for (const given of pushes) {
    const push = withDefaultSound(given, defaultSound)
    const stray = askedTopics(push).find((topic) => unknownTopics.has(topic))
    if (stray !== undefined) {
      planned.push(reject(fault('topic_unknown', 'topic', { topic: stray })))
      continue
    }
    const facts = await loadFacts(database, tx, push, targets)
    const plan = planNotification(push.draft, push.schedule, facts)
    planned.push(plan.ok ? accept({ push, plan: plan.value }) : plan)
  }
  return planned
}

/** The topics to look up. A journey's were looked up when it was saved, and it goes on when one is archived. */
function askedTopics({ draft: { topic }, journey }: Push): readonly string[] {
  return topic === null || topic === TRANSACTIONAL || journey !== null ? [] : [topic]
}

function withDefaultSound(push: Push, defaultSound: string | null): Push {
  const { content, alternatives } = push.draft
  const sounding = (one: Content): Content => withSound(one, defaultSound)
  const all = alternatives === null ? null : mapContents(alternatives, sounding)
  return { ...push, draft: { ...push.draft, content: sounding(content), alternatives: all } }
}

function targetQueries({ draft: { platform, target } }: Push): readonly TargetQuery[] {
  return target.kind === 'one' ? [{ platform, keys: target.keys }] : []
}

/** Audiences are counted as the engine: row-level security would keep them from their indexes (decision 0003). */
async function loadFacts(
  database: Database,
  tx: Db,
  { brandId, draft, schedule }: Push,
  targets: ReadonlyMap<TargetKeys, TargetFacts>,
): Promise<AudienceFacts> {
  const { target, platform, tag, reachesVirtual } = draft
  const isCounted = isCountedAtOnce(schedule)
  switch (target.kind) {
    case 'one': {
      const { keys } = target
      return { kind: 'one', keys, found: targets.get(keys) ?? NOTHING_FOUND }
    }
    case 'person':
    case 'campaign':
      return target
    case 'all': {
      const query = { brandId, platform, tag, filter: null, reachesVirtual }
      return { kind: 'all', audience: isCounted ? await countAudience(database, query) : null }
    }
    case 'segment': {
      const { segmentId } = target
      if (!(await hasSegment(tx, { brandId, segmentId }))) return { kind: 'unknown_segment', segmentId }
      if (!isCounted) return { kind: 'segment', segmentId, audience: null }
      const filter = await loadFilter(tx, { brandId, segmentId })
      const query = { brandId, platform, tag, filter, reachesVirtual }
      const audience = await countAudience(database, query)
      return { kind: 'segment', segmentId, audience }
    }
    default:
      return unreachable(target)
  }
}

const NOTHING_FOUND: TargetFacts = { userProfileId: null, eitherProfileId: null, candidates: [] }
