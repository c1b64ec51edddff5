import type { Config } from '../config.ts'
import { sandboxClient } from '../delivery/sandbox/client.ts'
import { sandboxFinder } from '../delivery/sandbox/file.ts'
import type { Device } from '../domain/subscriptions/subscription.ts'
import { isJsonObject } from '../domain/values/json.ts'
import { ensureWebCredential } from '../intake/push/credentials.ts'
import { saveVirtualDevice } from '../intake/subscriptions/virtual-devices.ts'
import { DEMO_USER } from '../rules/brand.ts'
import { DEMO_VIRTUAL_KINDS, VIRTUAL_DEVICES } from '../rules/virtual-devices.ts'
import { createSealer } from '../runtime/secrets/sealed.ts'
import { loadBrand } from '../store/brand/brands.ts'
import type { Database } from '../store/db.ts'
import { loadMoment } from '../store/push/planning.ts'
import type { NewBrand } from './first-brand.ts'
import { loadRoleSecret } from './secret.ts'

type DemoOptions = { readonly config: Config; readonly databaseUrl: string; readonly brand: NewBrand }

/**
 * Makes the virtual devices of the demo brand, so that a push can be sent right after the first start. The API is not
 * called for it, because its lines in the log would stand above the banner. False when the sandbox is switched off.
 */
export async function makeDemoDevices(
  database: Database,
  { config, databaseUrl, brand }: DemoOptions,
): Promise<boolean> {
  const found = await loadBrand(database, brand.brandId)
  if (found === null) return false
  const { id: brandId } = found
  const sandbox = sandboxClient(sandboxFinder(config.dataDir))
  const sealer = createSealer(await loadRoleSecret(config, databaseUrl), config.oldSecrets)
  for (const kind of DEMO_VIRTUAL_KINDS) {
    const { platform, browser, name } = VIRTUAL_DEVICES[kind]
    const device = deviceIn(await sandbox.newDevice(platform, null))
    if (device === null) return false
    const registration = {
      device,
      subscriptionId: null,
      userId: DEMO_USER,
      deviceId: null,
      tags: null,
      facts: { timeZone: null, language: null, browser, appVersion: null },
      virtual: { kind, name },
    }
    const made = await database.asSystem(brandId, async (tx) => {
      const now = await loadMoment(tx)
      if (platform === 'web') await ensureWebCredential({ sealer, clock: { now: () => now } }, tx, brandId)
      return saveVirtualDevice(tx, { brandId, registration, now })
    })
    if (!made.ok) return false
  }
  return true
}

/** The address of a device that the sandbox has made; null if it made none. */
function deviceIn(made: object | null): Device | null {
  const { platform, token, subscription } = fieldsOf(made)
  if (platform === 'android' && typeof token === 'string') return { kind: 'android', token }
  if (platform === 'ios' && typeof token === 'string')
    return { kind: 'ios', token, environment: 'production' }
  const { endpoint, keys } = fieldsOf(subscription)
  const { p256dh, auth } = fieldsOf(keys)
  const isBrowser = typeof endpoint === 'string' && typeof p256dh === 'string' && typeof auth === 'string'
  return isBrowser ? { kind: 'web', endpoint, p256dh, auth } : null
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}
