import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** One browser of one brand's site. The id is drawn by us, so nobody can choose somebody else's. */
export type VisitorName = { readonly brandId: number; readonly visitorId: string }

/** Signs the tokens by which a browser shows who it is, since a publishable key is everybody's (decision 0010). */
export type VisitorSigner = {
  readonly sign: (visitor: VisitorName) => string
  /** The visitor that a token was made for; null for a token that we did not make. */
  readonly open: (token: string) => VisitorName | null
}

/** `oldSecrets` are those that were replaced: browsers still hold their tokens. */
export function createVisitorSigner(secret: string, oldSecrets: readonly string[] = []): VisitorSigner {
  const newest = deriveKey(secret)
  const keys = [newest, ...oldSecrets.map(deriveKey)]
  return {
    sign: ({ brandId, visitorId }) => {
      const named = `${visitorId}.${brandId.toString(36)}`
      return `${named}.${macOf(newest, named).toString('base64url')}`
    },
    open: (token) => {
      const [, visitorId = '', brand = '', mac = ''] = TOKEN.exec(token) ?? []
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== MAC_BYTES) return null
      const isOurs = keys.some((key) => timingSafeEqual(macOf(key, `${visitorId}.${brand}`), given))
      return isOurs ? { brandId: Number.parseInt(brand, 36), visitorId } : null
    },
  }
}

const MAC_BYTES = 16
const TOKEN = /^([\w-]{22})\.([\da-z]{1,7})\.([\w-]{22})$/

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'beckon visitor', 32))
}

function macOf(key: Uint8Array, named: string): Buffer {
  return createHmac('sha256', key).update(named).digest().subarray(0, MAC_BYTES)
}
