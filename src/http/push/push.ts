import { payloadFaults } from '../../domain/push/sample.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import type { Push } from '../../intake/push/plan.ts'
import type { Db } from '../../store/db.ts'
import type { ReplySubject } from '../../store/idempotency.ts'
import { isTagUsed } from '../../store/push/audience.ts'
import type { NewNotification } from '../../store/push/notifications.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parsePushBody } from './body.ts'
import { replyDryRun } from './dry-run.ts'
import type { PushAddress } from './field-rules.ts'
import { audienceWarnings, renderAccepted } from './view.ts'

/** POST /api/v1/{platform}/send, …/broadcast/all and …/broadcast/segment: all nine are this. */
export async function acceptPush(deps: Deps, request: TenantRequest, address: PushAddress): Promise<Reply> {
  const parsed = parsePush(deps, request, address)
  if (!parsed.ok) return refuse(parsed.rejection)
  const push = await withStoredWarnings(deps, parsed.value)
  if (push.draft.isDryRun) return replyDryRun(deps, push)

  const isForOne = push.draft.target.kind === 'one'
  const warnings = [...push.warnings, ...(await deps.pushWarnings.forHold())]
  const reply =
    isForOne && request.idempotency === null
      ? replyAccepted(await deps.pushes.submit(push), warnings)
      : await acceptOnce(deps, request, { ...push, warnings })
  if (reply.status === 200) deps.database.notify(isForOne ? 'send' : 'plan')
  return reply
}

/** Accepts a push in one transaction with its Idempotency-Key. */
async function acceptOnce(deps: Deps, request: TenantRequest, push: Push): Promise<Reply> {
  let about: ReplySubject | null = null
  const save = async (tx: Db): Promise<Reply> => {
    const accepted = await deps.pushes.acceptIn(tx, push)
    if (accepted.ok) about = subjectOf(accepted.value)
    return replyAccepted(accepted, push.warnings)
  }
  return replyOnce(deps, request, save, { about: () => about })
}

function subjectOf({ plan: { lasting } }: NewNotification): ReplySubject | null {
  if (lasting === null) return null
  return { profileId: lasting.profileId, subscriptionId: lasting.subscriptionIds?.[0] ?? null }
}

/** The push that a request asks for; its targets are not looked up yet. */
function parsePush(deps: Deps, { caller, body }: TenantRequest, address: PushAddress): Result<Push> {
  const parsed = parsePushBody(address, body)
  if (!parsed.ok) return parsed
  const { draft, warnings } = parsed.value
  const now = deps.clock.now()
  const schedule = planSchedule(draft.timing, now)
  if (!schedule.ok) return schedule
  const [tooLarge, ...others] = payloadFaults({ ...draft, now }, deps.renderPayload)
  if (tooLarge !== undefined) return reject(tooLarge, ...others)
  return accept({ brandId: caller.brandId, draft, schedule: schedule.value, warnings, now, journey: null })
}

/** Adds the warnings that need a look at what is stored. */
async function withStoredWarnings({ pushWarnings, database }: Deps, push: Push): Promise<Push> {
  const { brandId, draft, warnings } = push
  const { platform, tag } = draft
  const channel = await pushWarnings.forChannel({ brandId, platform })
  const isTagUnknown = tag !== null && !(await isTagUsed(database, { brandId, tag }))
  const more = [...channel, ...(isTagUnknown ? [warning('unknown_tag', 'tag')] : [])]
  return more.length === 0 ? push : { ...push, warnings: [...warnings, ...more] }
}

function replyAccepted(accepted: Result<NewNotification>, warnings: readonly Warning[]): Reply {
  if (!accepted.ok) return refuse(accepted.rejection)
  const more = audienceWarnings(accepted.value.plan)
  return replySuccess({ notification: renderAccepted(accepted.value) }, { warnings: [...warnings, ...more] })
}
