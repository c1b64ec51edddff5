import { randomBytes } from 'node:crypto'
import type { Platform } from '../../src/rules/platforms.ts'
import { Subscriptions } from '../../src/sandbox/webpush/subscriptions.ts'
import type { SeedDevice } from '../../test/support/subscriptions/subscriptions.ts'

/** What makes browsers that a sandbox knows: its seed and address, and the key of the brand that they are bound to. */
export type Browsers = { readonly seed: Buffer; readonly origin: string; readonly vapidKey: string }

/** Devices with addresses of the form that their platform gives out. */
export function devicesOf(
  platform: Platform,
  count: number,
  { seed, origin, vapidKey }: Browsers,
): readonly SeedDevice[] {
  const known = new Subscriptions(seed)
  const make: Readonly<Record<Platform, () => SeedDevice>> = {
    android: androidDevice,
    ios: () => ({ address: randomBytes(32).toString('hex') }),
    web: () => {
      const { endpoint, keys } = known.make(origin, vapidKey)
      return { address: endpoint, ...keys }
    },
  }
  return Array.from({ length: count }, make[platform])
}

export function androidDevice(): SeedDevice {
  const [instance, secret] = [randomBytes(16), randomBytes(100)].map((bytes) => bytes.toString('base64url'))
  return { address: `${instance}:APA91b${secret}` }
}
