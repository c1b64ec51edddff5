import { sandboxClient } from '../delivery/sandbox/client.ts'
import { sandboxFinder } from '../delivery/sandbox/file.ts'
import { DEMO_USER } from '../rules/brand.ts'
import { loadBrand } from '../store/brand/brands.ts'
import type { Database } from '../store/db.ts'
import { saveRegistrations } from '../store/subscriptions/registrations.ts'
import type { NewBrand } from './first-brand.ts'

/**
 * Registers a device of the sandbox for the demo brand, so that a push can be sent right after the first start. The API is
 * not called for it, because its lines in the log would stand above the banner. False when the sandbox is switched off.
 */
export async function registerDemoDevice(
  database: Database,
  { dataDir, brand }: { readonly dataDir: string; readonly brand: NewBrand },
): Promise<boolean> {
  const made = await sandboxClient(sandboxFinder(dataDir)).newDevice('android', null)
  const found = await loadBrand(database, brand.brandId)
  if (found === null || made === null || !('token' in made) || typeof made.token !== 'string') return false
  const registration = {
    device: { kind: 'android', token: made.token },
    subscriptionId: null,
    userId: DEMO_USER,
    deviceId: null,
    tags: null,
    facts: NO_FACTS,
  } as const
  const batch = {
    brandId: found.id,
    registrations: [registration],
    now: Date.now(),
    source: 'device',
  } as const
  const [outcome] = await database.asSystem(found.id, async (tx) => saveRegistrations(tx, batch))
  return outcome?.kind === 'new'
}

const NO_FACTS = { timeZone: null, language: null, browser: null, appVersion: null } as const
