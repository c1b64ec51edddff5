import { type Fault, fault } from '../fault.ts'
import type { Device, Registration } from './subscription.ts'

/** What a stored subscription is found by. No two rows of a brand share one of these. */
export type KnownDevice = {
  readonly id: bigint
  readonly subscriptionId: string
  readonly platform: string
  readonly address: string
  readonly deviceId: string | null
}

/** A registration and where it stood in the request, so that its outcome can be put back in its place. */
export type Waiting = { readonly at: number; readonly registration: Registration }

/** What to do with one registration. `id` is the row that becomes the device, or null when it is a new one. */
export type Placement = Waiting & { readonly id: bigint | null }

type RegistrationPlan = {
  readonly placed: readonly Placement[]
  /** Rows that turned out to be the same device as a placed one. */
  readonly removed: readonly bigint[]
  readonly refused: readonly { readonly at: number; readonly fault: Fault }[]
  /** What meets a registration before it, and takes its turn when that one is stored. */
  readonly later: readonly Waiting[]
}

/** Where a device is reached: its token, or its push endpoint. */
export function addressOf(device: Device): string {
  return device.kind === 'web' ? device.endpoint : device.token
}

/** The names a registration gives its device. Whoever writes one of them must hold its lock. */
export function keysOf({ subscriptionId, deviceId, device }: Registration): readonly string[] {
  const platform = device.kind
  const keys = [addressKey({ platform, address: addressOf(device) })]
  if (deviceId !== null) keys.push(deviceKey({ platform, deviceId }))
  if (subscriptionId !== null) keys.push(publicKey(subscriptionId))
  return keys
}

/**
 * Which row each registration becomes. One device is one row: a registration may find up to three, by its public id,
 * its device id and its address. They are the same device then; the first of them stays and the others go
 * (decisions §6). Whoever shares a name or a row with one before it waits, and whoever shares one with one that waits,
 * so that storing them together comes to the same as storing them one by one.
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
    const [first, ...others] = found
    removed.push(...others.map(({ id }) => id))
    placed.push({ at, registration, id: first?.id ?? null })
  }
  return { placed, removed, refused, later }
}

/** Without repeats, the one that the caller named most surely first. */
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

/** A subscription cannot change its platform. */
export function otherPlatform(platform: string): Fault {
  const detail = `the id belongs to a subscription on ${platform}; leave it out, or use another id`
  return fault('field_conflict', 'subscription_id', { detail })
}
