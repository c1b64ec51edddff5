import { payloadFaults } from '../../domain/push/sample.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import { accept, type Rejection, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
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
import { blameTemplate, loadContentSource, resolveFields } from '../templates/resolve.ts'
import { parsePushBody } from './body.ts'
import { replyDryRun } from './dry-run.ts'
import { type PushAddress, pushRules } from './field-rules.ts'
import { audienceWarnings, renderAccepted } from './view.ts'

/** POST /api/v1/{platform}/send, …/broadcast/all and …/broadcast/segment: all nine are this. */
export async function acceptPush(deps: Deps, request: TenantRequest, address: PushAddress): Promise<Reply> {
  const parsed = await resolvePush(deps, request, address)
  if (!parsed.ok) return refuseOnce(deps, request, parsed.rejection)
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

/**
 * A template may be archived after a push was accepted with it. The same request under the same Idempotency-Key still
 * gets its first reply.
 */
async function refuseOnce(deps: Deps, request: TenantRequest, rejection: Rejection): Promise<Reply> {
  if (rejection.faults[0].code !== 'template_not_found') return refuse(rejection)
  return replyOnce(deps, request, async () => refuse(rejection))
}

/** The push that a request asks for, with the content of its template and snippets. */
export async function resolvePush(
  deps: Deps,
  request: Pick<TenantRequest, 'caller' | 'body'>,
  address: PushAddress,
): Promise<Result<Push>> {
  const { body, caller } = request
  if (!isJsonObject(body)) return parsePush(deps, request, address)
  const source = await loadContentSource(
    async (work) => deps.database.asBrand(caller.brandId, work),
    caller.brandId,
    [body],
  )
  const resolved = resolveFields(source, body)
  if (!resolved.ok) return resolved
  const { fields, filled } = resolved.value
  const { bySpelling } = pushRules(address)
  // A template serves every platform, so a field that this one lacks is left out without a warning.
  const taken = Object.entries(fields).filter(
    ([name]) => !filled.has(name) || bySpelling.get(name)?.use !== 'ignored',
  )
  const parsed = parsePush(deps, { caller, body: Object.fromEntries(taken) }, address)
  if (parsed.ok) return parsed
  return { ok: false, rejection: blameTemplate(resolved.value, parsed.rejection, address.platform) }
}

/** The push of a body that is resolved; its targets are not looked up yet. */
function parsePush(
  deps: Deps,
  { caller, body }: Pick<TenantRequest, 'caller' | 'body'>,
  address: PushAddress,
): Result<Push> {
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
