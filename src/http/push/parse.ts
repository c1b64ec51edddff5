import type { Draft } from '../../domain/push/notification.ts'
import { payloadFault } from '../../domain/push/payload.ts'
import { sampleMessage, strangerScope } from '../../domain/push/sample.ts'
import { planSchedule } from '../../domain/push/schedule.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { Push } from '../../intake/push/plan.ts'
import type { Deps } from '../deps.ts'
import type { TenantRequest } from '../request.ts'
import { parsePushBody } from './body.ts'
import type { PushAddress } from './field-rules.ts'

/** What a request to push asks for, as far as its own words can tell. */
export function parsePush(deps: Deps, { caller, body }: TenantRequest, address: PushAddress): Result<Push> {
  const parsed = parsePushBody(address, body)
  if (!parsed.ok) return parsed
  const { draft, warnings } = parsed.value
  const now = deps.clock.now()
  const schedule = planSchedule(draft.timing, now)
  if (!schedule.ok) return schedule
  const fits = checkPayload(deps, draft, now)
  if (!fits.ok) return fits
  return accept({ brandId: caller.brandId, draft, schedule: schedule.value, warnings, now, journey: null })
}

/** What is personal is measured for a stranger; a person's longer text is cut when it is sent. */
function checkPayload(
  { renderPayload }: Deps,
  { platform, content, callerNotificationId }: Draft,
  now: number,
): Result<null> {
  const message = sampleMessage({ platform, content, callerNotificationId, scope: strangerScope(now) })
  if (message === null) return accept(null)
  const fault = payloadFault(platform, renderPayload(platform, message).bytes)
  return fault === null ? accept(null) : reject(fault)
}
