import { type Fault, fault } from '../fault.ts'
import type { Device, Registration } from './subscription.ts'

/** The keys of a stored subscription. No two subscriptions of a brand share one of them. */
export type KnownDevice = {
  readonly id: bigint
  readonly subscriptionId: string
  readonly platform: string
  readonly address: string
  readonly deviceId: string | null
  readonly isVirtual: boolean
}

/** A registration and its position in the request. */
export type Waiting = { readonly at: number; readonly registration: Registration }

/** The row of one registration: `id` is the stored subscription that it changes, or null for a new one. */
export type Placement = Waiting & { readonly id: bigint | null }

type RegistrationPlan = {
  readonly placed: readonly Placement[]
  /** Subscriptions that are the same device as another one, which stays. */
  readonly removed: readonly bigint[]
  readonly refused: readonly { readonly at: number; readonly fault: Fault }[]
  /** Registrations that share a key with an earlier one, and must wait until that one is stored. */
  readonly later: readonly Waiting[]
}

/** The address of a device: its token, or its push endpoint. */
export function addressOf(device: Device): string {
  return device.kind === 'web' ? device.endpoint : device.token
}

/** The keys that a registration gives its device. A transaction that writes a key must lock it first. */
export function keysOf({ subscriptionId, deviceId, device }: Registration): readonly string[] {
  const platform = device.kind
  const keys = [addressKey({ platform, address: addressOf(device) })]
  if (deviceId !== null) keys.push(deviceKey({ platform, deviceId }))
  if (subscriptionId !== null) keys.push(publicKey(subscriptionId))
  return keys
}

/**
 * Finds the subscription of each registration. One device is one row: a registration may find up to three rows, by its
 * public id, its device id and its address. They are the same device then; the first stays and the others are removed
 * (decisions §6). A registration that shares a key or a row with an earlier one waits, even if the earlier one waits
 * itself, so that storing all together has the result of storing them one by one.
 */
export function planRegistrations(
  waiting: readonly Waiting[],
  known: readonly KnownDevice[],
): RegistrationPlan {
  const byKey = new Map(known.flatMap((device) => namesOf(device).map((name) => [name, device] as const)))
  const claimed = new Set<bigint | string>()
  const placed: Placement[] = []
  const removed: bigint[] = []
  const refused: { at: number; fault: Fault }[] = []
  const later: Waiting[] = []
  for (const { at, registration } of waiting) {
    const found = findDevices(registration, byKey)
    const claims = [...keysOf(registration), ...found.map(({ id }) => id)]
    const isFree = claims.every((claim) => !claimed.has(claim))
    for (const claim of claims) claimed.add(claim)
    if (!isFree) {
      later.push({ at, registration })
      continue
    }
    const stranger = found.find(({ platform }) => platform !== registration.device.kind)
    if (stranger !== undefined) {
      refused.push({ at, fault: otherPlatform(stranger.platform) })
      continue
    }
    if (found.some(({ isVirtual }) => isVirtual)) {
      refused.push({ at, fault: VIRTUAL_TAKEN })
      continue
    }
    const [first, ...others] = found
    removed.push(...others.map(({ id }) => id))
    placed.push({ at, registration, id: first?.id ?? null })
  }
  return { placed, removed, refused, later }
}

/** The subscriptions that a registration finds, each once: by public id, then by device id, then by address. */
function findDevices(
  { subscriptionId, deviceId, device }: Registration,
  byKey: ReadonlyMap<string, KnownDevice>,
): readonly KnownDevice[] {
  const platform = device.kind
  const found = [
    subscriptionId === null ? undefined : byKey.get(publicKey(subscriptionId)),
    deviceId === null ? undefined : byKey.get(deviceKey({ platform, deviceId })),
    byKey.get(addressKey({ platform, address: addressOf(device) })),
  ]
  return [...new Set(found)].filter((known) => known !== undefined)
}

function namesOf({ subscriptionId, platform, deviceId, address }: KnownDevice): readonly string[] {
  const names = [publicKey(subscriptionId), addressKey({ platform, address })]
  return deviceId === null ? names : [...names, deviceKey({ platform, deviceId })]
}

function publicKey(subscriptionId: string): string {
  return `id ${subscriptionId}`
}

function deviceKey({ platform, deviceId }: { readonly platform: string; readonly deviceId: string }): string {
  return `device ${platform} ${deviceId}`
}

function addressKey({ platform, address }: { readonly platform: string; readonly address: string }): string {
  return `address ${platform} ${address}`
}

/** A virtual device would get the address of a real one, and the real one no more messages. */
const VIRTUAL_TAKEN = fault('field_conflict', 'subscription_id', {
  detail: 'it is a virtual device; delete that one first, or use another id',
})

/** A subscription cannot change its platform. */
export function otherPlatform(platform: string): Fault {
  const detail = `the id belongs to a subscription on ${platform}; leave it out, or use another id`
  return fault('field_conflict', 'subscription_id', { detail })
}
