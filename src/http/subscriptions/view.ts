import { PLATFORM_NAMES, PLATFORMS } from '../../rules/platforms.ts'
import { APNS_ENVIRONMENTS, SUBSCRIPTION_STATE_NAMES } from '../../rules/subscriptions.ts'
import type { Subscription } from '../../store/subscriptions/subscriptions.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'

/** A subscription as replies show it. The token or endpoint is not among it: who holds it can push to the device. */
export function renderSubscription(subscription: Subscription): object {
  const { platform, registeredAt } = subscription
  const { deviceField } = PLATFORMS[platform]
  return {
    subscription_id: subscription.subscriptionId,
    platform,
    user_id: subscription.userId,
    ...(deviceField === null ? {} : { [deviceField]: subscription.deviceId }),
    ...(platform === 'ios' ? { environment: subscription.environment } : {}),
    tags: subscription.tags,
    opt_outs: Object.keys(subscription.optOuts),
    time_zone: subscription.timeZone,
    language: subscription.language,
    browser: subscription.browser,
    app_version: subscription.appVersion,
    is_virtual: subscription.isVirtual,
    state: subscription.state,
    state_reason: subscription.stateReason,
    state_since: instantOf(subscription.stateSince),
    created_at: instantOf(subscription.createdAt),
    registered_at: registeredAt < HEARD_SINCE ? null : instantOf(registeredAt),
    updated_at: instantOf(subscription.updatedAt),
  }
}

/** A device that only lists speak of has registered at about 0. */
const HEARD_SINCE = Date.UTC(1971, 0)

export const SUBSCRIPTION_VIEW = Type.Object({
  subscription_id: Type.String(),
  platform: Type.Enum([...PLATFORM_NAMES]),
  user_id: TEXT_OR_NULL,
  android_id: Type.Optional(TEXT_OR_NULL),
  ios_ifv: Type.Optional(TEXT_OR_NULL),
  environment: Type.Optional(Type.Enum([...APNS_ENVIRONMENTS])),
  tags: Type.Array(Type.String()),
  opt_outs: Type.Array(Type.String(), {
    description: 'The topics that this device opted out of, beside those of its person.',
  }),
  time_zone: TEXT_OR_NULL,
  language: TEXT_OR_NULL,
  browser: TEXT_OR_NULL,
  app_version: TEXT_OR_NULL,
  is_virtual: Type.Boolean({
    description:
      'Whether it is a virtual device: its messages go to the sandbox, and audiences leave it out.',
  }),
  state: Type.Enum([...SUBSCRIPTION_STATE_NAMES]),
  state_reason: TEXT_OR_NULL,
  state_since: INSTANT,
  created_at: INSTANT,
  registered_at: Type.Union([INSTANT, Type.Null()], {
    description: 'When the device last registered; null if it was only imported.',
  }),
  updated_at: INSTANT,
})
