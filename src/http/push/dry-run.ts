import { contentsByPath } from '../../domain/push/alternatives.ts'
import { type Content, saysNothing } from '../../domain/push/message.ts'
import type { Draft, NotificationPlan } from '../../domain/push/notification.ts'
import { sampleMessage, scopeOf, strangerScope } from '../../domain/push/sample.ts'
import { namesInContent } from '../../domain/push/template-names.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { type Push, planPushes } from '../../intake/push/plan.ts'
import type { Platform } from '../../rules/platforms.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { loadFilter } from '../../store/push/audience.ts'
import type { AudienceQuery } from '../../store/push/audience-sql.ts'
import type { Recipient } from '../../store/push/recipient.ts'
import { loadPersonSample, loadSampleRecipient, type SampleRecipient } from '../../store/push/recipients.ts'
import { findUnusedNames } from '../../store/segments/known-names.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { type Sample, sampleLanguages } from './language-samples.ts'
import { audienceWarnings, renderAccepted } from './view.ts'

/**
 * Checks everything, and shows what the first of the audience would get. Nothing is stored. The audience is that of
 * now, whatever the schedule says.
 */
export async function replyDryRun(deps: Deps, push: Push): Promise<Reply> {
  const { brandId, schedule, warnings } = push
  const asOfNow = { ...push, schedule: { ...schedule, isDue: true, wall: null } }
  const [planned] = await deps.database.asBrand(brandId, async (tx) =>
    planPushes(deps.database, tx, brandId, [asOfNow]),
  )
  if (planned === undefined) throw new Error('a push was planned without an outcome')
  if (!planned.ok) return refuse(planned.rejection)

  const { plan, push: complete } = planned.value
  const { draft } = complete
  const query = await audienceOf(deps, push)
  const recipient = await loadSampleRecipient(deps.database, query, plan.recipients)
  const render = (content: Content): Sample =>
    renderSample(deps, { ...complete, draft: { ...draft, content } }, recipient)
  const question = { query, ids: plan.recipients, draft, recipient }
  const samples = await sampleLanguages(deps, question, render)
  const { payload, flaws } = render(samples.content)
  const names = await templateWarnings(deps, push.brandId, draft)
  const { audience } = plan
  const state = schedule.isDue ? 'queued' : 'scheduled'
  const notification = renderAccepted({ id: null, draft, plan: { state, sendAt: schedule.sendAt, audience } })
  return replySuccess(
    { dry_run: true, notification, payload, ...samples.fields },
    {
      processed: 0,
      warnings: [...warnings, ...flaws, ...samples.flaws, ...audienceWarnings(plan), ...names],
    },
  )
}

/** Warnings about names in the templates that are empty for everybody. */
export async function templateWarnings(
  { database }: Deps,
  brandId: number,
  { content, alternatives }: Pick<Draft, 'content' | 'alternatives'>,
): Promise<readonly Warning[]> {
  const names = contentsByPath(content, alternatives).flatMap(([path, own]) =>
    namesInContent(own).map((name) => ({ ...name, field: `${path}${name.field}` })),
  )
  const attributes = names.flatMap((name) =>
    name.kind === 'attribute' ? [{ ...name, eventName: '', path: name.field }] : [],
  )
  const unused = await database.asBrand(brandId, async (tx) => findUnusedNames(tx, brandId, attributes))
  const never = unused.flatMap((name) => {
    if (name.kind !== 'attribute') return []
    return [{ field: name.path, name: `user.${name.attribute}`, detail: 'no person has had so far' }]
  })
  const unknown = names.flatMap((name) => (name.kind === 'unknown' ? [name] : []))
  return [...never, ...unknown]
    .slice(0, PUSH_LIMITS.warningsMax)
    .map(({ field, name, detail }) => warning('unknown_variable', field, { name, detail }))
}

/** The first of the audience, for whom a sample is rendered. */
export async function loadSample(
  deps: Deps,
  push: Push,
  { recipients }: NotificationPlan,
): Promise<Recipient | null> {
  return loadSampleRecipient(deps.database, await audienceOf(deps, push), recipients)
}

/** The person of that user id on a platform; the first of the audience when none is named. */
export async function loadSampleOf(
  { database }: Deps,
  query: AudienceQuery & { readonly platform: Platform },
  userId: string | null,
): Promise<SampleRecipient | null> {
  if (userId === null) return loadSampleRecipient(database, query, null)
  return loadPersonSample(database, { brandId: query.brandId, platform: query.platform, userId })
}

async function audienceOf({ database }: Deps, { brandId, draft }: Push): Promise<AudienceQuery> {
  const { platform, tag, target } = draft
  const filter =
    target.kind === 'segment' ? await loadFilter(database, { brandId, segmentId: target.segmentId }) : null
  const isToOne = target.kind === 'one' || target.kind === 'person'
  return { brandId, platform, tag, filter, reachesVirtual: isToOne || draft.reachesVirtual }
}

type SampleDraft = {
  readonly draft: Pick<Draft, 'platform' | 'content' | 'callerNotificationId'>
  readonly now: number
}

/** Null where nothing would be sent, with the reason. */
export function renderSample(
  { renderPayload }: Deps,
  { draft, now }: SampleDraft,
  recipient: SampleRecipient | null,
): Sample {
  const { platform, content, callerNotificationId } = draft
  const scope = recipient === null ? strangerScope(now) : scopeOf(recipient, platform, now)
  const message = sampleMessage({ platform, content, callerNotificationId, scope })
  if (message === null) return { ...NOTHING, flaws: [warning('text_unrendered', 'message')] }
  if (saysNothing(message)) return { ...NOTHING, flaws: [warning('text_empty', 'message')] }
  return { payload: renderPayload(platform, message).show(), message, flaws: [] }
}

const NOTHING = { payload: null, message: null } as const
