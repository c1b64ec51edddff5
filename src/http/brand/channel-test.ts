import { fault } from '../../domain/fault.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'

export const TEST_BODY = Type.Object({
  subscription_id: Type.String({ minLength: 1, maxLength: 100, description: 'The device to send to.' }),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 70 })),
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 130 })),
})

export const TEST_REPLY = Type.Object({
  test: Type.Object({
    verdict: Type.Enum(['accepted', 'gone', 'refused', 'retry', 'paused', 'unknown']),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'In the words of the provider.' }),
  }),
})

/** POST /api/v1/brand/channels/{platform}/test: nothing is stored, retired or paused by it. */
export async function testChannel(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const parsed = parseBody(TEST_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { subscription_id: subscriptionId, title = 'Test', message = 'It works.' } = parsed.value.value
  const { brandId } = request.caller
  const tested = await deps.testSend({ brandId, platform, subscriptionId, title, body: message })
  if (tested.kind === 'no_subscription') return refuse({ faults: [fault('subscription_not_found')] })
  if (tested.kind === 'no_channel') return refuse({ faults: [fault('channel_missing', null, { platform })] })
  const { verdict } = tested
  const reason = verdict.kind === 'accepted' ? null : verdict.reason
  return replySuccess({ test: { verdict: verdict.kind, reason } }, { warnings: parsed.value.warnings })
}
