import type { Config } from '../config.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../domain/brand/api-key.ts'
import { DEMO_BRAND, KEY_KINDS, type KeyKind } from '../rules/brand.ts'
import { StartError } from '../runtime/errors.ts'
import { randomBits } from '../runtime/secrets/crypto.ts'
import { createKey, type EnsuredKey, ensureKey } from '../store/brand/api-keys.ts'
import { ensureBrand, listBrands } from '../store/brand/brands.ts'
import type { Database } from '../store/db.ts'

/** A new brand with its keys, which can be read only now. */
export type NewBrand = {
  readonly brandId: string
  readonly secretKey: string
  readonly publishableKey: string
}

const DEMO = { externalId: DEMO_BRAND, name: 'Demo' } as const

/** Makes sure that the brand and the keys of the settings exist. */
export async function ensureConfiguredBrand(database: Database, config: Config, now: number): Promise<void> {
  const { brandId: externalId, apiKey, publishableKey } = config
  if (externalId === null) return
  const keys = [
    { setting: 'BECKON_API_KEY', kind: 'secret', plaintext: apiKey },
    { setting: 'BECKON_PUBLISHABLE_KEY', kind: 'publishable', plaintext: publishableKey },
  ] as const
  await database.asEngine(async (tx) => {
    const { id: brandId } = await ensureBrand(tx, { externalId, name: externalId, now })
    for (const { setting, kind, plaintext } of keys) {
      if (plaintext === null) continue
      const { scopes } = KEY_KINDS[kind]
      const outcome = await ensureKey(tx, { brandId, kind, plaintext, scopes, label: setting, now })
      const problem = PROBLEMS[outcome]
      if (problem !== null) throw new StartError(`${setting} ${problem}.`)
    }
  })
}

/** A key of the settings must work, so a start with a key that cannot work stops. */
const PROBLEMS: Readonly<Record<EnsuredKey, string | null>> = {
  made: null,
  present: null,
  revoked: 'was revoked: choose a new one',
  taken: 'is already a key of another brand or another kind: choose a new one',
}

/** Creates the demo brand in a database without brands; null when there is a brand. */
export async function ensureDemoBrand(database: Database, now: number): Promise<NewBrand | null> {
  return database.asEngine(async (tx) => {
    if ((await listBrands(tx, { afterId: 0, limit: 1 })).length > 0) return null
    const { id: brandId, isNew } = await ensureBrand(tx, { ...DEMO, now })
    if (!isNew) return null
    const key = async (kind: KeyKind): Promise<string> => {
      const plaintext = newKey(kind)
      const { scopes } = KEY_KINDS[kind]
      await createKey(tx, { brandId, kind, plaintext, scopes, label: 'made at the first start', now })
      return plaintext
    }
    return {
      brandId: DEMO.externalId,
      secretKey: await key('secret'),
      publishableKey: await key('publishable'),
    }
  })
}

export function newKey(kind: KeyKind): string {
  return formatKey(kind, randomBits(KEY_RANDOM_BYTES))
}
