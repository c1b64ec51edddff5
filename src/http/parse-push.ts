import type { Draft } from '../domain/notification.ts'
import { payloadFault } from '../domain/payload.ts'
import { accept, type Result, reject } from '../domain/result.ts'
import { sampleMessage, strangerScope } from '../domain/sample.ts'
import { planSchedule } from '../domain/schedule.ts'
import type { Deps } from './deps.ts'
import type { Push } from './push-plan.ts'
import type { TenantRequest } from './request.ts'
import { parsePushBody } from './wire/push-body.ts'
import type { PushAddress } from './wire/push-rules.ts'

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
