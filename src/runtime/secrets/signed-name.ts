import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Something of one brand, by an id of letters that stand in an address as they are. */
type BrandName = { readonly brandId: number; readonly id: string }

/** Turns names into signed tokens. A caller with a valid token got it from Beckon. */
type NameSigner = {
  readonly sign: (name: BrandName) => string
  /** The name in a token; null for a token with a wrong signature. */
  readonly open: (token: string) => BrandName | null
}

/** `oldSecrets` are former secrets: devices still have tokens signed with them. */
type NameSecrets = { readonly secret: string; readonly oldSecrets: readonly string[] }

/** A token for one purpose is not valid for another. */
export function createNameSigner(
  { purpose, idChars }: { readonly purpose: string; readonly idChars: number },
  { secret, oldSecrets }: NameSecrets,
): NameSigner {
  const keyOf = (from: string): Uint8Array => new Uint8Array(hkdfSync('sha256', from, '', purpose, 32))
  const newest = keyOf(secret)
  const keys = [newest, ...oldSecrets.map(keyOf)]
  const shape = new RegExp(`^([\\w-]{${idChars}})\\.([\\da-z]{1,7})\\.([\\w-]{22})$`)
  return {
    sign: ({ brandId, id }) => {
      const named = `${id}.${brandId.toString(36)}`
      return `${named}.${macOf(newest, named).toString('base64url')}`
    },
    open: (token) => {
      const [, id = '', brand = '', mac = ''] = shape.exec(token) ?? []
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== MAC_BYTES) return null
      const isOurs = keys.some((key) => timingSafeEqual(macOf(key, `${id}.${brand}`), given))
      return isOurs ? { brandId: Number.parseInt(brand, 36), id } : null
    },
  }
}

/** The brand that a token names, without a check of its signature: for the sandbox, which has no secret. */
export function brandNamedIn(token: string): number | null {
  const [, brand] = /^[\w-]+\.([\da-z]{1,7})\.[\w-]{22}$/.exec(token) ?? []
  return brand === undefined ? null : Number.parseInt(brand, 36)
}

const MAC_BYTES = 16

function macOf(key: Uint8Array, named: string): Buffer {
  return createHmac('sha256', key).update(named).digest().subarray(0, MAC_BYTES)
}
