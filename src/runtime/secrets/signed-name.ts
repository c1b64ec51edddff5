import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Something of one brand, by an id of letters that stand in an address as they are. */
type BrandName = { readonly brandId: number; readonly id: string }

/** The age of a token at an instant. An aging token has passed half of its life, and is worth a new one. */
export type TokenAge = 'fresh' | 'aging' | 'expired'

/** Turns names into signed tokens. A caller with a valid token got it from Beckon, on a day that the token names. */
type NameSigner = {
  readonly sign: (name: BrandName, now: number) => string
  /** The name in a token; null for a token with a wrong signature. */
  readonly open: (token: string, now: number) => (BrandName & { readonly age: TokenAge }) | null
}

export type SignerOptions = {
  readonly secret: string
  /** Former secrets: devices still have tokens signed with them. */
  readonly oldSecrets: readonly string[]
  /** The days that a token is valid after the day on which it was made. */
  readonly lifeDays: number
}

/** A token for one purpose is not valid for another. */
export function createNameSigner(
  { purpose, idChars }: { readonly purpose: string; readonly idChars: number },
  { secret, oldSecrets, lifeDays }: SignerOptions,
): NameSigner {
  const keyOf = (from: string): Uint8Array => new Uint8Array(hkdfSync('sha256', from, '', purpose, 32))
  const newest = keyOf(secret)
  const keys = [newest, ...oldSecrets.map(keyOf)]
  const shape = new RegExp(`^([\\w-]{${idChars}})\\.([\\da-z]{1,7})\\.([\\da-z]{1,5})\\.([\\w-]{22})$`)
  return {
    sign: ({ brandId, id }, now) => {
      const named = `${id}.${brandId.toString(36)}.${dayOf(now).toString(36)}`
      return `${named}.${macOf(newest, named).toString('base64url')}`
    },
    open: (token, now) => {
      const [, id = '', brand = '', day = '', mac = ''] = shape.exec(token) ?? []
      const given = Buffer.from(mac, 'base64url')
      // Several texts decode to the same bytes, and we write only one of them.
      if (given.length !== MAC_BYTES || given.toString('base64url') !== mac) return null
      const isOurs = keys.some((key) => timingSafeEqual(macOf(key, `${id}.${brand}.${day}`), given))
      if (!isOurs) return null
      const days = dayOf(now) - Number.parseInt(day, 36)
      return { brandId: Number.parseInt(brand, 36), id, age: ageOf(days, lifeDays) }
    },
  }
}

/** The brand that a token names, without a check of its signature: for the sandbox, which has no secret. */
export function brandNamedIn(token: string): number | null {
  const [, brand] = /^[\w-]+\.([\da-z]{1,7})\.[\da-z]{1,5}\.[\w-]{22}$/.exec(token) ?? []
  return brand === undefined ? null : Number.parseInt(brand, 36)
}

const MAC_BYTES = 16
const DAY_MS = 86_400_000

export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS)
}

export function ageOf(days: number, lifeDays: number): TokenAge {
  if (days > lifeDays) return 'expired'
  return days > lifeDays / 2 ? 'aging' : 'fresh'
}

function macOf(key: Uint8Array, named: string): Buffer {
  return createHmac('sha256', key).update(named).digest().subarray(0, MAC_BYTES)
}
