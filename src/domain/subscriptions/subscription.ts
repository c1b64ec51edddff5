import { type ApnsEnvironment, SUBSCRIPTION_LIMITS } from '../../rules/subscriptions.ts'
import type { VirtualKind } from '../../rules/virtual-devices.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'

/** The address of one device at its provider. The token or the endpoint identifies the device. */
export type Device =
  | { readonly kind: 'android'; readonly token: string }
  | { readonly kind: 'ios'; readonly token: string; readonly environment: ApnsEnvironment }
  /** The keys are base64url without padding. */
  | { readonly kind: 'web'; readonly endpoint: string; readonly p256dh: string; readonly auth: string }

/** The facts that a device may report about itself. */
export type DeviceFacts = {
  readonly timeZone: string | null
  readonly language: string | null
  readonly browser: string | null
  readonly appVersion: string | null
}

/** A registration of a device. A field that is null was not given, and keeps its stored value. */
export type Registration = {
  readonly device: Device
  readonly subscriptionId: string | null
  readonly userId: string | null
  /** `android_id` or `ios_ifv`. */
  readonly deviceId: string | null
  readonly tags: readonly string[] | null
  readonly facts: DeviceFacts
  /** Only for a virtual device, which nobody but its own endpoint registers. */
  readonly virtual?: VirtualFacts
}

/** The looks of a virtual device. */
export type VirtualFacts = { readonly kind: VirtualKind; readonly name: string }

/** A change of a subscription. An absent field stays as it is; null takes its value away. */
export type SubscriptionChange = {
  /** Null logs the device out: it stays subscribed and belongs to nobody. */
  readonly userId?: string | null
  readonly tags?: TagChange
  readonly facts: Partial<DeviceFacts>
}

export type TagChange =
  | { readonly kind: 'set'; readonly tags: readonly string[] }
  | { readonly kind: 'edit'; readonly add: readonly string[]; readonly remove: readonly string[] }

export function changeTags(tags: readonly string[], change: TagChange): Result<readonly string[]> {
  if (change.kind === 'set') return accept(change.tags)
  const removed = new Set(change.remove)
  const changed = [...new Set([...tags.filter((tag) => !removed.has(tag)), ...change.add])]
  // A person may have more tags through imported lists; then tags can still be removed.
  if (changed.length <= Math.max(SUBSCRIPTION_LIMITS.tagsMax, tags.length)) return accept(changed)
  return reject(
    fault('field_too_long', 'tags', {
      max: SUBSCRIPTION_LIMITS.tagsMax,
      unit: 'items',
      actual: changed.length,
    }),
  )
}
